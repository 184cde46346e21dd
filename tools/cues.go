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
		p.cueOn(l.text)
		p.cueBytes[bold[0]] = true
	}
	if !p.callable {
		return
	}
	for _, b := range []byte("{[`<") {
		p.cueBytes[b] = true
	}
	for _, c := range p.dialect.cues {
		p.cueOn(c.text)
	}
}

// cueOn has a text that is no marker looked for.
func (p *Plan) cueOn(text string) {
	p.cueBytes[text[0]] = true
	p.cueWords = append(p.cueWords, text)
}

// mayCue tells whether a cue may start text: common letters do not part the text at each of them.
func (p *Plan) mayCue(text []byte, final bool) bool {
	if strings.IndexByte("{[`<*", text[0]) >= 0 {
		return true
	}
	_, a := anyPrefix(text, p.cueWords, final)
	return a != no
}

// cueAt tells whether a cue starts at i, which is pos, and opens its region if so.
func (p *tolerant) cueAt(i int, final bool) answer {
	text := p.buf[i:]
	if a := p.takeLabel(text, final); a != no {
		return a
	}
	if text[0] == '`' && p.plan.callable {
		return p.encase(final)
	}
	f, a := p.cueHere(text, final)
	switch {
	case a != yes:
	case f.n > 0:
		p.openOwn(f.own, i, f.n)
	case f.guest.text != "":
		p.openGuest(f.guest, i)
	default:
		p.openGeneric(text, i)
	}
	return a
}

// foundCue is one of the dialect's cues, of n bytes, or what begins another family's calls; else an object or a tag around one.
type foundCue struct {
	own   cue
	n     int
	guest marker
}

// cueHere tells whether a cue stands at the start of text, which is at pos.
func (p *tolerant) cueHere(text []byte, final bool) (f foundCue, a answer) {
	if !p.plan.callable {
		return f, no
	}
	if c, n, a := p.ownCue(text, final); a != no {
		return foundCue{own: c, n: n}, a
	}
	if m, a := p.plan.guestAt(text, final); a != no && (p.blank || !worded(m.text)) {
		return foundCue{guest: m}, a
	}
	return f, p.genericCue(text, final)
}

// ownCue tells whether one of the dialect's cues stands at the start of text, and how long it is.
func (p *tolerant) ownCue(text []byte, final bool) (found cue, n int, a answer) {
	waits := false
	for _, c := range p.plan.dialect.cues {
		if c.lineStart && !p.blank {
			continue
		}
		n, a := len(c.text), hasPrefix(text, c.text, final)
		if p.labels(c) {
			n, a = labelAt(text, c.text, final)
		}
		if a == yes {
			return c, n, yes
		}
		waits = waits || a == unknown
	}
	return cue{}, 0, boolean(waits, unknown)
}

// labels tells whether a cue is one of the dialect's labels.
func (p *tolerant) labels(c cue) bool { return c.lineStart && len(p.plan.dialect.labels) > 0 }

// openOwn opens the region of one of the dialect's cues, which has n bytes.
func (p *tolerant) openOwn(c cue, at, n int) {
	if p.labels(c) {
		p.think(false)
	}
	p.openCue(at, at+n, c.codec, c.bare)
	if c.lineStart { // a word that is common in text
		p.region.quote = p.quoting.open()
	}
	p.region.unmarked = c.lineStart || p.offset+at < 0 // or the prompt's
}

// openGeneric opens the region of an object, or of a tag around one, at the start of text.
func (p *tolerant) openGeneric(text []byte, at int) {
	end, n := wrapEnd(text)
	p.openCue(at, at+n, jsonCodec{}, true)
	p.region.wrap = end
	if j := skipSpace(text, n); n > 0 && j < len(text) && text[j] == '<' {
		p.openWrapped(text, j-n)
	}
}

// takeLabel tells whether one of the dialect's labels stands here, at the start of a line, and follows it.
func (p *tolerant) takeLabel(text []byte, final bool) answer {
	if !p.blank {
		return no
	}
	waits := false
	for _, l := range p.plan.dialect.labels {
		if l.kind == labelStop && p.called == 0 {
			continue // nothing was called whose result a model could make up: it is text
		}
		switch n, a := labelAt(text, l.text, final); a {
		case yes:
			p.label(l, n)
			return yes
		case unknown:
			waits = true
		}
	}
	return boolean(waits, unknown)
}

