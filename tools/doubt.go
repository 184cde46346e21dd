package tools

import (
	"bytes"
	"slices"
)

// doubt tells whether the text goes on inside a string of a call that was none because its strings' ends were not known: other text stands
// on the line behind it. What looks like a call from there on may be quoted.
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
	case !isSpace(b):
		*d = inDoubt
	}
}

// doubtBehind is what is thought of the text behind a region that was none: where its own end was not found, it goes on.
func (p *tolerant) doubtBehind(text []byte) doubt {
	own := p.plan.closers[p.region.marker]
	if len(p.plan.dialect.labels) > 0 { // which stand in its strings as they do behind it
		return inDoubt
	}
	if len(own) > 0 && !slices.ContainsFunc(own, func(m string) bool { return bytes.HasSuffix(text, []byte(m)) }) {
		return inDoubt
	}
	return armed
}
