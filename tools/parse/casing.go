package parse

import (
	"bytes"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// Models put calls in code: between fences, or between backticks on a line. Code that holds
// nothing but calls is their casing and goes with them. Other code is text, and stays; the calls
// in it are calls all the same.

// casing is code that is open and of which nothing but calls has come. What opens it is kept back
// until it has been told from text.
type casing struct {
	open  []byte
	ticks int  // in front of it, and behind
	calls bool // one has come
	label bool // a label began what stands in it
}

// maxCasing bounds what stands between the backticks and the call: a language and white space.
const maxCasing = 32

// encase tells whether code opens at pos that begins with a call, and opens it if so.
func (p *Text) encase(final bool) peek.Answer {
	if p.casing != nil {
		return p.casedThoughtEnds(final)
	}
	if p.quoting.run > 0 || p.quoting.fence || p.quoting.inline {
		return peek.No
	}
	text := p.buf[p.pos:min(len(p.buf), p.pos+maxCasing)]
	ticks := 0
	for ticks < len(text) && text[ticks] == '`' {
		ticks++
	}
	a := p.encaseAt(peek.SkipSpace(text, ticks), ticks, final)
	if a == peek.No && ticks >= len(format.FenceMark) { // a word on the line is the language
		n := ticks
		for n < len(text) && (text[n] == ' ' || languageByte(text[n])) {
			n++
		}
		a = p.encaseAt(peek.SkipSpace(text, n), ticks, final)
	}
	return a
}

// encaseAt tells whether a call begins n bytes behind pos, where some backticks stand, and opens
// the code before it.
func (p *Text) encaseAt(n, ticks int, final bool) peek.Answer {
	switch {
	case n == maxCasing:
		return peek.No
	case p.pos+n == len(p.buf):
		return peek.Boolean(!final, peek.Unknown)
	}
	before, quoting := p.cursor, p.quoting
	p.casing = &casing{open: bytes.Clone(p.buf[p.pos : p.pos+n]), ticks: ticks}
	p.moveTo(p.pos + n)
	a := p.callAt(final)
	if a == peek.No && ticks >= len(format.FenceMark) {
		p.casing.label = true
		p.quoting.read(p.casing.open, before.blank, p.solid)
		a = p.takeLabel(p.buf[p.pos:], final)
	}
	if a != peek.Yes {
		p.casing, p.cursor, p.quoting = nil, before, quoting
	}
	return a
}

// musing tells whether a thought stands in the code: it says nothing of what the code holds.
func (p *Text) musing() bool {
	return p.casing != nil && p.casing.label && (p.thinking || p.thought != nil)
}

// casedThoughtEnds takes along what closes code at pos that holds a thought alone.
func (p *Text) casedThoughtEnds(final bool) peek.Answer {
	c := p.casing
	waits := p.thought != nil
	if !p.musing() || !p.blank || p.quoting.fence != waits { // or other code ends
		return peek.No
	}
	n, a := c.ends(p.buf[p.pos:], final)
	switch {
	case a != peek.Yes:
		return a
	case waits:
		p.thought.open, p.casing = c.open, nil
		return peek.No
	}
	p.pos, p.casing = p.pos+n, nil
	p.turnTo(false)
	return peek.Yes
}

func languageByte(c byte) bool {
	return c < 0x80 && peek.NameByte(c) && c != ':' && c != '/' || c == '+'
}

// moveTo goes on to an offset over layout.
func (p *Text) moveTo(i int) {
	if bytes.IndexByte(p.buf[p.pos:i], '\n') >= 0 {
		p.blank, p.indent = true, 0
	}
	p.inWord = false
	p.pos = i
}

// callAt tells whether what begins calls stands at pos.
func (p *Text) callAt(final bool) peek.Answer {
	i, waits := p.pos, peek.No
	if p.plan.headBytes[p.buf[i]] && p.startsWord(i) {
		if _, a := p.headAt(i, final); a == peek.Yes {
			return peek.Yes
		} else if a == peek.Unknown {
			waits = peek.Unknown
		}
	}
	switch m, a := p.markerAt(i, final); {
	case a == peek.Yes:
		d := p.plan.Dialect
		return peek.Boolean(m.Role == format.RoleCall || m.Role == format.RoleHeader || m.Role == format.RoleLayout && m.Text == d.Section.Open, peek.Yes)
	case a == peek.Unknown:
		waits = peek.Unknown
	}
	if _, a := p.cueHere(p.buf[i:], final); a != peek.No {
		return a
	}
	return waits
}

// noneBehind tells whether a turn ends, or goes on with something else than a call, at an offset.
func (p *Text) noneBehind(at int, final bool) peek.Answer {
	i, cut := peek.SkipLayout(p.buf, at, final)
	switch {
	case i-at > peek.MaxGap:
		return peek.Yes
	case cut || i == len(p.buf):
		return peek.AtLast(final)
	}
	before := p.cursor
	p.cursor = cursor{pos: i, blank: true}
	a := p.callAt(final)
	p.cursor = before
	switch a {
	case peek.Yes:
		return peek.No
	case peek.No:
		return peek.Yes
	}
	return a
}

// stepCasing reads what stands between the calls in code, and behind the last.
func (p *Text) stepCasing(final bool) bool {
	c := p.casing
	i := peek.SkipSpace(p.buf, p.pos)
	if i == len(p.buf) && i-p.pos <= peek.MaxGap {
		if final {
			p.closeCasing(i)
		}
		return final
	}
	if i == len(p.buf) {
		p.uncase()
		return true
	}
	switch n, a := c.ends(p.buf[i:], final); {
	case !c.calls:
	case a == peek.Unknown:
		return false
	case a == peek.Yes:
		p.closeCasing(i + n)
		return true
	}
	before := p.cursor
	p.moveTo(i)
	a := p.callAt(final)
	if a == peek.No && (c.calls || c.label) {
		if a = p.takeLabel(p.buf[i:], final); a == peek.Yes {
			c.label = true
			return true
		}
	}
	// what closes a section, or ends the turn
	if m, b := p.markerAt(i, final); a == peek.No && b == peek.Yes {
		a = peek.Boolean(m.Role == format.RoleLayout || m.Role == format.RoleEnd || m.Role == format.RoleStrip, peek.Yes)
	}
	switch a {
	case peek.Yes:
		return p.stepText(final)
	case peek.No:
		p.cursor = before
		p.uncase()
		return true
	}
	p.cursor = before
	return false
}

// ends tells whether what closes the code stands at the start of text, and how long it is. Where a
// language stands behind it, other code opens.
func (c *casing) ends(text []byte, final bool) (int, peek.Answer) {
	n := 0
	for n < len(text) && text[n] == '`' {
		n++
	}
	switch {
	case n == len(text) && !final:
		return 0, peek.Boolean(n > 0, peek.Unknown)
	case n < c.ticks, c.ticks < len(format.FenceMark) && n != c.ticks, c.ticks >= len(format.FenceMark) && n < len(text) && peek.WordByte(text[n]):
		return 0, peek.No
	}
	return n, peek.Yes
}

// closeCasing forgets code that held nothing but calls, which ends at offset i.
func (p *Text) closeCasing(i int) {
	if !p.casing.calls {
		p.uncase()
		return
	}
	p.current().beside()
	p.moveTo(i)
	p.casing = nil
}

// uncase gives back what opened the code: it holds something else. A thought that waits in the
// code has that given back with it.
func (p *Text) uncase() {
	c := p.casing
	if c == nil || c.label && p.thought != nil {
		return
	}
	p.casing = nil
	if !c.label {
		p.look(c.open)
	}
	p.put(p.current(), c.open)
}

// A call without markers that a text quotes is an example: it stands between backticks or in a
// code fence, and text comes before it there.

// quoting knows whether text stands in backticks or in a code fence.
type quoting struct {
	run          int  // backticks at the end of the text
	leads, prose bool // they begin their line; something came before them
	fence        bool // a fence is open
	inline       bool // backticks are open on the line
	after        bool // something came before what is open
}

// read takes text into account. blank and solid say that the line before it has nothing but white
// space, and that the turn has more.
func (q *quoting) read(text []byte, blank, solid bool) {
	if q.run == 0 && !q.inline && bytes.IndexByte(text, '`') < 0 {
		return
	}
	for _, c := range text {
		if c == '`' {
			if q.run == 0 {
				q.leads, q.prose = blank, solid
			}
			q.run++
			blank, solid = false, true
			continue
		}
		q.end()
		switch {
		case c == '\n':
			blank, q.inline = true, false
		case !peek.IsSpace(c):
			blank, solid = false, true
		}
	}
}

// end ends a run of backticks.
func (q *quoting) end() {
	switch {
	case q.run == 0:
		return
	case q.run >= len(format.FenceMark) && q.leads:
		q.fence = !q.fence
		q.after = q.prose
	case !q.fence:
		q.inline = !q.inline
		q.after = q.prose
	}
	q.run = 0
}

// open tells whether a call that begins here stands in a quotation with text before it.
func (q quoting) open() bool {
	directly := q.run > 0 && !q.inline
	q.end()
	return q.after && (q.fence || q.inline && directly)
}

// doubt tells whether the text goes on inside a string of a call that was none because its
// strings' ends were not known: other text stands on the line behind it. What looks like a call
// from there on may be quoted.
type doubt uint8

const (
	noDoubt doubt = iota
	armed         // nothing but white space and markers has come behind the call
	inDoubt
)

// take looks at a byte of text.
func (d *doubt) take(b byte) {
	switch {
	case *d != armed:
	case b == '\n':
		*d = noDoubt
	case !peek.IsSpace(b):
		*d = inDoubt
	}
}

// doubtBehind is what is thought of the text behind a region that was none: where its own end was
// not found, it goes on.
func (p *Text) doubtBehind(text []byte) doubt {
	own := p.plan.Closers[p.region.Marker]
	if len(p.plan.Dialect.Labels) > 0 { // which stand in its strings as they do behind it
		return inDoubt
	}
	if len(own) > 0 && !peek.EndsWithTag(text, own) {
		return inDoubt
	}
	return armed
}
