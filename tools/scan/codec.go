package scan

import (
	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
	"tenon/tools/plan"
)

// Codec reads the calls that stand in one region of a turn: what follows an opening marker or a cue. Each way of writing
// arguments has one, shared by all families that write so.
type Codec interface {
	// Starts tells whether body, the text behind an opener, is this codec's.
	Starts(o Opening, body []byte, final bool) peek.Answer
	Scanner(o Opening) Scanner
}

// CodecOf reads what is written in a syntax.
func CodecOf(s format.Syntax) Codec {
	switch s := s.(type) {
	case format.JSON:
		return JsonCodec{s}
	case format.Named:
		return namedCodec{s}
	case format.Tagged:
		return taggedCodec{s}
	case format.Nested:
		return nestedCodec{s}
	case format.Python:
		return PythonicCodec{s}
	}
	return reactCodec{s.(format.ReAct)}
}

// Opening is how a region began.
type Opening struct {
	Plan   *plan.Plan
	Marker string // the opener; "" for a cue
	Name   string // of the tool, where a header told it
	Bare   bool   // nothing says that this is a call: it must prove itself and end the turn
	keyed  bool   // the name is a key
	Cased  bool   // it stands in code that it begins (casing.go)
	Sent   bool   // it is known to be a call
	// IsSymbol tells whether a symbol stands at an offset behind the opener; nil where that is not known.
	IsSymbol func(at int) bool
}

// Scanner follows a region while it is written.
type Scanner interface {
	// Step reads on. body is all that followed the opener so far; it only grows. final says that it will not.
	Step(body []byte, final bool) Status
	// End is the offset in body where the region ends, once step has said ended.
	End() int
	// Soft is where the region ends if it should prove not to make sense as a whole; 0 if there is no such place.
	Soft() int
	// Reached is how far in body a rejected region was looked at.
	Reached() int
	// Whole tells that the text up to end lacks nothing but closing markers; else the last of calls is what it was cut off in.
	Whole() bool
	// Calls returns what the region's text, up to its end, calls. A call with an error is none; its source stays text.
	Calls(body []byte) ([]declared.RawCall, error)
}

type Status uint8

const (
	Open Status = iota
	Ended
	Rejected
)

// rules are the lenient reader's rules for a region.
func (o Opening) rules(quotes ...string) lenient.Rules {
	return lenient.Rules{Quotes: quotes, Terminators: o.Plan.Terminators}
}

// MaxBare is how long a bare or fenced object may be and still be a call (issue 6, property 5).
const MaxBare = 64 << 10

// Cutter is a scanner whose region can be ended at its soft end.
type Cutter interface {
	Cut(body []byte, at int) ([]declared.RawCall, error)
}
