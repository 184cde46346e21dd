package tools

import (
	"bytes"
	"slices"
)

// Where a call may stand: the rule of doc.go.

// inline tells whether a call's object stands on the line of its name, though the family writes it on the next: a sentence may begin with
// the name of a tool.
func inline(s scanner, body []byte) bool {
	n, ok := s.(*namedScanner)
	return ok && n.separator == "\n" && !bytes.Contains(body[:n.head], []byte("\n"))
}

// stands tells whether markers of calls, of any family, are all around the region's calls.
func (r *region) stands() bool {
	switch s := r.scan.(type) {
	case *guestScanner:
		return s.proven()
	case *taggedScanner:
		return s.whole() && !slices.ContainsFunc(s.done, func(c rawCall) bool { return !bytes.HasSuffix(c.source, []byte(s.callEnd)) })
	}
	return !r.unmarked
}

// followed tells whether what follows a region lets it be a call. One between markers is, wherever it stands; a bare object that began the
// turn is, too. In or after prose and in thinking a bare one must end the turn, the thinking, or stand before another call.
func (p *tolerant) followed(final bool) answer {
	r := p.region
	if r.bare && r.first && !r.thinking && p.casing == nil {
		return yes
	}
	r.tail = skipSpace(p.buf, r.tail)
	if c := p.casing; c != nil && !r.uncased {
		n, a := c.ends(p.buf[r.tail:], final)
		switch {
		case a == unknown:
			return unknown
		case a == yes && r.first && !r.thinking:
			return yes
		case a == yes:
			r.uncased = true
			r.tail = skipSpace(p.buf, r.tail+n)
		}
	}
	if r.tail == len(p.buf) {
		return atLast(final)
	}
	if _, a := p.headAt(r.tail, final); r.bare && a != no {
		return a
	}
	_, alien := r.scan.(*guestScanner)
	if alien {
		if _, a := p.plan.guestAt(p.buf[r.tail:], final); a != no {
			return a
		}
	}
	if r.bare && p.buf[r.tail] == '<' {
		if a := p.plan.wrapped(p.buf[r.tail:], final); a != no {
			return a
		}
	}
	m, a := p.markerAt(r.tail, final)
	within := a == yes && m.role == roleLayout && (alien || r.guest || p.plan.inner[m.text]) // a call, whose value this is
	if !r.thinking && r.stands() && a != unknown {
		return boolean(!within, yes)
	}
	return boolean(!within && (a != yes || m.role != roleStrip), a)
}
