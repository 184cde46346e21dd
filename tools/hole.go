package tools

import (
	"bytes"
	"strings"
)

// Some markers only begin a tag: <function= has a name behind it and then a bracket. Where such a tag is spelt out and begins no call, it
// leaves whole; where no name and no end follow, the marker leaves alone.

// maxHole is the longest name that leaves with its tag, attributes included.
const maxHole = 64

// hole is what ends the tag that one of the dialect's markers begins, "" if the marker is whole.
func (d *Dialect) hole(marker string) string {
	if !strings.HasSuffix(strings.TrimSuffix(marker, `"`), "=") {
		return ""
	}
	for _, c := range d.codecs {
		if t, ok := c.(taggedCodec); ok && marker == t.call.open {
			return tagClose(t.call.close)
		} else if ok && marker == t.arg.open {
			return tagClose(t.arg.close)
		}
	}
	return ">"
}

// stepHole reads what may be the rest of a tag, at pos.
func (p *tolerant) stepHole(final bool) bool {
	n, a := holeAt(p.buf[p.pos:], p.hole, final)
	if a == unknown {
		return false
	}
	p.pos += n
	p.hole = ""
	return true
}

// holeAt tells whether text begins with a name, perhaps with attributes, and the end of its tag, and how long these are.
func holeAt(text []byte, end string, final bool) (n int, a answer) {
	for n <= maxHole && n < len(text) {
		if a := hasPrefix(text[n:], end, final); a != no {
			return n + len(end), a
		}
		c := text[n]
		between := c == ' ' && n > 0 && strings.IndexByte(`"'`, text[n-1]) >= 0
		if !nameByte(c) && !between && bytes.IndexByte([]byte(`"'=$*{}`), c) < 0 {
			return 0, no
		}
		n++
	}
	return 0, boolean(!final && n <= maxHole, unknown)
}
