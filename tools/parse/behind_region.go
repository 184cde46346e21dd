package parse

import (
	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// followed tells whether what follows a region lets it be a call:
//   - between markers it is one wherever it stands, and so is a bare object that began the turn;
//   - a bare one in prose, behind prose or in thinking is one if it ends the turn or the thinking,
//     or if another call follows;
//   - in thinking it is none if a call begins behind the thinking: that one was meant.
func (p *Tolerant) followed(final bool) peek.Answer {
	r := p.region
	if r.Bare && r.first && !r.thinking && p.code == nil {
		return peek.Yes
	}
	var cut bool
	r.tail, cut = peek.SkipLayout(p.buf, r.tail, final)
	if c := p.code; c != nil && !r.pastCode {
		n, a := c.ends(p.buf[r.tail:], final)
		switch {
		case a == peek.Unknown:
			return peek.Unknown
		case a == peek.Yes && r.first && !r.thinking:
			return peek.Yes
		case a == peek.Yes:
			r.pastCode = true
			r.tail, cut = peek.SkipLayout(p.buf, r.tail+n, final)
		}
	}
	switch {
	case cut:
		return peek.Unknown
	case r.tail == len(p.buf):
		return peek.AtLast(final)
	}
	if _, a := p.unopenedAt(r.tail, final); r.Bare && a != peek.No {
		return a
	}
	_, other := r.scan.(*otherFamilyScanner)
	if _, a := p.plan.otherMarkerAt(p.buf[r.tail:], final); other && a != peek.No {
		return a
	}
	if d, _ := p.step(); (other || r.thinking) && p.code == nil || p.code != nil && r.first {
		// it was a step
		if _, _, a := scan.FirstLabel(d.Labels, p.buf[r.tail:], true, final); a != peek.No {
			return a
		}
	}
	m, a := p.markerAt(r.tail, final)
	if r.thinking && a == peek.Yes && m.Role == format.RoleThinkClose {
		return p.noneBehind(r.tail+len(m.Text), final)
	}
	// a call, whose value this is
	within := a == peek.Yes && m.Role == format.RoleLayout && (other || r.otherFamily || p.plan.Inner[m.Text])
	if !r.thinking && r.isMarked() && a != peek.Unknown {
		return peek.Boolean(!within, peek.Yes)
	}
	return peek.Boolean(!within && (a != peek.Yes || m.Role != format.RoleStrip), a)
}
