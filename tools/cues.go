package tools

import (
	"slices"
	"strings"
)

// Cues are the ways in which calls begin without a marker: bare or fenced JSON in any dialect, and what a family declares.
// What they start must prove to be a call; until then nothing is removed.

// cueUp decides which bytes may start a cue.
func (p *Plan) cueUp() {
	for _, l := range p.dialect.labels {
		p.cueBytes[l.text[0]] = true
	}
	if !p.callable {
		return
	}
	for _, b := range []byte("{[`") {
		p.cueBytes[b] = true
	}
	for _, c := range p.dialect.cues {
		p.cueBytes[c.text[0]] = true
	}
}

// cueAt tells whether a cue starts at i, which is pos, and opens its region if so.
func (p *tolerant) cueAt(i int, final bool) answer {
	text := p.buf[i:]
	if a := p.labelAt(text, final); a != no {
		return a
	}
	if !p.plan.callable {
		return no
	}
	waits := false
	for _, c := range p.plan.dialect.cues {
		if c.lineStart && !p.blank {
			continue
		}
		switch hasPrefix(text, c.text, final) {
		case yes:
			if c.lineStart && len(p.plan.dialect.labels) > 0 {
				p.think(false)
			}
			p.openCue(i, i+len(c.text), c.codec, c.bare)
			return yes
		case unknown:
			waits = true
		}
	}
	if waits {
		return unknown
	}
	a := p.genericCue(text, final)
	if a == yes {
		p.openCue(i, i, jsonCodec{}, true)
	}
	return a
}

// labelAt tells whether one of the dialect's labels stands here, at the start of a line, and follows it.
func (p *tolerant) labelAt(text []byte, final bool) answer {
	if !p.blank {
		return no
	}
	for _, l := range p.plan.dialect.labels {
		word := strings.TrimSuffix(l.text, ":")
		switch hasPrefix(text, word, final) {
		case no:
			continue
		case unknown:
			return unknown
		}
		n := len(word)
		for n < len(text) && n < len(word)+8 && text[n] == ' ' {
			n++
		}
		if n == len(text) && !final {
			return unknown
		}
		if n < len(text) && text[n] == ':' {
			p.label(l, n+1)
			return yes
		}
	}
	return no
}

// label removes a label of n bytes and does what it says.
func (p *tolerant) label(l label, n int) {
	p.pos += n
	p.blank = false
	switch l.kind {
	case labelStop:
		p.over = true
	default:
		p.think(l.kind == labelThinking)
	}
}

func (p *tolerant) openCue(start, body int, c codec, bare bool) {
	p.openRegion(opening{plan: p.plan, bare: bare}, start, body, false)
	p.region.cue = true
	p.region.codecs = []codec{c}
}

// genericCue tells whether an object, an array of objects or a fence around one starts here.
func (p *tolerant) genericCue(text []byte, final bool) answer {
	switch text[0] {
	case '{':
		return firstKey(text, 1, final)
	case '[':
		return objectAt(text, 1, final)
	case '`':
		if p.blank {
			return fencedObject(text, final)
		}
	}
	return no
}

// firstKey tells whether a key that a call may have follows at text[i:].
func firstKey(text []byte, i int, final bool) answer {
	start := i
	i = skipSpace(text, i)
	if i == len(text) {
		return boolean(!final && i-start <= maxGap, unknown)
	}
	if text[i] == '"' || text[i] == '\'' {
		i++
	}
	key := text[i:]
	n := 0
	for n < len(key) && (key[n] == '_' || key[n] >= 'a' && key[n] <= 'z') {
		n++
	}
	word := string(key[:n])
	if n == len(key) && !final {
		return boolean(slices.ContainsFunc(callKeys, func(k string) bool { return strings.HasPrefix(k, word) }), unknown)
	}
	return boolean(slices.Contains(callKeys, word), yes)
}

func objectAt(text []byte, i int, final bool) answer {
	start := i
	i = skipSpace(text, i)
	if i == len(text) {
		return boolean(!final && i-start <= maxGap, unknown)
	}
	if text[i] != '{' {
		return no
	}
	return firstKey(text, i+1, final)
}

// fenceLanguages are the languages of a fence that may hold a call.
var fenceLanguages = []string{"", "json", "tool_call", "tool_calls", "tool_code", "tool", "function_call"}

func fencedObject(text []byte, final bool) answer {
	n, a := fence(text, final)
	if a != yes || n < 3 {
		return boolean(a == unknown, unknown)
	}
	if !slices.Contains(fenceLanguages, string(text[3:n])) {
		return no
	}
	i := skipSpace(text, n)
	switch {
	case i == len(text):
		return boolean(!final && i-n <= maxGap, unknown)
	case text[i] == '[':
		return objectAt(text, i+1, final)
	}
	return objectAt(text, i, final)
}

// regionCodecs are the codecs that may read what follows an opener.
func (d *Dialect) regionCodecs(opener string) []codec {
	for _, c := range d.codecs {
		if slices.Contains(c.openers(), opener) && opener != d.section.open && opener != d.call.open {
			return []codec{c}
		}
	}
	all := slices.Clone(d.codecs)
	if !slices.ContainsFunc(all, func(c codec) bool { _, ok := c.(jsonCodec); return ok }) {
		all = append(all, jsonCodec{})
	}
	if opener != d.call.open && opener != d.section.open {
		return all
	}
	return append([]codec{foreign{pythonicCodec{}}}, append(all, foreign{functionTags}, foreign{namedCodec{}})...)
}
