package parse

import (
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// Cues are the ways in which calls begin without a marker: bare or fenced JSON in any dialect, and
// what a family declares. What they start must prove to be a call; until then nothing is removed.

// cueUp decides which bytes may start a cue.
func (p *Reading) cueUp() {
	for _, l := range p.Dialect.Labels {
		if l.Kind != format.LabelInput || len(p.Turn.Tools) > 0 {
			p.labelOn(l)
		}
	}
	for _, c := range p.Dialect.Cues {
		if labels(p.Dialect, c) && len(p.Turn.Tools) > 0 {
			p.labelOn(format.Label{Text: c.Text})
		}
	}
	if !p.Callable {
		return
	}
	for _, b := range []byte("{[`<") {
		p.cueBytes[b] = true
	}
	for _, c := range p.Dialect.Cues {
		p.cueOn(c.Text)
	}
}

// labelOn has a label looked for, in any case, bold or a heading.
func (p *Reading) labelOn(l format.Label) {
	word := strings.TrimSuffix(l.Text, ":")
	if l.Kind == format.LabelThinking && !slices.Contains(p.thoughts, l) {
		p.thoughts = append(p.thoughts, l)
	}
	p.labelWords = append(p.labelWords, word)
	for _, b := range []byte{word[0] | 0x20, word[0] &^ 0x20, scan.Bold[0], '#', '-'} {
		p.cueBytes[b] = true
	}
}

// cueOn has a text that is no marker looked for.
func (p *Reading) cueOn(text string) {
	p.cueBytes[text[0]] = true
	if !alwaysCues(text[0]) {
		p.cueWords = append(p.cueWords, text)
	}
}

// alwaysCues tells whether a byte is rare enough in text to be looked behind each time.
func alwaysCues(b byte) bool { return strings.IndexByte("{[`<*", b) >= 0 }

// mayCue tells whether a cue may start at offset i: common letters do not part the text at each of
// them.
func (p *Text) mayCue(i int, final bool) bool {
	text := p.buf[i:]
	if alwaysCues(text[0]) {
		return true
	}
	if p.blankBefore(i) && (text[0] == '#' || text[0] == '-' || slices.ContainsFunc(p.plan.labelWords, func(w string) bool { return peek.PrefixFold(text, w, final) != peek.No })) {
		return true
	}
	_, a := peek.AnyPrefix(text, p.plan.cueWords, final)
	return a != peek.No
}

// cueAt tells whether a cue starts at i, which is pos, and opens its region if so.
func (p *Text) cueAt(i int, final bool) peek.Answer {
	text := p.buf[i:]
	if a := p.takeLabel(text, final); a != peek.No {
		return a
	}
	if text[0] == '`' && p.plan.Callable {
		return p.openCode(final)
	}
	open, a := p.cueHere(text, final)
	if a == peek.Yes {
		open(i)
	}
	return a
}

// cueHere tells whether a cue stands at the start of text, which is at pos: one of the dialect's,
// what begins another family's calls, or an object. open opens its region at an offset.
func (p *Text) cueHere(text []byte, final bool) (open func(at int), a peek.Answer) {
	if c, n, a := p.ownCue(text, final); a != peek.No {
		return func(at int) { p.openOwn(c, at, n) }, a
	}
	if !p.plan.Callable {
		return nil, peek.No
	}
	if m, a := p.plan.otherMarkerAt(text, final); a != peek.No && (p.blank || !p.plan.others.worded(m.Text)) {
		return func(at int) { p.openOther(m, at) }, a
	}
	if a := p.genericCue(text, final); a != peek.Yes {
		return nil, a
	}
	return func(at int) { p.openCue(at, at, scan.JSONCodec{}, true) }, peek.Yes
}

// ownCue tells whether one of the dialect's cues stands at the start of text, and how long it is.
func (p *Text) ownCue(text []byte, final bool) (found format.Cue, n int, a peek.Answer) {
	waits := false
	for _, c := range p.plan.Dialect.Cues {
		labels := labels(p.plan.Dialect, c)
		// a word that is common in text
		if c.LineStart && (!p.blank || p.quoted()) || !p.plan.Callable && (!labels || len(p.plan.Tools) == 0) {
			continue
		}
		n, a := len(c.Text), peek.Prefix(text, c.Text, final)
		if labels {
			n, a = scan.LabelAt(text, c.Text, true, final)
		}
		if a == peek.Yes {
			return c, n, peek.Yes
		}
		waits = waits || a == peek.Unknown
	}
	return format.Cue{}, 0, peek.Boolean(waits, peek.Unknown)
}

// quoted tells whether a text quotes what begins here.
func (p *Text) quoted() bool { return p.code == nil && p.quoting.open() }

// labels tells whether a cue is one of a dialect's labels.
func labels(d *format.Dialect, c format.Cue) bool { return c.LineStart && len(d.Labels) > 0 }

// openOwn opens the region of one of the dialect's cues, which has n bytes.
func (p *Text) openOwn(c format.Cue, at, n int) {
	led := p.thinking
	switch {
	case !labels(p.plan.Dialect, c):
	case p.code != nil && p.code.ticks < len(format.FenceMark):
		// a thought may end in a backtick
		p.think(false)
	case p.marked: // a step in a thought may be an idea (region.go)
	default:
		p.turnTo(false)
	}
	p.openCue(at, at+n, scan.CodecOf(c.Codec), c.Bare)
	if p.region.first {
		p.region.Proof = 1
		if led {
			p.region.Proof = 2
		}
	}
	if labels(p.plan.Dialect, c) {
		p.region.codecs = append(p.region.codecs, scan.JSONCodec{})
	}
	p.region.unmarked = c.LineStart || p.offset+at < 0 // or the prompt's
	_, plain := scan.LabelAt(p.buf[at:at+n], c.Text, false, true)
	p.region.Loose = plain == peek.No
}

func (p *Text) openCue(start, body int, c scan.Codec, bare bool) {
	p.openRegion(scan.Opening{Plan: p.plan.Plan, Bare: bare}, start, body, false)
	p.region.cue, p.region.unmarked = true, true
	p.region.codecs = []scan.Codec{c}
}

// genericCue tells whether an object, or an array of objects, starts here.
func (p *Text) genericCue(text []byte, final bool) peek.Answer {
	switch text[0] {
	case '{':
		return p.plan.firstKey(text, 1, final)
	case '[':
		return p.plan.objectAt(text, 1, final)
	}
	return peek.No
}

// keyQuotes are what some models write before keys in place of the straight quotes.
var keyQuotes = []string{"“", "”", "‘", "’"}

// firstKey tells whether a key that a call may have follows at text[i:], in one pair of braces or
// two.
func (p *Reading) firstKey(text []byte, i int, final bool) peek.Answer {
	start := i
	i = peek.SkipSpace(text, i)
	if i < len(text) && text[i] == '{' && text[start-1] == '{' {
		i = peek.SkipSpace(text, i+1)
	}
	if i == len(text) {
		return peek.Boolean(!final && i-start <= peek.MaxGap, peek.Unknown)
	}
	switch c := text[i]; {
	case c == '"' || c == '\'':
		i++
	case c >= 0x80:
		quote, a := peek.AnyPrefix(text[i:], keyQuotes, final)
		if a == peek.Unknown {
			return peek.Unknown
		}
		i += len(quote)
	}
	key := text[i:]
	n := 0
	for n < len(key) && (key[n] == '_' || key[n] >= 'a' && key[n] <= 'z') {
		n++
	}
	if n == 0 && len(key) > 0 {
		return peek.No
	}
	word := string(key[:n])
	if n == len(key) && !final {
		return peek.Boolean(slices.ContainsFunc(p.CallKeys, func(k string) bool { return strings.HasPrefix(k, word) }), peek.Unknown)
	}
	return peek.Boolean(slices.Contains(p.CallKeys, word), peek.Yes)
}

// objectAt tells whether an object that may be a call stands at text[i:], behind white space.
func (p *Reading) objectAt(text []byte, i int, final bool) peek.Answer {
	start := i
	i = peek.SkipSpace(text, i)
	switch {
	case i == len(text):
		return peek.Boolean(!final && i-start <= peek.MaxGap, peek.Unknown)
	case text[i] != '{':
		return peek.No
	}
	return p.firstKey(text, i+1, final)
}
