package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
)

// reactReader reads the calls of a format.ReAct.
type reactReader struct{ format.ReAct }

// Starts is false for an object, also in code: that is the whole call.
func (c reactReader) Starts(_ Opening, body []byte, final bool) peek.Answer {
	from := peek.SkipSpace(body, 0)
	i := from
	if body[i] == '`' {
		n, a := fence(body[i:], final)
		i = peek.SkipSpace(body, i+n)
		if a == peek.Unknown || i == len(body) && !final && i-from <= peek.MaxGap {
			return peek.Unknown
		}
	}
	return peek.Boolean(i == len(body) || body[i] != '{', peek.Yes)
}

func (c reactReader) Scanner(o Opening) Scanner {
	s := &reactScanner{reactReader: c, JSONScanner: *newJSONScanner(o, nil)}
	s.take, s.after, s.label = s.object, []string{callCloser}, s.labelNext
	s.next = append([]format.Label{{Text: c.Action}}, o.Plan.Dialect.Labels...)
	s.next = slices.DeleteFunc(s.next, func(l format.Label) bool { return l.Kind == format.LabelInput })
	return s
}

// reactScanner reads the name's line, the label of the arguments, and the arguments: an object, or
// text up to the next label for a tool with one string.
type reactScanner struct {
	reactReader
	JSONScanner // of the object
	named       bool
	labels      Labels
	labelled    bool           // they are a step's, though nothing is called
	next        []format.Label // that may follow the arguments
	from        int            // of the arguments; 0 before they begin
	inJSON      bool
	// what closes the code around the text, or the arguments as of a function
	closer string
	tail   textEnd
	behind int  // how far behind the arguments it ends
	done   bool // the arguments are all there
	// unquoted: no string with an object in it stands at the position.
	unquoted bool
	call     *declared.RawCall // where the line of the name is a whole call
	prose    bool              // it is a line of a text
}

func (s *reactScanner) End() int { return s.stop + s.behind }

func (s *reactScanner) Whole() bool { return s.done || s.inJSON && s.JSONScanner.Whole() }

// Called tells whether a tool has been named that can be called, and its arguments have begun.
func (s *reactScanner) Called() bool { return s.from > 0 }

// Prose tells whether what looks like a step is a line of a text.
func (s *reactScanner) Prose() bool { return s.prose }

func (s *reactScanner) Step(body []byte, final bool) Status {
	if !s.named {
		if st := s.name(body, final); !s.named {
			return st
		}
	}
	if s.from == 0 {
		if st := s.argumentsLabel(body, final); s.from == 0 {
			return st
		}
	}
	if s.inJSON && !s.done {
		st := s.JSONScanner.Step(body, final)
		if st == Ended && final && s.cutLabel(bytes.TrimSpace(body[s.stop:])) {
			s.behind = len(body) - s.stop
		}
		if s.done = st == Ended && s.closer == callCloser && s.JSONScanner.Whole(); !s.done {
			return st
		}
	}
	if !s.done {
		if st := s.line(body, final); st != Ended {
			return st
		}
	}
	return s.close(body, final)
}

// callCloser ends arguments that stand as in a call of a function.
const callCloser = ")"

// close takes the end of what stands around the arguments along.
func (s *reactScanner) close(body []byte, final bool) Status {
	if s.closer == "" || !s.done {
		return Ended
	}
	i := peek.SkipSpace(body, s.stop)
	a := peek.Prefix(body[i:], s.closer, final)
	switch {
	case a == peek.Yes:
		s.behind = i + len(s.closer) - s.stop
	case a == peek.Unknown && i-s.stop <= peek.MaxGap:
		return Open
	}
	return Ended
}

// name reads the rest of the action's line.
func (s *reactScanner) name(body []byte, final bool) Status {
	s.pos = peek.SkipSpace(body, 0)
	switch _, _, a := FirstLabel(s.next, body[s.pos:], s.Loose, final); {
	case a == peek.Unknown && s.pos < len(body):
		return Open
	case a == peek.Yes:
		s.pos = 0 // no name stands before the next label
		return s.reject(body, nil, final)
	}
	n := bytes.IndexByte(body[s.pos:], '\n')
	if n < 0 {
		if !final {
			return boundedName(len(body) - s.pos)
		}
		n = len(body) - s.pos
	}
	line := body[s.pos : s.pos+n]
	for _, end := range s.Plan.Terminators.All {
		line = bytes.TrimSuffix(bytes.TrimRight(line, " \t\r"), []byte(end))
	}
	whole := line
	n = len(line)
	if i := bytes.IndexByte(line, '('); i > 0 && bytes.HasPrefix(bytes.TrimSpace(line[i+1:]), []byte("{")) {
		// the arguments stand as in a call of a function
		line, n, s.closer = line[:i], i+1, callCloser
	}
	if i := bytes.Index(bytes.ToLower(line), []byte(strings.ToLower(strings.TrimSuffix(s.Input, ":")))); i > 0 && len(bytes.ToLower(line)) == len(line) {
		whole = bytes.TrimRight(line[:i], " #"+Bold) // both labels stand on one line
		line, n = bytes.TrimRight(whole, " ,;.-"), len(whole)
	} else if i := bytes.IndexByte(line, '{'); i > 0 && s.Plan.CallableName(bytes.TrimRight(line[:i], " :")) {
		// the label of the arguments is missing
		line, n = bytes.TrimRight(line[:i], " :"), i
	}
	if s.asCall(line, s.pos) {
		return Open
	}
	name, args := strings.CutSuffix(strings.Trim(string(line), aroundName), "()")
	s.Name = name
	if _, ok := s.Plan.Resolve(s.Name); !ok {
		return s.reject(body, whole, final)
	}
	if args {
		s.Proof++
	}
	s.pos += n
	s.named = true
	return Open
}

