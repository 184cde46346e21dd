package scan

import (
	"bytes"
	"cmp"
	"errors"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/plan"
)

// Reader reads the calls in one region of a turn: what follows an opening marker, or an unmarked
// start. Each way of writing arguments has one, shared by all families that write so.
type Reader interface {
	// Starts tells whether body, the text behind an opener, is this reader's. It holds more
	// than white space.
	Starts(o Opening, body []byte, final bool) peek.Answer
	Scanner(o Opening) Scanner
}

// ReaderOf reads what is written in a syntax.
func ReaderOf(s format.Syntax) Reader {
	switch s := s.(type) {
	case format.JSON:
		return JSONReader{s}
	case format.Named:
		return namedReader{s}
	case format.Tagged:
		return taggedReader{Tagged: s}
	case format.Nested:
		return taggedReader{Tagged: format.Tagged{Call: s.Call, CallEnd: s.CallEnd}, nested: true, noise: s.Noise}
	case format.Python:
		return PythonicReader{s}
	}
	return reactReader{s.(format.ReAct)}
}

// Opening is how a region began.
type Opening struct {
	Plan   *plan.Plan
	Marker string // the opener; "" of a call without one
	Name   string // of the tool, where a header told it
	Bare   bool   // nothing says that this is a call: it must prove itself and end the turn
	keyed  bool   // the name is a key
	InCode bool   // it stands in code that it begins (parse/code_fence.go)
	Sent   bool   // it is known to be a call
	Proof  int    // how much shows that a step begins there (react_no_call.go)
	Loose  bool   // its label is a loose one (LabelAt), and others of the step may be
	// IsSymbol tells whether a symbol stands at an offset behind the opener; nil where that is
	// not known.
	IsSymbol func(at int) bool
}

// Scanner follows a region while it is written.
type Scanner interface {
	// Step reads on. body is all that followed the opener so far; it only grows. final says
	// that it will not.
	Step(body []byte, final bool) Status
	// End is the offset in body where the region ends, once step has said ended.
	End() int
	// Reached is how far in body a rejected region was looked at.
	Reached() int
	// Whole tells that the text up to end lacks nothing but closing markers; else the last of
	// calls is what it was cut off in.
	Whole() bool
	// Calls returns what the region's text, up to its end, calls. A call with an error is
	// none; its source stays text.
	Calls(body []byte) ([]declared.RawCall, error)
}

// Status is what a scanner knows of its region.
type Status uint8

const (
	Open     Status = iota // it may go on
	Ended                  // its end is known
	Rejected               // it is not what the scanner reads
)

// spelt tells whether ordinary tokens spell a tag at an offset, in which the vocabulary has a
// token: then it is text.
func (o Opening) spelt(tag string, at int) bool {
	if o.IsSymbol == nil {
		return false
	}
	i, has := o.Plan.Dialect.Token(tag)
	return has && !o.IsSymbol(at+i)
}

// rules are the lenient reader's rules for a region.
func (o Opening) rules(quotes ...string) lenient.Rules {
	r := lenient.Rules{Quotes: quotes, Terminators: o.Plan.Terminators}
	if len(quotes) > 0 && o.IsSymbol != nil {
		r.Spelt = o.spelt
	}
	return r
}

// MaxBare is how long what has no marker of the family's may be before it has named a tool that
// can be called, and still be a call; MaxNamed is how long that may be which has named it.
const (
	MaxBare  = 64 << 10
	MaxNamed = 2 << 20
)

// place is where most scanners are in their regions.
type place struct {
	pos  int // what is before it has been read
	stop int // where the region ends
}

func (p *place) End() int { return p.stop }

func (p *place) Reached() int { return p.pos }

// Cutter is a scanner whose region can be ended at its soft end.
type Cutter interface {
	// Soft is where the region ends if it should prove not to make sense as a whole; 0 if
	// there is no such place.
	Soft() int
	Cut(body []byte, at int) ([]declared.RawCall, error)
}

