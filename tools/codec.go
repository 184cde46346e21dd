package tools

import (
	"slices"

	"tenon/tools/lenient"
)

// codec reads the calls that stand in one region of a turn: what follows an opening marker or a cue. Each way of writing
// arguments has one, shared by all families that write so.
type codec interface {
	// openers are the markers that open a region of this codec by themselves, without a section or call marker around.
	openers() []string
	// inner are the further markers inside its calls.
	inner() []string
	// starts tells whether body, the text behind an opener, is this codec's.
	starts(o opening, body []byte, final bool) answer
	scanner(o opening) scanner

	// write is how a call of the i-th tool is written, as an expression of extended GBNF.
	write(w *output, t *declared, i int) string
	// exact tells whether what write says enforces the tool's whole schema.
	exact(t *declared) bool
	// list is what stands before, between and after calls.
	list() (open, between, end string)
	// begins are the texts that a call of a tool begins with, where no marker does.
	begins(tool string) []string
}

// opening is how a region began.
type opening struct {
	plan   *Plan
	marker string // the opener; "" for a cue
	name   string // of the tool, where a header told it
	bare   bool   // nothing says that this is a call: it must prove itself and end the turn
	keyed  bool   // the name is a key
	cased  bool   // it stands in code that it begins (casing.go)
	sent   bool   // it is known to be a call
	// isSymbol tells whether a symbol stands at an offset behind the opener; nil where that is not known.
	isSymbol func(at int) bool
}

// scanner follows a region while it is written.
type scanner interface {
	// step reads on. body is all that followed the opener so far; it only grows. final says that it will not.
	step(body []byte, final bool) status
	// end is the offset in body where the region ends, once step has said ended.
	end() int
	// soft is where the region ends if it should prove not to make sense as a whole; 0 if there is no such place.
	soft() int
	// reached is how far in body a rejected region was looked at.
	reached() int
	// whole tells that the text up to end lacks nothing but closing markers; else the last of calls is what it was cut off in.
	whole() bool
	// calls returns what the region's text, up to its end, calls. A call with an error is none; its source stays text.
	calls(body []byte) ([]rawCall, error)
}

type status uint8

const (
	open status = iota
	ended
	rejected
)

// answer is what a look at text that may still grow can say.
type answer uint8

const (
	no answer = iota
	yes
	unknown
)

// rawCall is a call as a model wrote it.
type rawCall struct {
	name    string
	id      string
	args    []byte  // JSON or what was meant as such; nil where fields holds them
	fields  []field // arguments in tags, in the order written
	repairs []string
	source  []byte   // its text, should it prove to be none
	untyped bool     // args holds strings where the format has only text
	beside  []string // keys of the call's object that no call has; what they hold is left out
	err     error    // why it cannot be one
}

// field is an argument whose value stands between tags.
type field struct {
	key   string
	value string
	kind  fieldKind
}

// fieldKind says how the value of a field is to be read.
type fieldKind uint8

const (
	bySchema fieldKind = iota // text where the schema allows a string, else JSON
	asText
	asJSON
)

// hasPrefix tells whether text starts with t, or may once it is longer.
func hasPrefix(text []byte, t string, final bool) answer {
	examine(1)
	n := min(len(text), len(t))
	switch {
	case n > 0 && text[0] != t[0], string(text[:n]) != t[:n]:
		return no
	case n == len(t):
		return yes
	case final:
		return no
	}
	return unknown
}

// anyPrefix returns the text among ts that text starts with, the longest if there are several.
func anyPrefix(text []byte, ts []string, final bool) (string, answer) {
	best, found := "", no
	for _, t := range ts {
		if t == "" {
			continue
		}
		switch hasPrefix(text, t, final) {
		case yes:
			if len(t) > len(best) {
				best = t
			}
			if found == no {
				found = yes
			}
		case unknown:
			found = unknown
		}
	}
	return best, found
}

// without leaves out the repairs that are how a family writes.
func without(repairs []string, native ...string) []string {
	return slices.DeleteFunc(repairs, func(r string) bool { return slices.Contains(native, r) })
}

func skipSpace(text []byte, i int) int {
	from := i
	for i < len(text) && isSpace(text[i]) {
		i++
	}
	examine(i - from)
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// rules are the lenient reader's rules for a region.
func (o opening) rules(quotes ...string) lenient.Rules {
	return lenient.Rules{Quotes: quotes, Terminators: o.plan.terminators}
}
