package tools

import "bytes"

// Models put calls in code: between fences, or between backticks on a line. Code that holds nothing but calls is their casing and goes
// with them. Other code is text, and stays; the calls in it are calls all the same.

// casing is code that is open and of which nothing but calls has come. What opens it is kept back until it has been told from text.
type casing struct {
	open  []byte
	ticks int     // in front of it, and behind
	to    *stream // where it would be text
	calls bool    // one has come
}

// maxCasing bounds what stands between the backticks and the call: a language and white space.
const maxCasing = 32

// encase tells whether code opens at pos that begins with a call, and opens it if so.
func (p *tolerant) encase(final bool) answer {
	if p.casing != nil || p.quoting.run > 0 || p.quoting.fence || p.quoting.inline {
		return no
	}
	text := p.buf[p.pos:min(len(p.buf), p.pos+maxCasing)]
	ticks := 0
	for ticks < len(text) && text[ticks] == '`' {
		ticks++
	}
	a := p.encaseAt(skipSpace(text, ticks), ticks, final)
	if a == no && ticks >= len(fenceMark) { // a word on the line is the language
		n := ticks
		for n < len(text) && (text[n] == ' ' || languageByte(text[n])) {
			n++
		}
		a = p.encaseAt(skipSpace(text, n), ticks, final)
	}
	return a
}

// encaseAt tells whether a call begins n bytes behind pos, where some backticks stand, and opens the code before it.
func (p *tolerant) encaseAt(n, ticks int, final bool) answer {
	switch {
	case n == maxCasing:
		return no
	case p.pos+n == len(p.buf):
		return boolean(!final, unknown)
	}
	open, before := bytes.Clone(p.buf[p.pos:p.pos+n]), p.cursor
	p.moveTo(p.pos + n)
	if a := p.callAt(final); a != yes {
		p.cursor = before
		return a
	}
	p.casing = &casing{open: open, ticks: ticks, to: p.current()}
	return yes
}

func languageByte(c byte) bool {
	return c < 0x80 && nameByte(c) && c != ':' && c != '/' || c == '+'
}

// moveTo goes on to an offset over layout.
func (p *tolerant) moveTo(i int) {
	if bytes.IndexByte(p.buf[p.pos:i], '\n') >= 0 {
		p.blank, p.indent = true, 0
	}
	p.inWord = false
	p.pos = i
}

// callAt tells whether what begins calls stands at pos.
func (p *tolerant) callAt(final bool) answer {
	i, waits := p.pos, no
	if p.plan.headBytes[p.buf[i]] && p.startsWord(i) {
		if _, a := p.headAt(i, final); a == yes {
			return yes
		} else if a == unknown {
			waits = unknown
		}
	}
	switch m, a := p.markerAt(i, final); {
	case a == yes:
		d := p.plan.dialect
		return boolean(m.role == roleCall || m.role == roleHeader || m.role == roleLayout && m.text == d.section.open, yes)
	case a == unknown:
		waits = unknown
	}
	if _, a := p.cueHere(p.buf[i:], final); a != no {
		return a
	}
	return waits
}

// stepCasing reads what stands between the calls in code, and behind the last.
func (p *tolerant) stepCasing(final bool) bool {
	c := p.casing
	i := skipSpace(p.buf, p.pos)
	if i == len(p.buf) && i-p.pos <= maxGap {
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
	case a == unknown:
		return false
	case a == yes:
		p.closeCasing(i + n)
		return true
	}
	before := p.cursor
	p.moveTo(i)
	a := p.callAt(final)
	if m, b := p.markerAt(i, final); a == no && b == yes { // what closes a section, or ends the turn
		a = boolean(m.role == roleLayout || m.role == roleEnd || m.role == roleStrip, yes)
	}
	switch a {
	case yes:
		return p.stepText(final)
	case no:
		p.cursor = before
		p.uncase()
		return true
	}
	p.cursor = before
	return false
}

// ends tells whether what closes the code stands at the start of text, and how long it is. Where a language stands behind it, other code
// opens.
func (c *casing) ends(text []byte, final bool) (int, answer) {
	n := 0
	for n < len(text) && text[n] == '`' {
		n++
	}
	switch {
	case n == len(text) && !final:
		return 0, boolean(n > 0, unknown)
	case n < c.ticks, c.ticks < len(fenceMark) && n != c.ticks, c.ticks >= len(fenceMark) && n < len(text) && wordByte(text[n]):
		return 0, no
	}
	return n, yes
}

// closeCasing forgets code that held nothing but calls, which ends at offset i.
func (p *tolerant) closeCasing(i int) {
	if !p.casing.calls {
		p.uncase()
		return
	}
	p.casing.to.beside()
	p.moveTo(i)
	p.casing = nil
}

// uncase gives back what opened the code: it holds something else.
func (p *tolerant) uncase() {
	if c := p.casing; c != nil {
		p.casing = nil
		p.look(c.open)
		p.write(c.to, c.open)
	}
}
