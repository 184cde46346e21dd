package parse

import (
	"bytes"
)

// stepRouting reads the routing thought: the turn's first line. It says whether there is more to decide.
func (p *Text) stepRouting() bool {
	n := bytes.IndexByte(p.buf[p.pos:], '\n')
	if n < 0 {
		p.pass(len(p.buf))
		return false
	}
	p.pass(p.pos + n)
	p.pos++
	p.routing, p.inWord = false, false
	p.think(false)
	return true
}
