package tools

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// nestedCodec reads calls whose arguments are XML all the way down: <k>v</k> for a member, <item> for an array's items.
// noise stands before every tag and says nothing.
type nestedCodec struct {
	noise   string
	call    span // around the name
	callEnd string
}

func (c nestedCodec) openers() []string { return []string{c.noise + c.call.open, c.call.open} }
func (c nestedCodec) inner() []string   { return []string{c.noise + c.callEnd, c.callEnd, c.noise} }

func (c nestedCodec) starts(o opening, body []byte, final bool) answer {
	if slices.Contains(c.openers(), o.marker) {
		return yes
	}
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	_, a := anyPrefix(body[i:], c.openers(), final)
	return a
}

func (c nestedCodec) scanner(o opening) scanner {
	s := &nestedScanner{nestedCodec: c, opening: o}
	s.inName = o.marker == c.call.open || o.marker == c.noise+c.call.open
	s.noisy = o.marker != c.call.open
	return s
}

// nestedScanner finds the end of each call; the tree is built once the call is whole.
type nestedScanner struct {
	nestedCodec
	opening
	pos    int
	from   int // of the call
	inName bool
	inCall bool
	noisy  bool     // the call was opened with noise, and is closed so
	tags   elements // of the call
	inside element  // of its arguments that pos is in
	torn   bool     // the call holds something else than elements
	spans  []nestedSpan
	stop   int
}

// nestedSpan is where a call stands, from its name to behind its last element.
type nestedSpan struct {
	from, to int
	tags     elements
	err      error
}

// element is one that is open: nothing but its own end closes it, and that of those of its name inside.
type element struct {
	name  string
	depth int
}

func (s *nestedScanner) end() int     { return s.stop }
func (s *nestedScanner) soft() int    { return 0 }
func (s *nestedScanner) reached() int { return s.pos }
func (s *nestedScanner) whole() bool  { return !s.inCall && len(s.spans) > 0 }

func (s *nestedScanner) step(body []byte, final bool) status {
	for s.pos < len(body) {
		if st, again := s.advance(body, final); !again {
			return st
		}
	}
	if !final {
		return open
	}
	return s.leave(len(body))
}

func (s *nestedScanner) advance(body []byte, final bool) (status, bool) {
	switch {
	case s.inName:
		return s.name(body, final)
	case s.inside.depth > 0:
		return open, s.element(body, final)
	case isSpace(body[s.pos]):
		s.pos++
		return open, true
	case s.inCall:
		return open, s.within(body, final)
	}
	return s.between(body, final)
}

// within reads what stands between the elements of a call. It says whether there is more to read.
func (s *nestedScanner) within(body []byte, final bool) bool {
	rest := body[s.pos:]
	ends := []string{s.noise + s.callEnd}
	if !s.noisy || s.tags.open && s.tags.noise == "" {
		ends = append(ends, s.callEnd)
	}
	switch t, a := anyPrefix(rest, ends, final); a {
	case yes:
		s.finish(s.pos + len(t))
		return true
	case unknown:
		return false
	}
	if !s.tags.open {
		switch hasPrefix(rest, s.noise+"<", final) {
		case yes:
			s.tags = elements{s.noise, true}
		case unknown:
			return false
		case no:
			s.tags = elements{"", rest[0] == '<'}
		}
	}
	name, n, a := s.tags.tag(rest, final)
	if a == yes {
		s.inside = element{name, 1}
		s.pos += n
		return true
	}
	if a == unknown {
		return false
	}
	switch _, a := anyPrefix(rest, s.plan.terminators, final); a {
	case yes:
		s.finish(s.pos) // its own end is missing
		return true
	case unknown:
		return false
	}
	s.torn = true
	s.pos++
	return true
}

// finish ends the call, whose last element or closing tag ends at offset i.
func (s *nestedScanner) finish(i int) {
	span := nestedSpan{s.from, s.pos, s.tags, nil}
	if s.torn {
		span.err = errNoElement
	}
	s.spans = append(s.spans, span)
	s.pos, s.inCall, s.torn = i, false, false
}

// element reads on in an element of a call's arguments. It says whether there is more to read.
func (s *nestedScanner) element(body []byte, final bool) bool {
	start := s.tags.noise + "<"
	n := bytes.Index(body[s.pos:], []byte(start))
	if n < 0 {
		s.pos = max(s.pos, len(body)-len(start)+1)
		if final {
			s.pos = len(body)
		}
		return final
	}
	s.pos += n
	e := &s.inside
	tags := []string{start + e.name + ">", start + "/" + e.name + ">"}
	t, a := anyPrefix(body[s.pos:], tags, final)
	switch {
	case a == unknown:
		return false
	case a == yes && t == tags[0]:
		e.depth++
	case a == yes:
		e.depth--
	}
	s.pos += max(len(t), len(start))
	return true
}

func (s *nestedScanner) name(body []byte, final bool) (status, bool) {
	n := bytes.IndexByte(body[s.pos:], '>')
	if n < 0 {
		if final || len(body)-s.pos > maxTag {
			return s.leave(s.from), false
		}
		return open, false
	}
	if _, ok := s.plan.resolve(attribute(string(body[s.pos : s.pos+n]))); !ok {
		return s.leave(s.from), false
	}
	s.from = s.pos
	s.pos += n + 1
	s.inName, s.inCall, s.tags = false, true, elements{}
	return open, true
}

func (s *nestedScanner) between(body []byte, final bool) (status, bool) {
	rest := body[s.pos:]
	t, a := anyPrefix(rest, s.openers(), final)
	if a == yes {
		s.noisy = t != s.call.open
		s.from = s.pos
		s.pos += len(t)
		s.inName = true
		return open, true
	}
	own, b := anyPrefix(rest, s.plan.closers[s.marker], final)
	switch {
	case a == unknown || b == unknown:
		return open, false
	case b == yes:
		return s.leave(s.pos + len(own)), false
	}
	return s.leave(s.pos), false
}

func (s *nestedScanner) leave(i int) status {
	s.stop = i
	if len(s.spans) == 0 && !s.inCall {
		return rejected
	}
	return ended
}

func (s *nestedScanner) calls(body []byte) ([]rawCall, error) {
	all := make([]rawCall, len(s.spans), len(s.spans)+1)
	for i, at := range s.spans {
		head, tree, _ := strings.Cut(string(body[at.from:at.to]), ">")
		name := attribute(head)
		m, _ := s.plan.resolve(name)
		all[i] = rawCall{name: name, source: body[at.from:at.to], args: s.plan.tools[m.tool].nested(at.tags, tree), untyped: true, err: at.err}
	}
	if s.inCall {
		all = append(all, rawCall{source: body[s.from:s.stop], err: errUnclosedCall})
	}
	return all, nil
}

var (
	errUnclosedCall = errors.New("a call is never closed")
	errNoElement    = errors.New("something else stands between its arguments")
)
