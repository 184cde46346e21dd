package scan

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
)

// JSONReader reads the calls of a format.JSON.
type JSONReader struct{ format.JSON }

// Starts implements Reader.
func (c JSONReader) Starts(_ Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	if body[i] == '{' {
		return peek.Yes
	}
	if body[i] == '[' {
		j := peek.SkipSpace(body, i+1)
		if j == len(body) {
			return peek.Boolean(!final, peek.Unknown)
		}
		return peek.Boolean(body[j] == '{' || body[j] == ']', peek.Yes)
	}
	if body[i] == '"' { // a string that holds the object
		if i+1 == len(body) {
			return peek.Boolean(!final, peek.Unknown)
		}
		return peek.Boolean(body[i+1] == '{', peek.Yes)
	}
	return peek.Prefix(body[i:], format.FenceMark, final)
}

// Scanner implements Reader.
func (c JSONReader) Scanner(o Opening) Scanner {
	s := newJSONScanner(o, nil)
	s.keyed = c.NameIsKey
	if o.Name == "" {
		s.values.Watch = s.watch
	}
	return s
}

func newJSONScanner(o Opening, quotes []string) *JSONScanner {
	s := &JSONScanner{Opening: o}
	s.take = s.read
	s.values.Rules = o.rules(quotes...)
	return s
}

// JSONScanner follows JSON values one after another. Between them stand white space, commas, stray
// brackets and fences.
type JSONScanner struct {
	Opening
	values  lenient.Scanner
	inValue bool
	seen    bool   // a value came before
	fenced  bool   // the first stood behind a code fence
	shut    bool   // which has been closed
	pos     int    // between values: what is decided
	last    int    // where the last value begins
	kept    int    // behind the last value and what closes it
	text    int    // where the calls' text ends
	stop    int    // where the region ends, its closing marker included
	key     string // last key read at the depth of a call's fields
	good    bool   // a call with a declared name was seen
	quoted  bool   // the value stands in a string that is open
	// a quote follows a value: its end was found inside one of its strings
	ambiguous   bool
	ambiguousAt int      // where that is
	closed      bool     // the calls' text ends at a marker, with its code, or with the turn
	after       []string // what is written behind a value
	// label tells whether the line behind a break is none of the calls; nil: it is not asked.
	label func(line []byte, final bool) peek.Answer
	// take reads the calls in the region's text.
	take func(text []byte) ([]declared.RawCall, error)
}

// End implements Scanner.
func (s *JSONScanner) End() int { return s.stop }

// Soft implements Cutter.
func (s *JSONScanner) Soft() int { return s.values.Soft }

// Reached implements Scanner.
func (s *JSONScanner) Reached() int {
	if s.inValue {
		return s.values.Reached()
	}
	return s.pos
}

// Whole implements Scanner.
func (s *JSONScanner) Whole() bool { return !s.inValue && s.seen }

// Called tells whether a tool has been named that can be called.
func (s *JSONScanner) Called() bool { return s.good }

// Cut ends the region at offset at, where a closing marker stands inside what looked like a
// string.
func (s *JSONScanner) Cut(body []byte, at int) ([]declared.RawCall, error) {
	s.pos = at
	s.close(body, true)
	return s.take(body[:at])
}

// Step implements Scanner.
func (s *JSONScanner) Step(body []byte, final bool) Status {
	for {
		if s.inValue {
			before := s.values.Reached()
			st := s.values.Step(body, final)
			peek.Examine(s.values.Reached() - before)
			switch st {
			case lenient.Open:
				return s.unfinished(body, final)
			case lenient.Complete:
				s.inValue, s.seen, s.pos, s.kept = false, true, s.values.End, s.values.End
			case lenient.Terminated:
				s.pos = s.values.End
				if body[s.pos] != format.FenceMark[0] {
					s.ambiguous = s.ambiguous || s.cutOff(body, final)
					return s.close(body, final)
				}
				s.inValue, s.seen, s.kept = false, true, s.pos
			case lenient.Rejected:
				if s.seen && s.good { // it is none of the calls before it
					s.inValue, s.pos = false, s.kept
					return s.leave(s.kept)
				}
				return Rejected
			}
		}
		if st, again := s.between(body, final); !again {
			return st
		}
	}
}