// RegionReaders are the readers that may read what follows an opener.
func RegionReaders(d *format.Dialect, opener string) []Reader {
	all := slices.Clone(d.Syntaxes)
	for i, c := range all {
		if t, ok := c.(format.Tagged); ok {
			all[i] = t.Spelt(opener)
		}
	}
	opener, spelt := d.Written(opener), opener
	for _, c := range all {
		if slices.Contains(c.Openers(), spelt) && opener != d.Section.Open && opener != d.Call.Open {
			return []Reader{ReaderOf(c)}
		}
	}
	if !slices.ContainsFunc(all, func(c format.Syntax) bool { _, ok := c.(format.JSON); return ok }) {
		all = append(all, format.JSON{})
	}
	var readers []Reader
	for _, c := range all {
		readers = append(readers, ReaderOf(c))
	}
	if opener != d.Call.Open && opener != d.Section.Open && !slices.Contains(d.Opens, opener) {
		return readers
	}
	readers = append([]Reader{Foreign{PythonicReader{}}}, readers...)
	for _, s := range []format.Syntax{format.FunctionTags, format.InvokeTags, format.PairTags, format.Labelled, format.Named{}} {
		readers = append(readers, Foreign{ReaderOf(s)})
	}
	return readers
}

// Foreign reads what another family would write between the markers of this one. It starts only at
// the name of a tool, in full: prose about markers must not be kept back.
type Foreign struct{ Reader }

// Starts implements Reader.
func (c Foreign) Starts(o Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	if _, ok := c.Reader.(taggedReader); ok && !c.Pairs() {
		return c.Reader.Starts(o, body, final)
	}
	if n, ok := c.Reader.(namedReader); ok && n.Labelled {
		_, a := peek.AnyPrefix(body[i:], format.CallLabels, final)
		return peek.Boolean(i < len(body) || !final, a)
	}
	if _, ok := c.Reader.(PythonicReader); ok && i < len(body) && body[i] == '[' {
		i = peek.SkipSpace(body, i+1)
	}
	switch peek.Prefix(body[i:], declared.ToolsPrefix, final) {
	case peek.Yes:
		i += len(declared.ToolsPrefix)
	case peek.Unknown:
		return peek.Unknown
	}
	named := peek.No
	for _, t := range o.Plan.Tools {
		n := i + len(t.Prompt)
		switch a := peek.Prefix(body[i:], t.Prompt, final); {
		case a == peek.Unknown || a == peek.Yes && n == len(body) && !final:
			named = peek.Unknown
		case a == peek.Yes && (n == len(body) || !peek.NameByte(body[n])):
			return c.behind(o, body, n, final)
		}
	}
	return named
}

// Pairs tells whether pairs of key and value are read.
func (c Foreign) Pairs() bool {
	t, ok := c.Reader.(taggedReader)
	return ok && t.NameFirst
}

// behind tells whether the reader reads a body in which the name of a tool ends at offset i.
func (c Foreign) behind(o Opening, body []byte, i int, final bool) peek.Answer {
	t, ok := c.Reader.(taggedReader)
	if !ok {
		return c.Reader.Starts(o, body, final)
	}
	j := peek.SkipSpace(body, i)
	if j == len(body) {
		return peek.Boolean(!final && j-i <= peek.MaxGap, peek.Unknown)
	}
	return peek.Prefix(body[j:], t.Arg.Open, final)
}

// TextReader reads the input of a free-form tool that a header has named: everything up to the end
// of the message.
type TextReader struct{}

// Starts implements Reader: any text is an input.
func (TextReader) Starts(Opening, []byte, bool) peek.Answer { return peek.Yes }

// Scanner implements Reader.
func (TextReader) Scanner(o Opening) Scanner { return &textScanner{Opening: o} }

type textScanner struct {
	Opening
	from, pos int
}

func (s *textScanner) End() int { return s.pos }

func (s *textScanner) Reached() int { return s.pos }

func (s *textScanner) Whole() bool { return false }

func (s *textScanner) Step(body []byte, final bool) Status {
	for ; s.pos < len(body); s.pos++ {
		switch a := s.Plan.Terminators.Tag(body[s.pos:], final); a {
		case peek.Unknown:
			return Open
		case peek.Yes:
			return Ended
		}
	}
	if final {
		return Ended
	}
	return Open
}

func (s *textScanner) Calls(body []byte) ([]declared.RawCall, error) {
	text := body[s.from:s.pos]
	if o := bytes.TrimSpace(text); declared.HoldsInput(string(o)) {
		return []declared.RawCall{{Name: s.Name, Args: o, Source: text}}, nil
	}
	return []declared.RawCall{{Name: s.Name, Args: lenient.AppendString(nil, string(text)), Source: text}}, nil
}

