package scan

import (
	"errors"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// taggedReader reads the calls of a format.Tagged, or of a format.Nested: its arguments are
// elements of their names, with noise before their tags.
type taggedReader struct {
	format.Tagged
	nested bool
	noise  string
}

// noisy are some texts, and the same behind the noise.
func (c taggedReader) noisy(all []string) []string {
	if c.noise == "" {
		return all
	}
	for _, t := range all[:len(all):len(all)] {
		all = append(all, c.noise+t)
	}
	return all
}

func (c taggedReader) Starts(o Opening, body []byte, final bool) peek.Answer {
	if o.Marker != "" && strings.TrimPrefix(o.Marker, c.noise) == c.Call.Open {
		return peek.Yes
	}
	i := peek.SkipSpace(body, 0)
	if c.nested {
		_, a := peek.AnyPrefix(body[i:], c.noisy([]string{c.Call.Open}), final)
		return a
	}
	if c.NameFirst {
		return peek.Boolean(body[i] != '{' && body[i] != '[' && body[i] != '<' && body[i] != '`', peek.Yes)
	}
	tag, _ := strings.CutSuffix(format.TagOpen(c.Call.Open), "=")
	if a := peek.Prefix(body[i:], tag, final); a != peek.Yes {
		return a
	}
	_, a := peek.AnyPrefix(body[i:], format.TagOpens(c.Call.Open), final)
	return a
}

func (c taggedReader) Scanner(o Opening) Scanner {
	opened := strings.TrimPrefix(o.Marker, c.noise) == c.Call.Open
	s := &taggedScanner{taggedReader: c, Opening: o, callOpens: c.noisy(format.TagOpens(c.Call.Open)), argOpens: format.TagOpens(c.Arg.Open)}
	for _, b := range []byte("<[\n" + c.noise[:min(1, len(c.noise))]) {
		s.stops.Add(b)
	}
	s.argEnds = []string{c.ArgEnd}
	if c.Value != "" {
		s.argEnds = append(s.argEnds, c.Arg.Close)
	}
	d := o.Plan.Dialect
	callEnds := d.Bare(c.noisy([]string{c.CallEnd}))
	s.inside = slices.Concat(s.argOpens, callEnds)
	s.closing = slices.Concat(callEnds, d.Bare(d.Closers()))
	s.follow = slices.Concat(s.argOpens, s.closing)
	s.around = slices.Concat(d.Spellings(d.Section.Open), d.Spellings(d.Call.Open))
	s.nests = s.callOpens
	if c.NameFirst {
		s.nests = d.Spellings(d.Opener())
	}
	if c.NameFirst || opened {
		s.state = inName
	}
	return s
}

type taggedState uint8

const (
	beforeCall taggedState = iota
	inName
	inCall
	inKey
	beforeValue
	inValue
	inJSON    // one object of arguments instead of tags
	afterCall // another call or the end
)

// taggedScanner reads a region tag by tag.
type taggedScanner struct {
	taggedReader
	Opening
	place
	state   taggedState
	from    int // of the name, key or value that pos is in
	callAt  int
	called  int // where the last call ended
	tool    *declared.Tool
	current declared.RawCall
	field   declared.Field
	// what closes the argument that is read, if it stands in an element of its name
	element string
	ends    []string // the same, as it may be written
	argEnds []string // of one that stands between tags: it may be closed as keys are
	passed  bool     // what the value starts with has been looked at
	// unstructured: no list or object stands at the value's start, or it has been passed.
	unstructured bool
	inner        nesting // calls inside the value
	last         tag     // that the value was found to hold
	lastSize     int
	ahead        outlook // at what follows what may be the call's end
	ambiguous    bool    // which tag ends the call cannot be told
	json         lenient.Scanner
	done         []declared.RawCall
	follow       []string // what may stand behind an argument, or the name of a call
	inside       []string // and inside a call
	// callOpens and argOpens are the ways in which a call's and an argument's tag may begin.
	callOpens, argOpens []string
	closing             []string   // the call, or what stands around it
	nests               []string   // begins a call where a value is read
	around              []string   // begins a call, or a section of them, before its name
	stops               peek.Bytes // at which a value may end
	short               bool       // the last call has no end
}

// Whole implements Scanner.
func (s *taggedScanner) Whole() bool { return s.state == afterCall && !s.short }

// Called tells whether a tool has been named that can be called, and one of its arguments.
func (s *taggedScanner) Called() bool {
	begun := s.state == inJSON || s.state == inValue && s.tool.Schema.Declares(s.field.Key)
	return begun || len(s.done) > 0 || len(s.current.Fields) > 0 || s.current.Args != nil
}

// Marked tells whether each call has its closing tag.
func (s *taggedScanner) Marked() bool {
	return s.Whole() && !slices.ContainsFunc(s.done, func(c declared.RawCall) bool {
		return s.CallEnd != "" && !peek.EndsWithTag(c.Source, []string{s.CallEnd})
	})
}

// BrokenElement tells whether the region is an element with a tool's name that is not complete.
func (s *taggedScanner) BrokenElement() bool { return s.Named != "" && !s.Marked() }

var errUnclosedValue = errors.New("an argument is never closed")

// Calls implements Scanner.
func (s *taggedScanner) Calls(body []byte) ([]declared.RawCall, error) {
	switch {
	case s.state == afterCall:
		return s.done, nil
	case len(s.done) == 0:
		return nil, errUnclosedValue
	}
	return append(s.done, declared.RawCall{Source: body[s.callAt:s.stop], Err: errUnclosedValue}), nil
}

// Step implements Scanner.
func (s *taggedScanner) Step(body []byte, final bool) Status {
	for {
		st, again := s.advance(body, final)
		if !again {
			return st
		}
	}
}

// advance makes one step. again says that there may be more to read.
func (s *taggedScanner) advance(body []byte, final bool) (st Status, again bool) {
	switch s.state {
	case inName, inKey:
		return s.readTag(body, final)
	case inValue:
		return s.readValue(body, final)
	case inJSON:
		return s.readJSON(body, final)
	}
	s.pos = peek.SkipSpace(body, s.pos)
	if s.pos == len(body) {
		return s.atEnd(body, final), false
	}
	switch s.doubled(body[s.pos:], final) {
	case peek.Yes:
		s.pos += len(s.noise)
		return Open, true
	case peek.Unknown:
		return Open, false
	}
	// a key may be closed twice
	if s.Value != "" && (s.state == beforeValue || s.state == inCall && len(s.current.Fields) > 0) {
		if a := peek.Prefix(body[s.pos:], s.Arg.Close, final); a != peek.No {
			if a == peek.Yes {
				s.pos += len(s.Arg.Close)
			}
			return Open, a == peek.Yes
		}
	}
	switch s.state {
	case beforeCall:
		return s.openCall(body, final)
	case beforeValue:
		return s.openValue(body, final)
	case inCall:
		return s.within(body, final)
	default:
		return s.after(body, final)
	}
}

// atEnd ends the region where the text does.
func (s *taggedScanner) atEnd(body []byte, final bool) Status {
	if !final {
		return Open
	}
	if s.state == inCall {
		s.finishCall(body, len(body))
		s.short = true
	}
	s.stop = len(body)
	if len(s.done) == 0 && s.state != inValue && s.state != inJSON {
		return Rejected
	}
	return Ended
}

// openCall reads the tag that opens a call.
func (s *taggedScanner) openCall(body []byte, final bool) (Status, bool) {
	switch t, a := peek.AnyPrefix(body[s.pos:], s.callOpens, final); a {
	case peek.Yes:
		s.callAt = s.pos
		s.pos += len(t)
		s.from, s.state = s.pos, inName
		return Open, true
	case peek.Unknown:
		return Open, false
	}
	return Rejected, false
}

func (s *taggedScanner) openValue(body []byte, final bool) (Status, bool) {
	switch peek.Prefix(body[s.pos:], s.Value, final) {
	case peek.Yes:
		s.pos += len(s.Value)
	case peek.Unknown:
		return Open, false
	}
	s.beginValue()
	return Open, true
}

// beginValue begins an argument's value at pos.
func (s *taggedScanner) beginValue() {
	s.from, s.state = s.pos, inValue
	switch {
	case s.nested:
		s.ends = []string{"</" + s.field.Key + ">", s.noise + "</" + s.field.Key + ">"}
	case s.element != "":
		s.ends = []string{s.element}
	default:
		s.ends = s.argEnds
	}
}

// within reads what stands between the arguments of a call.
func (s *taggedScanner) within(body []byte, final bool) (Status, bool) {
	rest := body[s.pos:]
	if final && len(s.current.Fields) > 0 && s.mayOpen(rest) {
		return s.atEnd(body, final), false
	}
	switch t, a := peek.AnyTag(rest, s.inside, final); {
	case a == peek.Unknown:
		return Open, false
	case a == peek.Yes && slices.Contains(s.argOpens, t):
		s.pos += len(t)
		s.from, s.state = s.pos, inKey
		return Open, true
	case a == peek.Yes:
		s.finishCall(body, s.pos+len(t))
		return Open, true
	}
	ends := s.Plan.Terminators.Tag(rest, final)
	if ends == peek.No && s.nested { // what is no element may be what is left of a closing tag
		_, ends = peek.CutOff(rest, s.closing, &s.Plan.TurnEnds, final)
	}
	switch {
	case ends == peek.Yes:
		s.finishCall(body, s.pos)
		return Open, true
	case ends == peek.Unknown:
		return Open, false
	case s.nested:
		return s.nestedWithin(rest, final)
	}
	if rest[0] == '{' && len(s.current.Fields) == 0 {
		s.json = lenient.Scanner{Rules: s.rules()}
		s.json.Reset(s.pos)
		s.from, s.state = s.pos, inJSON
		return Open, true
	}
	if n, a := s.unopenedKey(rest, final); a != peek.No && len(s.current.Fields) > 0 {
		if a == peek.Yes {
			s.from, s.pos, s.state = s.pos, s.pos+n, inKey
		}
		return Open, a == peek.Yes
	}
	if key, a := s.elementAt(rest, final); a != peek.No {
		if a == peek.Yes {
			s.openElement(key)
		}
		return Open, a == peek.Yes
	}
	// the tag alone is a word about calls
	if len(s.current.Fields) == 0 && s.current.Args == nil {
		return s.reject(), false
	}
	s.finishCall(body, s.pos)
	return Open, true
}

// mayOpen tells whether the text ends in what may be the tag of another argument.
func (s *taggedScanner) mayOpen(rest []byte) bool {
	if s.nested {
		return strings.HasPrefix(s.noise+"<", string(rest))
	}
	_, tag := peek.AnyPrefix(rest, s.argOpens, false)
	_, element := s.elementAt(rest, false)
	return tag == peek.Unknown || element == peek.Unknown
}

// finishCall ends the current call at offset i.
func (s *taggedScanner) finishCall(body []byte, i int) {
	s.current.Source = body[s.callAt:i]
	if s.ambiguous {
		s.current.Err, s.ambiguous = ErrAmbiguous, false
	}
	s.done = append(s.done, s.current)
	s.current = declared.RawCall{}
	s.pos, s.called, s.state = i, i, afterCall
}

// after reads what stands behind a call: another one, or the end of the region.
func (s *taggedScanner) after(body []byte, final bool) (Status, bool) {
	rest := body[s.pos:]
	own := s.Plan.Closers[s.Marker]
	t, a := peek.AnyTag(rest, own, final)
	if a == peek.Unknown {
		return Open, false
	}
	if a == peek.Yes {
		s.pos += len(t)
		s.stop = s.pos
		return Ended, false
	}
	if s.NameFirst {
		s.stop = s.called
		return Ended, false
	}
	switch _, a := peek.AnyPrefix(rest, s.callOpens, final); a {
	case peek.Yes:
		s.state = beforeCall
		return Open, true
	case peek.Unknown:
		return Open, false
	}
	s.stop = s.called
	return Ended, false
}