func (s *JSONScanner) unfinished(body []byte, final bool) Status {
	if !final {
		return Open
	}
	return s.leave(len(body))
}

// leave ends the region at i, no marker of its own being there.
func (s *JSONScanner) leave(i int) Status {
	s.text, s.stop = i, i
	return Ended
}

// between reads what stands between values and after the last. again says that another value
// begins.
func (s *JSONScanner) between(body []byte, final bool) (st Status, again bool) {
	for s.pos < len(body) {
		rest := body[s.pos:]
		if a := s.Plan.Terminators.Tag(rest, final); a == peek.Unknown {
			return Open, false
		} else if a == peek.Yes {
			return s.close(body, final), false
		}
		switch peek.Prefix(rest, peek.ByteOrderMark, final) {
		case peek.Unknown:
			return Open, false
		case peek.Yes:
			s.pos += len(peek.ByteOrderMark)
			continue
		}
		if t, a := peek.AnyPrefix(rest, s.after, final); s.seen && a == peek.Unknown {
			return Open, false
		} else if s.seen && a == peek.Yes {
			s.pos += len(t)
			s.kept = s.pos
			continue
		}
		if s.seen && rest[0] == '\n' && s.label != nil {
			switch s.label(rest[1:], final) {
			case peek.Unknown:
				return Open, false
			case peek.Yes:
				return s.leave(s.behind()), false
			}
		}
		switch c := rest[0]; {
		case s.seen && (c == '}' || c == ']'), s.quoted && s.seen && c == '"':
			s.quoted = s.quoted && c != '"'
			s.pos++
			s.kept = s.pos
		case peek.IsSpace(c), c == ',', c == ';', !s.seen && c == '"':
			s.quoted = s.quoted || c == '"'
			s.pos++
		case s.ambiguous:
			s.pos++
		case s.seen && s.endedInString(body, c):
			switch s.endedBefore(body, final) {
			case peek.Unknown:
				return Open, false
			case peek.Yes:
				return s.leave(s.kept), false
			}
			s.ambiguous, s.ambiguousAt = true, s.pos
			s.pos++
		case c == '`' && !(s.Bare && s.seen && !s.fenced):
			s.fenced = s.fenced || !s.seen
			n, a := fence(rest, final)
			if a == peek.Unknown {
				return Open, false
			}
			s.pos += s.passFence(rest[:n])
		case s.seen && s.Name != "":
			return s.leave(s.behind()), false
		case c == '{' || c == '[':
			s.values.Reset(s.pos)
			s.inValue, s.last = true, s.pos
			return Open, true
		default:
			s.closed = s.InCode && c == format.FenceMark[0]
			return s.leave(s.behind()), false
		}
	}
	if !final {
		return Open, false
	}
	s.closed = true
	return s.leave(s.behind()), false
}

// passFence takes a fence at pos into account and returns how much of it is one: the first behind
// a value closes what stood before it, has no language, and belongs to the region.
func (s *JSONScanner) passFence(mark []byte) int {
	s.shut = s.seen && s.fenced && !s.shut
	if !s.shut {
		return len(mark)
	}
	n := len(mark) - len(bytes.TrimLeft(mark, format.FenceMark[:1]))
	s.kept = s.pos + n
	return n
}

// behind is where the region ends at text: what parts values belongs to it between them only.
func (s *JSONScanner) behind() int {
	if s.ambiguous || !s.seen {
		return s.pos
	}
	return s.kept
}

// endedInString tells whether the byte behind a value shows that the value goes on: its end was
// found inside one of its strings. A quote shows it, and any byte does where the strings have
// unescaped quotes. Without markers the byte must touch the value.
func (s *JSONScanner) endedInString(body []byte, c byte) bool {
	if s.Sent || s.Bare && !s.good || (s.Bare || s.label != nil) && peek.IsSpace(body[s.pos-1]) {
		return false
	}
	last := body[s.pos-1]
	glued := (last == '}' || last == ']') && !s.Plan.MayOpen(c)
	return c == '"' || (s.values.Ambiguous || glued) && c != '`' && (s.Name != "" && s.values.Ambiguous || c != '{' && c != '[')
}

