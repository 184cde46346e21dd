package parse

import (
	"bytes"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// Where a call may stand: the rule of doc.go.

// inline tells whether a call's object stands on the line of its name, though the family writes it on the next: a sentence may begin with
// the name of a tool.
func inline(s scan.Scanner, body []byte) bool {
	n, ok := s.(*scan.NamedScanner)
	return ok && n.Separator == "\n" && !bytes.Contains(body[:n.Head], []byte("\n"))
}

// stands tells whether markers of calls, of any family, are all around the region's calls.
func (r *region) stands() bool {
	switch s := r.scan.(type) {
	case *guestScanner:
		return s.proven()
	case *scan.TaggedScanner:
		return s.Whole() && !slices.ContainsFunc(s.Done, func(c declared.RawCall) bool { return !bytes.HasSuffix(c.Source, []byte(s.CallEnd)) })
	}
	return !r.unmarked
}

// followed tells whether what follows a region lets it be a call. One between markers is, wherever it stands; a bare object that began the
// turn is, too. In or after prose and in thinking a bare one must end the turn, the thinking, or stand before another call.
func (p *Text) followed(final bool) peek.Answer {
	r := p.region
	if r.Bare && r.first && !r.thinking && p.casing == nil {
		return peek.Yes
	}
	r.tail = peek.SkipSpace(p.buf, r.tail)
	if c := p.casing; c != nil && !r.uncased {
		n, a := c.ends(p.buf[r.tail:], final)
		switch {
		case a == peek.Unknown:
			return peek.Unknown
		case a == peek.Yes && r.first && !r.thinking:
			return peek.Yes
		case a == peek.Yes:
			r.uncased = true
			r.tail = peek.SkipSpace(p.buf, r.tail+n)
		}
	}
	if r.tail == len(p.buf) {
		return peek.AtLast(final)
	}
	if _, a := p.headAt(r.tail, final); r.Bare && a != peek.No {
		return a
	}
	_, alien := r.scan.(*guestScanner)
	if alien {
		if _, a := p.plan.guestAt(p.buf[r.tail:], final); a != peek.No {
			return a
		}
	}
	if r.Bare && p.buf[r.tail] == '<' {
		if a := p.plan.wrapped(p.buf[r.tail:], final); a != peek.No {
			return a
		}
	}
	m, a := p.markerAt(r.tail, final)
	within := a == peek.Yes && m.Role == format.RoleLayout && (alien || r.guest || p.plan.Inner[m.Text]) // a call, whose value this is
	if !r.thinking && r.stands() && a != peek.Unknown {
		return peek.Boolean(!within, peek.Yes)
	}
	return peek.Boolean(!within && (a != peek.Yes || m.Role != format.RoleStrip), a)
}
