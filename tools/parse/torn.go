package parse

import "tenon/tools/peek"

// tornAt tells whether a marker that would have closed a call or ended the turn begins at offset
// i, with nothing but white space before it, and the output was cut off inside it; it removes
// that.
func (p *Text) tornAt(i int, final bool) peek.Answer {
	if i-p.pos > peek.MaxGap || peek.SkipSpace(p.buf[:i], p.pos) < i || p.asIs() {
		return peek.No
	}
	n, a := peek.CutOff(p.buf[i:], p.plan.Behind, &p.plan.TurnEnds, final)
	if a == peek.Yes {
		p.pass(i)
		p.pos = i + n
	}
	return a
}
