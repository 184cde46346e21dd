package parse

import "tenon/tools/peek"

// A call is rejected as text when the ends of its strings are ambiguous. The text behind it may
// then still be inside one of these strings, and what looks like a call in there is data.

// suspicion tells whether the text behind a rejected call may be inside one of its strings. It is
// where other text follows on the same line.
type suspicion uint8

const (
	unsuspected suspicion = iota
	undecided             // so far only white space and markers followed the call
	suspected
)

// take updates the suspicion by a byte of text.
func (s *suspicion) take(b byte) {
	switch {
	case *s != undecided:
	case b == '\n':
		*s = unsuspected
	case !peek.IsSpace(b):
		*s = suspected
	}
}

// suspicionBehind is the suspicion that a rejected region leaves. Without its closing marker, the
// text certainly goes on.
func (p *Tolerant) suspicionBehind(text []byte) suspicion {
	own := p.plan.Closers[p.region.Marker]
	if len(p.plan.Dialect.Labels) > 0 { // a label in a string looks like one behind it
		return suspected
	}
	if len(own) > 0 && !peek.EndsWithTag(text, own) {
		return suspected
	}
	return undecided
}
