package parse

import (
	"bytes"
	"strings"

	"tenon/tools/peek"
)

// Some markers only begin a tag: <function= has a name behind it and then a bracket. Where such a tag is spelt out and begins no call, it
// leaves whole; where no name and no end follow, the marker leaves alone.

// maxHole is the longest name that leaves with its tag, attributes included.
const maxHole = 64

// stepHole reads what may be the rest of a tag, at pos.
func (p *Text) stepHole(final bool) bool {
	n, a := holeAt(p.buf[p.pos:], p.hole, final)
	if a == peek.Unknown {
		return false
	}
	p.pos += n
	p.hole = ""
	return true
}

// holeAt tells whether text begins with a name, perhaps with attributes, and the end of its tag, and how long these are.
func holeAt(text []byte, end string, final bool) (n int, a peek.Answer) {
	for n <= maxHole && n < len(text) {
		if a := peek.Prefix(text[n:], end, final); a != peek.No {
			return n + len(end), a
		}
		c := text[n]
		between := c == ' ' && n > 0 && strings.IndexByte(`"'`, text[n-1]) >= 0
		if !peek.NameByte(c) && !between && bytes.IndexByte([]byte(`"'=$*{}`), c) < 0 {
			return 0, peek.No
		}
		n++
	}
	return 0, peek.Boolean(!final && n <= maxHole, peek.Unknown)
}
