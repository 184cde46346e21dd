package parse

import (
	"bytes"
	"strings"

	"tenon/tools/peek"
)

// Some markers are the beginning of a tag: behind <function= come a name and a bracket. Where such
// a marker begins no call, the whole tag is removed; where no name and no bracket follow, the
// marker alone is.

// maxTag is the longest rest of a tag that is removed: a name, with attributes.
const maxTag = 64

// stepTag removes the rest of a tag at pos, if it is one.
func (p *Tolerant) stepTag(final bool) bool {
	n, a := tagEndAt(p.buf[p.pos:], p.tagEnd, final)
	if a == peek.Unknown {
		return false
	}
	p.pos += n
	p.tagEnd = ""
	return true
}

// tagEndAt tells whether text starts with the rest of a tag, a name and perhaps attributes, and
// how long that is with its end.
func tagEndAt(text []byte, end string, final bool) (n int, a peek.Answer) {
	for n <= maxTag && n < len(text) {
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
	return 0, peek.Boolean(!final && n <= maxTag, peek.Unknown)
}
