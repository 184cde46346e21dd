package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// PythonicReader reads the calls of a format.Python.
type PythonicReader struct{ format.Python }

// Starts implements Reader.
func (c PythonicReader) Starts(_ Opening, body []byte, final bool) peek.Answer {
	i := peek.SkipSpace(body, 0)
	if mark := strings.TrimSpace(c.Fence.Open); mark != "" && peek.Prefix(body[i:], mark, final) == peek.Yes {
		i = peek.SkipSpace(body, i+len(mark))
	}
	if i < len(body) && body[i] == '[' {
		i = peek.SkipSpace(body, i+1)
	}
	for start := i; i < len(body) && i-start <= turn.MaxName; i++ {
		switch {
		case body[i] == '(' && i > start, body[i] == ']':
			return peek.Yes
		case !peek.NameByte(body[i]):
			return peek.No
		}
	}
	return peek.Boolean(!final, peek.Unknown)
}

// Scanner implements Reader.
func (c PythonicReader) Scanner(o Opening) Scanner {
	s := &pythonicScanner{PythonicReader: c, Opening: o, args: lenient.Scanner{Rules: o.rules()}}
	s.args.Rules.Python = true
	return s
}

// pythonicScanner follows calls one after another.
type pythonicScanner struct {
	PythonicReader
	Opening
	place
	args         lenient.Scanner
	from         int // of the name that pos is in, or whose arguments are read
	inArgs       bool
	inList       bool
	within       bool // a list is open
	noCallBehind bool // what follows the last call in its list is no call
	// guessed: quotes in strings are not escaped.
	guessed bool
	short   bool     // the last call has no end
	prints  int      // calls of print that are open around the calls of tools
	spans   [][3]int // of name, arguments and end
	text    int      // where the calls end
}

func (s *pythonicScanner) Soft() int { return s.args.Soft }

func (s *pythonicScanner) Whole() bool { return !s.inArgs && !s.short && len(s.spans) > 0 }

// Called tells whether a tool has been named that can be called.
func (s *pythonicScanner) Called() bool { return len(s.spans) > 0 }

func (s *pythonicScanner) Step(body []byte, final bool) Status {
	for {
		if s.inArgs {
			switch s.args.Step(body, final) {
			case lenient.Open:
				if !final {
					return Open
				}
				s.take(len(body))
				s.short = true
				return s.leave(len(body))
			case lenient.Terminated:
				s.take(s.args.End)
				return s.close(body, final)
			case lenient.Complete, lenient.Rejected:
				s.take(s.args.End)
			}
		}
		if st, again := s.between(body, final); !again {
			return st
		}
	}
}

// take notes a call whose arguments end at offset i.
func (s *pythonicScanner) take(i int) {
	at := &s.spans[len(s.spans)-1]
	at[2] = i
	s.guessed = s.guessed || s.args.Ambiguous
	s.pos, s.from, s.inArgs = i, i, false
}

// between reads names and what parts calls.
func (s *pythonicScanner) between(body []byte, final bool) (Status, bool) {
	for s.pos < len(body) {
		rest := body[s.pos:]
		switch a := s.Plan.Terminators.Tag(rest, final); a {
		case peek.Unknown:
			return Open, false
		case peek.Yes:
			return s.close(body, final), false
		}
		switch c := rest[0]; {
		case s.noCallBehind && s.guessed:
			s.from = s.pos + 1
		case c == '(' && s.pos > s.from:
			return s.openArguments(body)
		case s.atFence(c):
			if st, again := s.passFence(rest, final); !again {
				return st, false
			}
			continue
		case c == ')' && s.prints > 0 && len(s.spans) > 0 && s.pos == s.from:
			s.prints--
			s.from = s.pos + 1
		case peek.NameByte(c):
		case s.pos > s.from: // a word that is no name of a call
			return s.stepNoCall(body, s.from)
		case c == ']' && s.inList && s.Bare && !s.guessed:
			return s.endBare(body, final), false
		case c == '[' || c == ']' || c == ',' || c == ';' || peek.IsSpace(c):
			s.inList = s.inList || c == '['
			s.within = c == '[' || s.within && c != ']'
			s.from = s.pos + 1
		default:
			return s.stepNoCall(body, s.pos)
		}
		s.pos++
	}
	if !final {
		return Open, false
	}
	return s.leave(s.from), false // where a name is cut off it is text
}

// endBare ends a list without markers behind its bracket. What an address follows is a link.
func (s *pythonicScanner) endBare(body []byte, final bool) Status {
	switch {
	case s.pos+1 == len(body) && !final:
		return Open
	case s.pos+1 < len(body) && body[s.pos+1] == '(':
		return Rejected
	}
	s.pos++
	return s.leave(s.pos)
}

// fenceMark is what stands around the calls next: before the first of them, or behind the last.
func (s *pythonicScanner) fenceMark() string {
	if len(s.spans) > 0 {
		return strings.TrimSpace(s.Fence.Close)
	}
	return strings.TrimSpace(s.Fence.Open)
}

func (s *pythonicScanner) atFence(c byte) bool {
	mark := s.fenceMark()
	return mark != "" && c == mark[0] && s.pos == s.from
}

// passFence reads a mark of the fence. The closing one ends the region.
func (s *pythonicScanner) passFence(rest []byte, final bool) (Status, bool) {
	mark := s.fenceMark()
	switch peek.Prefix(rest, mark, final) {
	case peek.Unknown:
		return Open, false
	case peek.No:
		if !peek.NameByte(rest[0]) {
			return s.leave(s.pos), false
		}
		s.pos++ // a name that only begins alike
		return Open, true
	}
	s.pos += len(mark)
	s.from = s.pos
	if len(s.spans) > 0 {
		return s.leave(s.pos), false
	}
	return Open, true
}

