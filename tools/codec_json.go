package tools

import (
	"bytes"
	"slices"

	"tenon/tools/lenient"
)

// jsonCodec reads calls that are JSON objects, alone, in a row or in an array, also inside a code fence. The name is the
// value of a field, or a key by itself; header says that the name stands before an object of arguments instead.
type jsonCodec struct {
	nameKey, argsKey, idKey string // as the family writes them; every other usual key is read too
	array                   bool   // the family writes an array even for one call
	nameIsKey               bool   // {"NAME": {…}}
}

func (c jsonCodec) openers() []string { return nil }
func (c jsonCodec) inner() []string   { return nil }

func (c jsonCodec) starts(_ opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	if body[i] == '{' {
		return yes
	}
	if body[i] == '[' {
		j := skipSpace(body, i+1)
		if j == len(body) {
			return boolean(!final, unknown)
		}
		return boolean(body[j] == '{' || body[j] == ']', yes)
	}
	if body[i] == '"' { // a string that holds the object
		if i+1 == len(body) {
			return boolean(!final, unknown)
		}
		return boolean(body[i+1] == '{', yes)
	}
	return hasPrefix(body[i:], "```", final)
}

func boolean(b bool, a answer) answer {
	if b {
		return a
	}
	return no
}

func (c jsonCodec) scanner(o opening) scanner {
	s := newJSONScanner(o, nil)
	s.keyed = c.nameIsKey
	if o.name == "" {
		s.values.Watch = s.watch
	}
	return s
}

func newJSONScanner(o opening, quotes []string) *jsonScanner {
	s := &jsonScanner{opening: o}
	s.values.Rules = o.rules(quotes...)
	return s
}

// jsonScanner follows JSON values one after another. Between them stand white space, commas, stray brackets and fences.
type jsonScanner struct {
	opening
	values  lenient.Scanner
	inValue bool
	seen    bool     // a value came before
	fenced  bool     // the first stood behind a code fence
	shut    bool     // which has been closed
	pos     int      // between values: what is decided
	kept    int      // behind the last value and what closes it
	text    int      // where the calls' text ends
	stop    int      // where the region ends, its closing marker included
	key     string   // last key read at the depth of a call's fields
	good    bool     // a call with a declared name was seen
	quoted  bool     // the value stands in a string that is open
	torn    bool     // a quote stands behind a value: it did not end there, but inside one of its strings
	tear    int      // where that is
	closed  bool     // the calls' text ends at a marker, with its code, or with the turn
	after   []string // what is written behind a value
}

func (s *jsonScanner) end() int  { return s.stop }
func (s *jsonScanner) soft() int { return s.values.Soft }

func (s *jsonScanner) reached() int {
	if s.inValue {
		return s.values.Reached()
	}
	return s.pos
}

func (s *jsonScanner) whole() bool { return !s.inValue && s.seen }

// cut ends the region at offset at, where a closing marker stands inside what looked like a string.
func (s *jsonScanner) cut(body []byte, at int) ([]rawCall, error) {
	s.pos = at
	s.close(body, true)
	return s.read(body[:at])
}

func (s *jsonScanner) step(body []byte, final bool) status {
	for {
		if s.inValue {
			before := s.values.Reached()
			st := s.values.Step(body, final)
			examine(s.values.Reached() - before)
			switch st {
			case lenient.Open:
				return s.unfinished(body, final)
			case lenient.Complete:
				s.inValue, s.seen, s.pos, s.kept = false, true, s.values.End, s.values.End
			case lenient.Terminated:
				s.pos = s.values.End
				if body[s.pos] != fenceMark[0] {
					s.torn = s.torn || s.cutOff(body, final)
					return s.close(body, final)
				}
				s.inValue, s.seen, s.kept = false, true, s.pos
			case lenient.Rejected:
				return rejected
			}
		}
		if st, again := s.between(body, final); !again {
			return st
		}
	}
}

func (s *jsonScanner) unfinished(body []byte, final bool) status {
	if !final {
		return open
	}
	return s.leave(len(body))
}

// leave ends the region at i, no marker of its own being there.
func (s *jsonScanner) leave(i int) status {
	s.text, s.stop = i, i
	return ended
}

// between reads what stands between values and after the last. again says that another value begins.
func (s *jsonScanner) between(body []byte, final bool) (st status, again bool) {
	for s.pos < len(body) {
		rest := body[s.pos:]
		if _, a := anyPrefix(rest, s.plan.terminators, final); a == unknown {
			return open, false
		} else if a == yes {
			return s.close(body, final), false
		}
		if t, a := anyPrefix(rest, s.after, final); s.seen && a == unknown {
			return open, false
		} else if s.seen && a == yes {
			s.pos += len(t)
			continue
		}
		switch c := rest[0]; {
		case s.seen && (c == '}' || c == ']'), s.quoted && s.seen && c == '"':
			s.quoted = s.quoted && c != '"'
			s.pos++
			s.kept = s.pos
		case isSpace(c), c == ',', c == ';', !s.seen && c == '"':
			s.quoted = s.quoted || c == '"'
			s.pos++
		case s.torn:
			s.pos++
		case s.seen && s.tears(body, c):
			s.torn, s.tear = true, s.pos
			s.pos++
		case c == '`' && !(s.bare && s.seen && !s.fenced):
			s.fenced = s.fenced || !s.seen
			n, a := fence(rest, final)
			if a == unknown {
				return open, false
			}
			s.pos += s.passFence(rest[:n])
		case s.seen && s.name != "":
			return s.leave(s.behind()), false
		case c == '{' || c == '[':
			s.values.Reset(s.pos)
			s.inValue = true
			return open, true
		default:
			s.closed = s.cased && c == fenceMark[0]
			return s.leave(s.behind()), false
		}
	}
	if !final {
		return open, false
	}
	s.closed = true
	return s.leave(s.behind()), false
}