// Where quotes inside of strings are not escaped, more than one reading of a call may make sense.
// A call with another value than the model meant is worse than none: what leaves is the reading
// that a reader sees, or no call.

// ErrUnclosedCall is why a call is none that lacks its closing marker.
var ErrUnclosedCall = errors.New("a call is never closed")

// ErrAmbiguous is why a call is none whose strings could end in several places.
var ErrAmbiguous = errors.New("where its strings end would be a guess")

// ambiguous tells whether a value was read by a guess at where its strings end.
func ambiguous(v lenient.Decoded) bool { return slices.Contains(v.Repairs, lenient.UnescapedQuote) }

// mended are the rules by which a reading came about. That a guess at its strings' ends was made
// is always one of them.
func mended(r lenient.Reading) []string {
	return append(declared.Without(r.Repairs, lenient.UnescapedQuote), lenient.UnescapedQuote)
}

// mend reads the calls of a whole text, in whose strings quotes are not escaped. closed says that
// it ends where it must.
func (o Opening) mend(text []byte, closed bool) ([]declared.RawCall, error) {
	peek.Examine(len(text))
	found, all := lenient.Readings(text, o.shape(text))
	return o.chosen(found, all && closed, text, o.callsOf)
}

// chosen returns the calls of the first reading whose calls fit the tools; calls takes them out of
// a reading's values. The reading is taken if all pairs within its strings are whole. Otherwise it
// is a guess, and taken only if it is the only one that fits, all says that none was left out,
// none of its strings ends within brackets, and no marker in the text could be its end.
func (o Opening) chosen(found []lenient.Reading, all bool, text []byte, calls func(list []byte) []declared.RawCall) ([]declared.RawCall, error) {
	found = slices.DeleteFunc(found, func(r lenient.Reading) bool { return !o.Plan.Fits(calls(r.JSON)) })
	if len(found) == 0 || !found[0].Paired && (len(found) > 1 || !all || !o.certain(text) || found[0].Cut) {
		return nil, ErrAmbiguous
	}
	taken := calls(found[0].JSON)
	for i := range taken {
		taken[i].Repairs = append(taken[i].Repairs, mended(found[0])...)
	}
	return taken, nil
}

// arguments reads the one value at the start of text. rest is the text up to its end, where its
// strings' quotes may not be escaped; guessed says that they are not, closed that it ends where
// it must.
func (o Opening) arguments(text, rest []byte, rules lenient.Rules, guessed, closed bool) (args []byte, repairs []string, err error) {
	v, err := lenient.Decode(text, rules)
	if !guessed && err == nil && !ambiguous(v) {
		return v.JSON, v.Repairs, nil
	}
	calls, mendErr := o.mend(rest, closed)
	if mendErr != nil {
		return nil, nil, cmp.Or(err, mendErr)
	}
	return calls[0].Args, calls[0].Repairs, nil
}

// callsOf takes the calls out of a list of values. Where the name is known, there is one.
func (o Opening) callsOf(list []byte) (all []declared.RawCall) {
	for _, v := range ordered.Items(list) {
		all = append(all, callsIn(v, o)...)
	}
	if o.Name != "" && len(all) != 1 {
		return nil
	}
	return all
}

// certain tells whether nothing in a text is a marker, at which it may end.
func (o Opening) certain(text []byte) bool {
	return !slices.ContainsFunc(o.Plan.Terminators.All, func(t string) bool { return bytes.Contains(text, []byte(t)) })
}

// shape is that of the objects in a text which holds calls.
func (o Opening) shape(text []byte) lenient.Shape {
	args := o.Plan.ArgumentsOf(text)
	if o.Name != "" {
		m, _ := o.Plan.Resolve(o.Name)
		return o.Plan.Tools[m.Tool].Shape()
	}
	var call lenient.Shape
	call = func(key string) (lenient.Shape, bool) {
		if m, ok := o.Plan.Resolve(key); ok && (!o.Bare || o.keyed) {
			return o.Plan.Tools[m.Tool].Shape(), true
		}
		if slices.Contains(o.Plan.ArgsKeys, key) {
			return args, true
		}
		return call, slices.Contains(o.Plan.CallKeys, key)
	}
	return call
}