// PrintCall is what models write around a call in a fence of code, to see its result.
const PrintCall = "print"

func (s *pythonicScanner) openArguments(body []byte) (Status, bool) {
	if s.Fence.Open != "" && string(body[s.from:s.pos]) == PrintCall && s.prints < turn.MaxName {
		s.prints++
		s.pos++
		s.from = s.pos
		return Open, true
	}
	if _, ok := s.Plan.Resolve(s.toolName(body[s.from:s.pos])); !ok {
		return s.stepNoCall(body, s.from)
	}
	s.spans = append(s.spans, [3]int{s.from, s.pos, 0})
	s.args.Reset(s.pos)
	s.inArgs = true
	return Open, true
}

func (s *pythonicScanner) toolName(b []byte) string { return strings.TrimSuffix(string(b), s.Method) }

// leave ends the region at offset i where no marker of its own stands.
func (s *pythonicScanner) leave(i int) Status {
	if len(s.spans) == 0 {
		return Rejected
	}
	s.text, s.stop = i, i
	return Ended
}

// stepNoCall handles text that is no call. Where a list is open or a marker must follow, the end
// of the call before it may have been found inside one of its strings. Then the text up to the
// marker belongs to the region.
func (s *pythonicScanner) stepNoCall(body []byte, i int) (st Status, again bool) {
	within := s.within || len(s.Plan.Closers[s.Marker]) > 0 || i > 0 && !peek.IsSpace(body[i-1])
	s.noCallBehind = len(s.spans) > 0 && (s.within || s.guessed && within)
	if s.noCallBehind && s.guessed {
		return Open, true
	}
	return s.leave(i), false
}

func (s *pythonicScanner) close(body []byte, final bool) Status {
	t, a := peek.AnyTag(body[s.pos:], s.Plan.Closers[s.Marker], final)
	if a == peek.Unknown {
		return Open
	}
	st := s.leave(s.pos + len(t))
	s.text = s.pos
	return st
}

func (s *pythonicScanner) Calls(body []byte) ([]declared.RawCall, error) {
	all := make([]declared.RawCall, len(s.spans))
	guessed := s.noCallBehind
	for i, at := range s.spans {
		all[i] = declared.RawCall{Name: s.toolName(body[at[0]:at[1]]), Source: body[at[0]:at[2]]}
		d, err := s.decode(all[i].Name, body[at[1]:at[2]])
		guessed = guessed || err != nil || ambiguous(d)
		all[i].Args, all[i].Err = d.JSON, err
		all[i].Repairs = declared.Without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)
	}
	if !guessed {
		return all, nil
	}
	if mended, err := s.mend(s.list(body), !s.Bare || s.stop == len(body)); err == nil {
		return mended, nil
	}
	return s.refuse(all, body), nil
}

// refuse takes those calls away whose strings' ends are not known, and all behind them.
func (s *pythonicScanner) refuse(all []declared.RawCall, body []byte) []declared.RawCall {
	for i := range all {
		if all[i].Err == nil && slices.Contains(all[i].Repairs, lenient.UnescapedQuote) {
			all[i].Err, all[i].Source = ErrAmbiguous, body[s.spans[i][0]:s.stop]
			return all[:i+1]
		}
	}
	return all
}

// list is the text of all calls, with the bracket before them if they stand in a list.
func (s *pythonicScanner) list(body []byte) []byte {
	from := s.spans[0][0]
	if before := bytes.TrimSpace(body[:from]); bytes.HasSuffix(before, []byte("[")) {
		from = len(before) - 1
	}
	text := bytes.TrimSpace(body[from:max(from, s.text)])
	return bytes.TrimSpace(bytes.TrimSuffix(text, []byte(strings.TrimSpace(s.Fence.Close))))
}

// mend reads all calls of the region together, in whose strings quotes are not escaped. closed
// says that the text ends where it must.
func (s *pythonicScanner) mend(text []byte, closed bool) ([]declared.RawCall, error) {
	found, all := lenient.CallReadings(text, func(name string) (lenient.Shape, bool) {
		m, ok := s.Plan.Resolve(s.toolName([]byte(name)))
		if !ok {
			return nil, false
		}
		return s.Plan.Tools[m.Tool].Shape(), true
	})
	calls, err := s.chosen(found, all && closed, text, s.calls)
	for i := range calls {
		calls[i].Repairs = declared.Without(calls[i].Repairs, lenient.PythonLiteral, lenient.QuoteStyle)
	}
	return calls, err
}

// calls are those of a reading: a list of objects with name and arguments.
func (s *pythonicScanner) calls(list []byte) (all []declared.RawCall) {
	for _, v := range ordered.Items(list) {
		m := ordered.Members(v)
		name, _ := ordered.Text(m[0].Value)
		all = append(all, declared.RawCall{Name: s.toolName([]byte(name)), Args: m[1].Value})
	}
	return all
}

// decode reads the arguments of a tool.
func (s *pythonicScanner) decode(name string, text []byte) (lenient.Decoded, error) {
	m, _ := s.Plan.Resolve(name)
	t := &s.Plan.Tools[m.Tool]
	r := s.args.Rules
	r.Positional = t.Parameters()
	d, err := lenient.DecodeArguments(text, r)
	if err == nil && !ambiguous(d) {
		err = t.InPlace(d)
	}
	return d, err
}

func (s *pythonicScanner) Cut(body []byte, at int) ([]declared.RawCall, error) {
	s.take(at)
	s.close(body, true)
	return s.Calls(body)
}