// bold is what some models write around labels.
const bold = "**"

// labelAt tells whether a label stands at the start of text, and how long it is: its word and a colon, spaces between them, and in
// bold letters with the colon inside or outside of them.
func labelAt(text []byte, label string, final bool) (n int, a answer) {
	inBold := hasPrefix(text, bold, final)
	if inBold == unknown {
		return 0, unknown
	}
	if inBold == yes {
		n = len(bold)
	}
	word := strings.TrimSuffix(label, ":")
	if a := hasPrefix(text[n:], word, final); a != yes {
		return 0, a
	}
	n += len(word)
	colon, closed := false, inBold != yes
	for from := n; n < len(text) && n < from+4; {
		switch c := text[n]; {
		case c == ' ' && !colon:
			n++
		case c == ':' && !colon:
			colon = true
			n++
		case !closed && c == bold[0]:
			if a := hasPrefix(text[n:], bold, final); a != yes {
				return 0, a
			}
			closed = true
			n += len(bold)
		default:
			return n, boolean(colon && closed, yes)
		}
		if colon && closed {
			return n, yes
		}
	}
	return n, boolean(!final && n == len(text), unknown)
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
	p.region.cue, p.region.unmarked = true, true
	p.region.codecs = []codec{c}
}

// genericCue tells whether an object, an array of objects, or a tag around one starts here.
func (p *tolerant) genericCue(text []byte, final bool) answer {
	switch text[0] {
	case '{':
		return firstKey(text, 1, final)
	case '[':
		return objectAt(text, 1, final)
	case '<':
		if p.blank {
			return p.plan.wrapped(text, final)
		}
	}
	return no
}

// keyQuotes are what some models write before keys in place of the straight quotes.
var keyQuotes = []string{"“", "”", "‘", "’"}

// firstKey tells whether a key that a call may have follows at text[i:], in one pair of braces or two.
func firstKey(text []byte, i int, final bool) answer {
	start := i
	i = skipSpace(text, i)
	if i < len(text) && text[i] == '{' && text[start-1] == '{' {
		i = skipSpace(text, i+1)
	}
	if i == len(text) {
		return boolean(!final && i-start <= maxGap, unknown)
	}
	switch c := text[i]; {
	case c == '"' || c == '\'':
		i++
	case c >= 0x80:
		quote, a := anyPrefix(text[i:], keyQuotes, final)
		if a == unknown {
			return unknown
		}
		i += len(quote)
	}
	key := text[i:]
	n := 0
	for n < len(key) && (key[n] == '_' || key[n] >= 'a' && key[n] <= 'z') {
		n++
	}
	if n == 0 && len(key) > 0 {
		return no
	}
	word := string(key[:n])
	if n == len(key) && !final {
		return boolean(slices.ContainsFunc(callKeys, func(k string) bool { return strings.HasPrefix(k, word) }), unknown)
	}
	return boolean(slices.Contains(callKeys, word), yes)
}

// objectAt tells whether an object that may be a call, or an array of such, stands at text[i:], behind white space.
func objectAt(text []byte, i int, final bool) answer {
	start := i
	i = skipSpace(text, i)
	switch {
	case i == len(text):
		return boolean(!final && i-start <= maxGap, unknown)
	case text[i] == '[' && text[start-1] != '[':
		return objectAt(text, i+1, final)
	case text[i] != '{':
		return no
	}
	return firstKey(text, i+1, final)
}

// regionCodecs are the codecs that may read what follows an opener.
func (d *Dialect) regionCodecs(opener string) []codec {
	all := slices.Clone(d.codecs)
	for i, c := range all {
		if t, ok := c.(taggedCodec); ok {
			all[i] = t.spelt(opener)
		}
	}
	opener, spelt := d.written(opener), opener
	for _, c := range all {
		if slices.Contains(c.openers(), spelt) && opener != d.section.open && opener != d.call.open {
			return []codec{c}
		}
	}
	if !slices.ContainsFunc(all, func(c codec) bool { _, ok := c.(jsonCodec); return ok }) {
		all = append(all, jsonCodec{})
	}
	if opener != d.call.open && opener != d.section.open && !slices.Contains(d.opens, opener) {
		return all
	}
	return append([]codec{foreign{pythonicCodec{}}}, append(all, foreign{functionTags}, foreign{invokeTags}, foreign{pairTags}, foreign{labelled}, foreign{namedCodec{}})...)
}
