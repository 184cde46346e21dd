package parse

import (
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// A call may start without a marker: as JSON, bare or in a code fence, in any dialect; or with a
// text that a family declares, such as "Action:". It must prove to be a call; until then nothing
// is removed.

// findUnmarked collects the texts with which such a call starts.
func (p *Reading) findUnmarked() {
	for _, l := range p.Dialect.Labels {
		if l.Kind != format.LabelInput || len(p.Turn.Tools) > 0 {
			p.addLabel(l)
		}
	}
	for _, c := range p.Dialect.UnmarkedStarts {
		if labels(p.Dialect, c) && len(p.Turn.Tools) > 0 {
			p.addLabel(format.Label{Text: c.Text})
		}
	}
	if !p.Callable {
		return
	}
	for _, b := range []byte("{[`<") {
		p.unmarkedBytes[b] = true
	}
	for _, c := range p.Dialect.UnmarkedStarts {
		p.addUnmarked(c.Text)
	}
}

// addLabel has a label looked for, in upper or lower case, in bold or as a heading.
func (p *Reading) addLabel(l format.Label) {
	word := strings.TrimSuffix(l.Text, ":")
	if l.Kind == format.LabelThinking && !slices.Contains(p.thoughts, l) {
		p.thoughts = append(p.thoughts, l)
	}
	p.labelWords = append(p.labelWords, word)
	for _, b := range []byte{word[0] | 0x20, word[0] &^ 0x20, scan.Bold[0], '#', '-'} {
		p.unmarkedBytes[b] = true
	}
}

// addUnmarked has a text looked for that is no marker.
func (p *Reading) addUnmarked(text string) {
	p.unmarkedBytes[text[0]] = true
	if !rareByte(text[0]) {
		p.unmarkedWords = append(p.unmarkedWords, text)
	}
}

// rareByte tells whether a byte is so rare in text that each one may be looked at.
func rareByte(b byte) bool { return strings.IndexByte("{[`<*", b) >= 0 }

// mayStart tells, by a quick look, whether a call may start at offset i. So text is not cut at
// each letter with which one starts.
func (p *Tolerant) mayStart(i int, final bool) bool {
	text := p.buf[i:]
	if rareByte(text[0]) {
		return true
	}
	if p.blankBefore(i) && (text[0] == '#' || text[0] == '-' || slices.ContainsFunc(p.plan.labelWords, func(w string) bool { return peek.PrefixFold(text, w, final) != peek.No })) {
		return true
	}
	_, a := peek.AnyPrefix(text, p.plan.unmarkedWords, final)
	return a != peek.No
}

// unmarkedAt opens the region of an unmarked call at i, which is pos, if one starts there.
func (p *Tolerant) unmarkedAt(i int, final bool) peek.Answer {
	text := p.buf[i:]
	if a := p.takeLabel(text, final); a != peek.No {
		return a
	}
	if text[0] == '`' && p.plan.Callable {
		return p.openCode(final)
	}
	open, a := p.unmarkedHere(text, final)
	if a == peek.Yes {
		open(i)
	}
	return a
}

// unmarkedHere tells whether an unmarked call starts at text, which is at pos: with a text of the
// dialect, with one of another family, or as an object. open opens its region at an offset.
func (p *Tolerant) unmarkedHere(text []byte, final bool) (open func(at int), a peek.Answer) {
	if c, n, a := p.ownUnmarked(text, final); a != peek.No {
		return func(at int) { p.openOwn(c, at, n) }, a
	}
	if !p.plan.Callable {
		return nil, peek.No
	}
	if m, a := p.plan.otherMarkerAt(text, final); a != peek.No && (p.blank || !p.plan.others.worded(m.Text)) {
		return func(at int) { p.openOther(m, at) }, a
	}
	if a := p.objectStart(text, final); a != peek.Yes {
		return nil, a
	}
	return func(at int) { p.openUnmarked(at, at, scan.JSONReader{}, true) }, peek.Yes
}

// ownUnmarked tells whether text begins with one of the dialect's unmarked starts, and how long
// that is.
func (p *Tolerant) ownUnmarked(text []byte, final bool) (found format.UnmarkedStart, n int, a peek.Answer) {
	waits := false
	for _, c := range p.plan.Dialect.UnmarkedStarts {
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
	return format.UnmarkedStart{}, 0, peek.Boolean(waits, peek.Unknown)
}

// quoted tells whether what begins here is in a quotation.
func (p *Tolerant) quoted() bool { return p.code == nil && p.quoting.open() }

// labels tells whether an unmarked start is one of the dialect's labels.
func labels(d *format.Dialect, c format.UnmarkedStart) bool { return c.LineStart && len(d.Labels) > 0 }

// openOwn opens the region of one of the dialect's unmarked starts, which has n bytes.
func (p *Tolerant) openOwn(c format.UnmarkedStart, at, n int) {
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
	p.openUnmarked(at, at+n, scan.ReaderOf(c.Syntax), c.Bare)
	if p.region.first {
		p.region.Proof = 1
		if led {
			p.region.Proof = 2
		}
	}
	if labels(p.plan.Dialect, c) {
		p.region.readers = append(p.region.readers, scan.JSONReader{})
	}
	p.region.unmarked = c.LineStart || p.offset+at < 0 // or the prompt's
	_, plain := scan.LabelAt(p.buf[at:at+n], c.Text, false, true)
	p.region.Loose = plain == peek.No
}

func (p *Tolerant) openUnmarked(start, body int, c scan.Reader, bare bool) {
	p.openRegion(scan.Opening{Plan: p.plan.Plan, Bare: bare}, start, body, false)
	p.region.fromStart, p.region.unmarked = true, true
	p.region.readers = []scan.Reader{c}
}

// objectStart tells whether an object, or an array of objects, starts here.
func (p *Tolerant) objectStart(text []byte, final bool) peek.Answer {
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
