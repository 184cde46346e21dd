package parse

import (
	"bytes"
	"slices"

	"tenon/tools/peek"
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
	case !peek.IsSpace(b):
		*d = inDoubt
	}
}

// doubtBehind is what is thought of the text behind a region that was none: where its own end was not found, it goes on.
func (p *Text) doubtBehind(text []byte) doubt {
	own := p.plan.Closers[p.region.Marker]
	if len(p.plan.Dialect.Labels) > 0 { // which stand in its strings as they do behind it
		return inDoubt
	}
	if len(own) > 0 && !slices.ContainsFunc(own, func(m string) bool { return bytes.HasSuffix(text, []byte(m)) }) {
		return inDoubt
	}
	return armed
}
