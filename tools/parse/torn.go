package parse

import (
	"maps"
	"slices"

	"tenon/tools/peek"
)

// tornAt tells whether the turn's end stands at offset i, and before it nothing but what tornCloser
// says is one, and removes that.
func (p *Text) tornAt(i int, final bool) peek.Answer {
	from := peek.SkipSpace(p.buf[:min(i, p.pos+peek.MaxGap)], p.pos)
	if i-from > p.plan.Longest || !p.tornCloser(p.buf[from:i]) {
		return peek.No
	}
	_, a := peek.AnyPrefix(p.buf[i:], p.plan.TurnEnds, final)
	if _, isSymbol := p.symbolAt(i); isSymbol && a != peek.Yes || p.asIs() {
		return peek.No
	}
	if a == peek.Yes {
		p.pass(from)
		p.pos = i
	}
	return a
}

// tornCloser tells whether text begins a marker that would have closed a call or ended the turn:
// the output was cut off inside it.
func (p *Text) tornCloser(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	d := p.plan.Dialect
	t, a := peek.AnyTag(text, slices.Concat(d.Closers(), d.Ends, slices.Collect(maps.Keys(p.plan.Inner))), false)
	return a == peek.Unknown || len(t) == len(text)
}