// endedBefore tells whether the calls up to the last value are complete, though s.pos holds what
// endedInString takes for more of it: a word, a heading, or a quoted text that is no key and does
// not touch the value.
func (s *JSONScanner) endedBefore(body []byte, final bool) peek.Answer {
	c := body[s.pos]
	switch {
	case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c >= 0x80, c == '*', c == '#':
	case c != '"' || s.Name == "" || !peek.IsSpace(body[s.pos-1]):
		return peek.No
	default:
		if a := lenient.IsKey(body, s.pos, final); a != peek.No {
			return peek.Boolean(a == peek.Unknown, a)
		}
	}
	return peek.Boolean(s.strict(body), peek.Yes)
}

// strict tells whether the last value is JSON without repairs, the calls up to it fit, and none of
// its strings looks like one that ends too early, at a quote inside of it.
func (s *JSONScanner) strict(body []byte) bool {
	v := body[s.last:s.values.End]
	if s.values.Ambiguous || !json.Valid(v) || endsEarly(v) {
		return false
	}
	peek.Examine(s.kept)
	calls, err := s.take(body[:s.kept])
	return err == nil && s.Plan.Fits(calls)
}

// endsEarly tells whether strings in a valid JSON text leave brackets or another kind of quotes
// open, or the last ends in a space.
func endsEarly(v []byte) bool {
	for _, b := range []string{"()", "[]", "{}"} {
		if bytes.Count(v, []byte(b[:1])) > bytes.Count(v, []byte(b[1:])) {
			return true
		}
	}
	odd := bytes.Count(v, []byte("'")) - len(apostrophe.FindAll(v, -1)) + bytes.Count(v, []byte("`"))
	return odd%2 != 0 || bytes.Contains(v, []byte(` "}`))
}

// apostrophe stands within a word.
var apostrophe = regexp.MustCompile(`\pL'\pL`)

// cutOff tells whether a marker that ends neither the call nor the turn stands directly behind a
// quote, where brackets are open.
func (s *JSONScanner) cutOff(body []byte, final bool) bool {
	_, own := peek.AnyTag(body[s.pos:], s.Plan.Closers[s.Marker], final)
	_, last := s.Plan.TurnEnds.At(body[s.pos:], final)
	return s.pos > 0 && body[s.pos-1] == '"' && own == peek.No && last == peek.No
}

// close ends the region at s.pos, its own closing marker taken along.
func (s *JSONScanner) close(body []byte, final bool) Status {
	own := s.Plan.Closers[s.Marker]
	t, a := peek.AnyTag(body[s.pos:], own, final)
	if a == peek.Unknown {
		return Open
	}
	s.text = s.pos
	s.stop = s.pos + len(t)
	return Ended
}

// fence returns the length of a code fence with its language at the start of text.
func fence(text []byte, final bool) (int, peek.Answer) {
	switch peek.Prefix(text, format.FenceMark, final) {
	case peek.No:
		return 1, peek.Yes // a stray backtick
	case peek.Unknown:
		return 0, peek.Unknown
	}
	n := run(text)
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || text[n] == '_') && n < 24 {
		n++
	}
	if n == len(text) && !final {
		return 0, peek.Unknown
	}
	return n, peek.Yes
}

// watch rejects an object as soon as it can be no call: its name is not declared or, for a bare
// object, it has a key that no call has.
func (s *JSONScanner) watch(w lenient.String) bool {
	if w.Depth > 2 || s.good && s.values.Ambiguous { // it may be no key, but part of a string
		return true
	}
	if w.Key {
		s.key = ""
		if w.Depth == 1 || !s.good {
			s.key = unescaped(w.Text)
		}
		return !s.Bare || s.keyed || w.Depth > 1 || slices.Contains(s.Plan.CallKeys, s.key)
	}
	if w.Depth > 1 && !s.Bare || s.good || !slices.Contains(s.Plan.NameKeys, s.key) || s.key == "function" && w.Depth > 1 {
		return true
	}
	_, s.good = s.Plan.Resolve(unescaped(w.Text))
	return s.good || w.Depth > 1
}

// unescaped is the text of a string: some write every letter beyond ASCII as an escape.
func unescaped(inside []byte) string {
	if bytes.IndexByte(inside, '\\') >= 0 {
		if s, ok := ordered.Text([]byte(`"` + string(inside) + `"`)); ok {
			return s
		}
	}
	return string(inside)
}
