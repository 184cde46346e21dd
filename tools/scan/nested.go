package scan

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
)

// nestedCodec reads the calls of a nestedSyntax.
type nestedCodec struct{ format.Nested }

func (c nestedCodec) Starts(o Opening, body []byte, final bool) peek.Answer {
	if slices.Contains(c.Openers(), o.Marker) {
		return peek.Yes
	}
	i := peek.SkipSpace(body, 0)
	_, a := peek.AnyPrefix(body[i:], c.Openers(), final)
	return a
}

func (c nestedCodec) Scanner(o Opening) Scanner {
	s := &nestedScanner{nestedCodec: c, Opening: o}
	s.inName = o.Marker == c.Call.Open || o.Marker == c.Noise+c.Call.Open
	s.noisy = o.Marker != c.Call.Open
	return s
}

// nestedScanner finds the end of each call; the tree is built once the call is whole.
type nestedScanner struct {
	nestedCodec
	Opening
	place
	from   int // of the call
	inName bool
	inCall bool
	noisy  bool              // the call was opened with noise, and is closed so
	tags   declared.Elements // of the call
	inside element           // of its arguments that pos is in
	torn   bool              // the call holds something else than elements
	spans  []nestedSpan
}

// nestedSpan is where a call stands, from its name to behind its last element.
type nestedSpan struct {
	from, to int
	tags     declared.Elements
	err      error
}

// element is one that is open: nothing but its own end closes it, and that of those of its name
// inside.
type element struct {
	name  string
	depth int
}

func (s *nestedScanner) Whole() bool { return !s.inCall && len(s.spans) > 0 }

func (s *nestedScanner) Step(body []byte, final bool) Status {
	for s.pos < len(body) {
		if st, again := s.advance(body, final); !again {
			return st
		}
	}
	if !final {
		return Open
	}
	return s.leave(len(body))
}

func (s *nestedScanner) advance(body []byte, final bool) (Status, bool) {
	switch {
	case s.inName:
		return s.name(body, final)
	case s.inside.depth > 0:
		return Open, s.element(body, final)
	case peek.IsSpace(body[s.pos]):
		s.pos++
		return Open, true
	case s.inCall:
		return Open, s.within(body, final)
	}
	return s.between(body, final)
}

// within reads what stands between the elements of a call. It says whether there is more to read.
func (s *nestedScanner) within(body []byte, final bool) bool {
	rest := body[s.pos:]
	ends := []string{s.Noise + s.CallEnd}
	if !s.noisy || s.tags.Open && s.tags.Noise == "" {
		ends = append(ends, s.CallEnd)
	}
	switch t, a := peek.AnyPrefix(rest, ends, final); a {
	case peek.Yes:
		s.finish(s.pos + len(t))
		return true
	case peek.Unknown:
		return false
	}
	if !s.tags.Open {
		switch peek.Prefix(rest, s.Noise+"<", final) {
		case peek.Yes:
			s.tags = declared.Elements{Noise: s.Noise, Open: true}
		case peek.Unknown:
			return false
		case peek.No:
			s.tags = declared.Elements{Open: rest[0] == '<'}
		}
	}
	name, n, a := s.tags.Tag(rest, final)
	if a == peek.Yes {
		s.inside = element{name, 1}
		s.pos += n
		return true
	}
	if a == peek.Unknown {
		return false
	}
	switch _, a := s.Plan.Terminators.At(rest, final); a {
	case peek.Yes:
		s.finish(s.pos) // its own end is missing
		return true
	case peek.Unknown:
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
	start := s.tags.Noise + "<"
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
	t, a := peek.AnyPrefix(body[s.pos:], tags, final)
	switch {
	case a == peek.Unknown:
		return false
	case a == peek.Yes && t == tags[0]:
		e.depth++
	case a == peek.Yes:
		e.depth--
	}
	s.pos += max(len(t), len(start))
	return true
}

func (s *nestedScanner) name(body []byte, final bool) (Status, bool) {
	n := bytes.IndexByte(body[s.pos:], '>')
	if n < 0 {
		if final || len(body)-s.pos > peek.MaxTag {
			return s.leave(s.from), false
		}
		return Open, false
	}
	if _, ok := s.Plan.Resolve(Attribute(string(body[s.pos : s.pos+n]))); !ok {
		return s.leave(s.from), false
	}
	s.from = s.pos
	s.pos += n + 1
	s.inName, s.inCall, s.tags = false, true, declared.Elements{}
	return Open, true
}

func (s *nestedScanner) between(body []byte, final bool) (Status, bool) {
	rest := body[s.pos:]
	t, a := peek.AnyPrefix(rest, s.Openers(), final)
	if a == peek.Yes {
		s.noisy = t != s.Call.Open
		s.from = s.pos
		s.pos += len(t)
		s.inName = true
		return Open, true
	}
	own, b := peek.AnyPrefix(rest, s.Plan.Closers[s.Marker], final)
	switch {
	case a == peek.Unknown || b == peek.Unknown:
		return Open, false
	case b == peek.Yes:
		return s.leave(s.pos + len(own)), false
	}
	return s.leave(s.pos), false
}

func (s *nestedScanner) leave(i int) Status {
	s.stop = i
	if len(s.spans) == 0 && !s.inCall {
		return Rejected
	}
	return Ended
}

func (s *nestedScanner) Calls(body []byte) ([]declared.RawCall, error) {
	all := make([]declared.RawCall, len(s.spans), len(s.spans)+1)
	for i, at := range s.spans {
		head, tree, _ := strings.Cut(string(body[at.from:at.to]), ">")
		name := Attribute(head)
		m, _ := s.Plan.Resolve(name)
		all[i] = declared.RawCall{Name: name, Source: body[at.from:at.to], Args: s.Plan.Tools[m.Tool].Nested(at.tags, tree), Untyped: true, Err: at.err}
	}
	if s.inCall {
		all = append(all, declared.RawCall{Source: body[s.from:s.stop], Err: ErrUnclosedCall})
	}
	return all, nil
}

var (
	ErrUnclosedCall = errors.New("a call is never closed")
	errNoElement    = errors.New("something else stands between its arguments")
)
