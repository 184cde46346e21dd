package parse

import "tenon/tools/peek"

// cutOffMarkerAt removes a marker at offset i inside of which the output was cut off. It would
// have closed a call or ended the turn. Only white space is before it.
func (p *Tolerant) cutOffMarkerAt(i int, final bool) peek.Answer {
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
