package parse

import (
	"bytes"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// Models write calls in Markdown code: in a fenced block, or in backticks on a line. Where the
// code holds nothing but calls, it is removed with them. Other code is text and stays; the calls
// in it are calls all the same.

// codeFence is code that is open and has held nothing but calls so far. Its opener is held back
// until that is decided.
type codeFence struct {
	open  []byte // the opener: backticks, language, white space
	ticks int    // backticks that open it; as many close it
	calls bool   // a call has come
	label bool   // its content began with a label
}

// maxCodeOpener bounds the opener.
const maxCodeOpener = 32

// openCode opens code at pos if a call is the first thing in it.
func (p *Tolerant) openCode(final bool) peek.Answer {
	if p.code != nil {
		return p.endThoughtInCode(final)
	}
	if p.quoting.run > 0 || p.quoting.fence || p.quoting.inline {
		return peek.No
	}
	text := p.buf[p.pos:min(len(p.buf), p.pos+maxCodeOpener)]
	ticks := 0
	for ticks < len(text) && text[ticks] == '`' {
		ticks++
	}
	a := p.openCodeAt(peek.SkipSpace(text, ticks), ticks, final)
	if a == peek.No && ticks >= len(format.FenceMark) { // a word on the line is the language
		n := ticks
		for n < len(text) && (text[n] == ' ' || languageByte(text[n])) {
			n++
		}
		a = p.openCodeAt(peek.SkipSpace(text, n), ticks, final)
	}
	return a
}

// openCodeAt opens code at pos if a call begins n bytes behind it. The opener has some backticks.
func (p *Tolerant) openCodeAt(n, ticks int, final bool) peek.Answer {
	switch {
	case n == maxCodeOpener:
		return peek.No
	case p.pos+n == len(p.buf):
		return peek.Boolean(!final, peek.Unknown)
	}
	before, quoting := p.cursor, p.quoting
	p.code = &codeFence{open: bytes.Clone(p.buf[p.pos : p.pos+n]), ticks: ticks}
	p.moveTo(p.pos + n)
	a := p.callAt(final)
	if a == peek.No && ticks >= len(format.FenceMark) {
		p.code.label = true
		p.quoting.read(p.code.open, before.blank, p.solid)
		a = p.takeLabel(p.buf[p.pos:], final)
	}
	if a != peek.Yes {
		p.code, p.cursor, p.quoting = nil, before, quoting
	}
	return a
}

// thinksInCode tells whether the code holds a thought. A thought alone does not decide whether the
// code holds calls only.
func (p *Tolerant) thinksInCode() bool {
	return p.code != nil && p.code.label && (p.thinking || p.thought != nil)
}

// endThoughtInCode removes the closing backticks at pos from code that holds nothing but a
// thought.
func (p *Tolerant) endThoughtInCode(final bool) peek.Answer {
	c := p.code
	waits := p.thought != nil
	if !p.thinksInCode() || !p.blank || p.quoting.fence != waits { // or other code ends
		return peek.No
	}
	n, a := c.ends(p.buf[p.pos:], final)
	switch {
	case a != peek.Yes:
		return a
	case waits:
		p.thought.open, p.code = c.open, nil
		return peek.No
	}
	p.pos, p.code = p.pos+n, nil
	p.turnTo(false)
	return peek.Yes
}

func languageByte(c byte) bool {
	return c < 0x80 && peek.NameByte(c) && c != ':' && c != '/' || c == '+'
}

// moveTo skips the layout up to an offset.
func (p *Tolerant) moveTo(i int) {
	if bytes.IndexByte(p.buf[p.pos:i], '\n') >= 0 {
		p.blank, p.indent = true, 0
	}
	p.inWord = false
	p.pos = i
}

// callAt tells whether a call begins at pos.
func (p *Tolerant) callAt(final bool) peek.Answer {
	i, waits := p.pos, peek.No
	if p.plan.unopenedBytes[p.buf[i]] && p.startsWord(i) {
		if _, a := p.unopenedAt(i, final); a == peek.Yes {
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
	if _, a := p.unmarkedHere(p.buf[i:], final); a != peek.No {
		return a
	}
	return waits
}

// noneBehind tells whether no call follows at an offset: the turn ends there, or something else
// comes.
func (p *Tolerant) noneBehind(at int, final bool) peek.Answer {
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

// stepCode reads what is between the calls in code, and behind the last one.
func (p *Tolerant) stepCode(final bool) bool {
	c := p.code
	i := peek.SkipSpace(p.buf, p.pos)
	if i == len(p.buf) && i-p.pos <= peek.MaxGap {
		if final {
			p.closeCode(i)
		}
		return final
	}
	if i == len(p.buf) {
		p.giveCodeBack()
		return true
	}
	switch n, a := c.ends(p.buf[i:], final); {
	case !c.calls:
	case a == peek.Unknown:
		return false
	case a == peek.Yes:
		p.closeCode(i + n)
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
		p.giveCodeBack()
		return true
	}
	p.cursor = before
	return false
}

// ends tells whether text starts with the backticks that close the code, and how long they are.
// Backticks with a language behind them open other code.
func (c *codeFence) ends(text []byte, final bool) (int, peek.Answer) {
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

// closeCode removes the closing backticks, up to offset i, of code that held nothing but calls.
func (p *Tolerant) closeCode(i int) {
	if !p.code.calls {
		p.giveCodeBack()
		return
	}
	p.current().beside()
	p.moveTo(i)
	p.code = nil
}

// giveCodeBack sends the opener as text: the code holds something else than calls. If a thought in
// the code still waits, the opener leaves with that.
func (p *Tolerant) giveCodeBack() {
	c := p.code
	if c == nil || c.label && p.thought != nil {
		return
	}
	p.code = nil
	if !c.label {
		p.look(c.open)
	}
	p.put(p.current(), c.open)
}