// passFence takes a fence at pos into account and returns how much of it is one: the first behind a value closes what stood before it, has
// no language, and belongs to the region.
func (s *jsonScanner) passFence(mark []byte) int {
	s.shut = s.seen && s.fenced && !s.shut
	if !s.shut {
		return len(mark)
	}
	n := len(mark) - len(bytes.TrimLeft(mark, fenceMark[:1]))
	s.kept = s.pos + n
	return n
}

// behind is where the region ends at text: what parts values belongs to it between them only.
func (s *jsonScanner) behind() int {
	if s.torn || !s.seen {
		return s.pos
	}
	return s.kept
}

// tears tells whether a byte behind a value shows that it did not end there, but inside one of its strings: a quote, or anything where quotes
// in its strings were not escaped. Without markers it must stand directly behind it.
func (s *jsonScanner) tears(body []byte, c byte) bool {
	if s.sent || s.bare && (!s.good || isSpace(body[s.pos-1])) {
		return false
	}
	last := body[s.pos-1]
	glued := (last == '}' || last == ']') && !s.plan.mayOpen(c)
	return c == '"' || (s.values.Torn || glued) && c != '`' && (s.name != "" && s.values.Torn || c != '{' && c != '[')
}

// mayOpen tells whether a marker, or a name that can be called, begins with a byte: the next call may stand there.
func (p *Plan) mayOpen(c byte) bool {
	return c == '<' || c == '>' || p.dialect.headers != nil || len(p.markers.byFirst[c]) > 0 || slices.ContainsFunc(p.called, func(name string) bool { return name[0] == c })
}

// cutOff tells whether a marker that ends neither the call nor the turn stands directly behind a quote, where brackets are open.
func (s *jsonScanner) cutOff(body []byte, final bool) bool {
	_, own := anyPrefix(body[s.pos:], s.plan.closers[s.marker], final)
	_, last := anyPrefix(body[s.pos:], s.plan.turnEnds, final)
	return s.pos > 0 && body[s.pos-1] == '"' && own == no && last == no
}

// close ends the region at s.pos, its own closing marker taken along.
func (s *jsonScanner) close(body []byte, final bool) status {
	own := s.plan.closers[s.marker]
	t, a := anyPrefix(body[s.pos:], own, final)
	if a == unknown {
		return open
	}
	s.text = s.pos
	s.stop = s.pos + len(t)
	return ended
}

// fence returns the length of a code fence with its language at the start of text.
func fence(text []byte, final bool) (int, answer) {
	switch hasPrefix(text, "```", final) {
	case no:
		return 1, yes // a stray backtick
	case unknown:
		return 0, unknown
	}
	n := 3
	for n < len(text) && text[n] == '`' {
		n++
	}
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || text[n] == '_') && n < 24 {
		n++
	}
	if n == len(text) && !final {
		return 0, unknown
	}
	return n, yes
}

// callKeys are the keys that an object which is a call may have. Where no marker says that it is one, another key
// decides that it is not.
var (
	nameKeys = []string{"name", "tool_name", "tool", "function_name", "function", "action", "tool_call", "recipient_name"}
	argsKeys = []string{"arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs", "function_args"}
	idKeys   = []string{"id", "tool_call_id", "call_id"}
	listKeys = []string{"tool_calls", "tool_uses"}
	callKeys = slices.Concat(nameKeys, argsKeys, idKeys, listKeys, []string{"type", "index", "thought"})
)

// watch rejects an object as soon as it can be no call: its name is not declared or, for a bare object, it has a key that
// no call has.
func (s *jsonScanner) watch(w lenient.String) bool {
	if w.Depth > 2 || s.good && s.values.Torn { // or it may be no key, but within a string
		return true
	}
	if w.Key {
		s.key = ""
		if w.Depth == 1 || !s.good {
			s.key = unescaped(w.Text)
		}
		return !s.bare || s.keyed || w.Depth > 1 || slices.Contains(callKeys, s.key)
	}
	if w.Depth > 1 && !s.bare || s.good || !slices.Contains(s.plan.nameKeys, s.key) || s.key == "function" && w.Depth > 1 {
		return true
	}
	_, s.good = s.plan.resolve(unescaped(w.Text))
	return s.good || w.Depth > 1
}

// unescaped is the text of a string: some write every letter beyond ASCII as an escape.
func unescaped(inside []byte) string {
	if bytes.IndexByte(inside, '\\') >= 0 {
		if s, ok := text([]byte(`"` + string(inside) + `"`)); ok {
			return s
		}
	}
	return string(inside)
}