// aroundName may stand around a name, and is none of it.
const aroundName = peek.ByteOrderMark + " \t\r[]*`\"'"

func boundedName(n int) Status {
	if n > peek.MaxTag {
		return Rejected
	}
	return Open
}

// argumentsLabel finds where the arguments begin. Models write the label in many ways; without
// one, an object on the next line counts.
func (s *reactScanner) argumentsLabel(body []byte, final bool) Status {
	i, cut := peek.SkipLayout(body, s.pos, final)
	rest := body[i:]
	if cut {
		return Open
	}
	if len(rest) == 0 {
		if !final {
			return Open
		}
		s.stop = len(body)
		return Ended
	}
	n, a := s.inputAt(rest, final)
	switch {
	case a == peek.Unknown:
		return Open
	case a == peek.Yes:
		s.inputLabel(body, s.pos, i, n)
		j, cut := peek.SkipLayout(body, i+n, final)
		if cut || j == len(body) && !final {
			return Open
		}
		return s.begin(body, j, final)
	case n > 0: // its word is another's
		s.prose, s.stop = true, s.pos
		return Ended
	}
	if rest[0] == '{' || rest[0] == '`' {
		return s.begin(body, i, final)
	}
	if s.Proof < enough {
		switch s.stepEnds(rest, final) {
		case peek.Unknown:
			return Open
		case peek.No:
			s.prose = true
		}
	}
	s.stop = s.pos
	return Ended
}

// stepEnds tells whether what follows a step leaves it one: a label, or what no text begins with.
func (s *reactScanner) stepEnds(rest []byte, final bool) peek.Answer {
	_, marker := s.Plan.Markers.At(rest, final)
	answers := []peek.Answer{marker, s.labelNext(rest, final), s.Plan.Terminators.Tag(rest, final)}
	if s.InCode {
		answers = append(answers, peek.Prefix(rest, format.FenceMark, final))
	}
	switch {
	case slices.Contains(answers, peek.Yes):
		return peek.Yes
	case slices.Contains(answers, peek.Unknown):
		return peek.Unknown
	}
	return peek.No
}

func (s *reactScanner) begin(body []byte, i int, final bool) Status {
	s.pos = i
	if i < len(body) && body[i] == '`' {
		n, a := fence(body[i:], final)
		j := peek.SkipSpace(body, i+n)
		if a == peek.Unknown || j == len(body) && !final {
			return Open
		}
		if object := j < len(body) && body[j] == '{'; object || n >= len(format.FenceMark) {
			i = s.opened(body, i, n, j)
		}
	}
	s.from = max(i, 1)
	if s.inJSON = i < len(body) && body[i] == '{'; !s.inJSON {
		s.pos = i
	}
	s.tail.line = s.from
	return Open
}

func (s *reactScanner) Calls(body []byte) ([]declared.RawCall, error) {
	if s.call != nil {
		s.call.Source = body[:s.stop]
		return []declared.RawCall{*s.call}, nil
	}
	if s.inJSON {
		// else it may have gone on inside a string
		if bytes.IndexByte(body[s.ambiguousAt:s.stop], '"') < 0 {
			s.endAtAmbiguity(body)
		}
		return s.object(body[:s.text])
	}
	c := declared.RawCall{Name: s.Name, Source: body[:s.stop], Args: []byte("{}")}
	if s.from > 0 {
		value, whole := s.value(body)
		if !whole {
			return nil, ErrUnclosedCall
		}
		if t := s.tool(); !meansNothing(t, value) {
			c.Args = value
			t.ReadLine(&c)
		}
	}
	return []declared.RawCall{c}, nil
}

// object reads the one object of arguments.
func (s *reactScanner) object(body []byte) ([]declared.RawCall, error) {
	args, repairs, err := s.arguments(body[s.from:], s.unfenced(body[s.from:]), s.values.Rules, s.ambiguous, true)
	if err != nil {
		return nil, err
	}
	return []declared.RawCall{{Name: s.Name, Args: args, Repairs: repairs, Source: body}}, nil
}
