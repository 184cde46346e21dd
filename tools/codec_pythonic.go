package tools

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"tenon/tools/lenient"
)

// pythonicCodec reads calls written as in Python, in a list or one per line: [f(a=1, b="x"), g()]
type pythonicCodec struct {
	listed  bool   // the family writes a list even for one call
	method  string // written behind the name, such as ".call"
	assign  string // written between a key and its value, "=" if empty
	between string // written between calls that stand in no list, "" for what the family's layout says
	fence   span   // around calls, with its line breaks: of code, or a word, and no marker; zero if they stand in none
}

func (c pythonicCodec) openers() []string { return nil }
func (c pythonicCodec) inner() []string   { return nil }

func (c pythonicCodec) starts(_ opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if mark := strings.TrimSpace(c.fence.open); mark != "" && hasPrefix(body[i:], mark, final) == yes {
		i = skipSpace(body, i+len(mark))
	}
	if i < len(body) && body[i] == '[' {
		i = skipSpace(body, i+1)
	}
	for start := i; i < len(body) && i-start <= maxName; i++ {
		switch {
		case body[i] == '(' && i > start, body[i] == ']':
			return yes
		case !nameByte(body[i]):
			return no
		}
	}
	return boolean(!final, unknown)
}

func nameByte(c byte) bool {
	return strings.IndexByte("_.-/:", c) >= 0 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (c pythonicCodec) scanner(o opening) scanner {
	s := &pythonicScanner{pythonicCodec: c, opening: o, args: lenient.Scanner{Rules: o.rules()}}
	s.args.Rules.Python = true
	return s
}

// pythonicScanner follows calls one after another.
type pythonicScanner struct {
	pythonicCodec
	opening
	args   lenient.Scanner
	pos    int
	from   int // of the name that pos is in, or whose arguments are read
	inArgs bool
	inList bool
	within bool // a list is open
	torn   bool // what stands behind the last call in its list is no call
	// guessed: quotes in strings are not escaped.
	guessed bool
	short   bool     // the last call has no end
	prints  int      // calls of print that are open around the calls of tools
	spans   [][3]int // of name, arguments and end
	text    int      // where the calls end
	stop    int
}

func (s *pythonicScanner) end() int     { return s.stop }
func (s *pythonicScanner) soft() int    { return s.args.Soft }
func (s *pythonicScanner) reached() int { return s.pos }
func (s *pythonicScanner) whole() bool  { return !s.inArgs && !s.short && len(s.spans) > 0 }

func (s *pythonicScanner) step(body []byte, final bool) status {
	for {
		if s.inArgs {
			switch s.args.Step(body, final) {
			case lenient.Open:
				if !final {
					return open
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
	s.guessed = s.guessed || s.args.Torn
	s.pos, s.from, s.inArgs = i, i, false
}

// between reads names and what parts calls.
func (s *pythonicScanner) between(body []byte, final bool) (status, bool) {
	for s.pos < len(body) {
		rest := body[s.pos:]
		switch _, a := anyPrefix(rest, s.plan.terminators, final); a {
		case unknown:
			return open, false
		case yes:
			return s.close(body, final), false
		}
		switch c := rest[0]; {
		case s.torn && s.guessed:
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
		case nameByte(c):
		case s.pos > s.from: // a word that is no name of a call
			return s.tear(body, s.from)
		case c == ']' && s.inList && s.bare && !s.guessed:
			return s.endBare(body, final), false
		case c == '[' || c == ']' || c == ',' || c == ';' || isSpace(c):
			s.inList = s.inList || c == '['
			s.within = c == '[' || s.within && c != ']'
			s.from = s.pos + 1
		default:
			return s.tear(body, s.pos)
		}
		s.pos++
	}
	if !final {
		return open, false
	}
	return s.leave(s.from), false // where a name is cut off it is text
}

// endBare ends a list without markers behind its bracket. What an address follows is a link.
func (s *pythonicScanner) endBare(body []byte, final bool) status {
	switch {
	case s.pos+1 == len(body) && !final:
		return open
	case s.pos+1 < len(body) && body[s.pos+1] == '(':
		return rejected
	}
	s.pos++
	return s.leave(s.pos)
}

// fenceMark is what stands around the calls next: before the first of them, or behind the last.
func (s *pythonicScanner) fenceMark() string {
	if len(s.spans) > 0 {
		return strings.TrimSpace(s.fence.close)
	}
	return strings.TrimSpace(s.fence.open)
}

func (s *pythonicScanner) atFence(c byte) bool {
	mark := s.fenceMark()
	return mark != "" && c == mark[0] && s.pos == s.from
}

// passFence reads a mark of the fence. The closing one ends the region.
func (s *pythonicScanner) passFence(rest []byte, final bool) (status, bool) {
	mark := s.fenceMark()
	switch hasPrefix(rest, mark, final) {
	case unknown:
		return open, false
	case no:
		if !nameByte(rest[0]) {
			return s.leave(s.pos), false
		}
		s.pos++ // a name that only begins alike
		return open, true
	}
	s.pos += len(mark)
	s.from = s.pos
	if len(s.spans) > 0 {
		return s.leave(s.pos), false
	}
	return open, true
}

// printCall is what models write around a call in a fence of code, to see its result.
const printCall = "print"

func (s *pythonicScanner) openArguments(body []byte) (status, bool) {
	if s.fence.open != "" && string(body[s.from:s.pos]) == printCall && s.prints < maxName {
		s.prints++
		s.pos++
		s.from = s.pos
		return open, true
	}
	if _, ok := s.plan.resolve(s.toolName(body[s.from:s.pos])); !ok {
		return s.tear(body, s.from)
	}
	s.spans = append(s.spans, [3]int{s.from, s.pos, 0})
	s.args.Reset(s.pos)
	s.inArgs = true
	return open, true
}

func (s *pythonicScanner) toolName(b []byte) string { return strings.TrimSuffix(string(b), s.method) }

// leave ends the region at offset i where no marker of its own stands.
func (s *pythonicScanner) leave(i int) status {
	if len(s.spans) == 0 {
		return rejected
	}
	s.text, s.stop = i, i
	return ended
}

// tear looks at text that is no call. Where a list is open or a marker must follow, the call before it may have ended inside one of its
// strings: what stands there up to the marker belongs to the region then.
func (s *pythonicScanner) tear(body []byte, i int) (st status, again bool) {
	within := s.within || len(s.plan.closers[s.marker]) > 0 || i > 0 && !isSpace(body[i-1])
	s.torn = len(s.spans) > 0 && (s.within || s.guessed && within)
	if s.torn && s.guessed {
		return open, true
	}
	return s.leave(i), false
}

func (s *pythonicScanner) close(body []byte, final bool) status {
	t, a := anyPrefix(body[s.pos:], s.plan.closers[s.marker], final)
	if a == unknown {
		return open
	}
	st := s.leave(s.pos + len(t))
	s.text = s.pos
	return st
}

func (s *pythonicScanner) calls(body []byte) ([]rawCall, error) {
	all := make([]rawCall, len(s.spans))
	guessed := s.torn
	for i, at := range s.spans {
		all[i] = rawCall{name: s.toolName(body[at[0]:at[1]]), source: body[at[0]:at[2]]}
		d, err := s.decode(all[i].name, body[at[1]:at[2]])
		guessed = guessed || err != nil || torn(d)
		all[i].args, all[i].err = d.JSON, err
		all[i].repairs = without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)
	}
	if !guessed {
		return all, nil
	}
	if mended, err := s.mend(s.list(body), !s.bare || s.stop == len(body)); err == nil {
		return mended, nil
	}
	return s.refuse(all, body), nil
}

// refuse takes those calls away whose strings' ends are not known, and all behind them.
func (s *pythonicScanner) refuse(all []rawCall, body []byte) []rawCall {
	for i := range all {
		if all[i].err == nil && slices.Contains(all[i].repairs, lenient.UnescapedQuote) {
			all[i].err, all[i].source = errTorn, body[s.spans[i][0]:s.stop]
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
	return bytes.TrimSpace(bytes.TrimSuffix(text, []byte(strings.TrimSpace(s.fence.close))))
}

// mend reads all calls of the region together, in whose strings quotes are not escaped. closed says that the text ends where it must.
func (s *pythonicScanner) mend(text []byte, closed bool) ([]rawCall, error) {
	found, complete := lenient.CallReadings(text, func(name string) (lenient.Shape, bool) {
		m, ok := s.plan.resolve(s.toolName([]byte(name)))
		if !ok {
			return nil, false
		}
		return s.plan.tools[m.tool].shape(), true
	})
	chosen, err := choose(found, complete, closed && s.certain(text), func(json []byte) bool {
		return s.plan.fits(s.named(lenient.Reading{JSON: json}))
	})
	if err != nil {
		return nil, err
	}
	return s.named(chosen), nil
}

// named are the calls of a reading: a list of objects with name and arguments.
func (s *pythonicScanner) named(r lenient.Reading) (all []rawCall) {
	for _, v := range items(r.JSON) {
		m := members(v)
		name, _ := text(m[0].value)
		all = append(all, rawCall{name: s.toolName([]byte(name)), args: m[1].value, repairs: without(mended(r), lenient.PythonLiteral, lenient.QuoteStyle)})
	}
	return all
}

// decode reads the arguments of a tool.
func (s *pythonicScanner) decode(name string, text []byte) (lenient.Decoded, error) {
	m, _ := s.plan.resolve(name)
	t := &s.plan.tools[m.tool]
	r := s.args.Rules
	r.Positional = t.parameters()
	d, err := lenient.DecodeArguments(text, r)
	if err == nil && !torn(d) {
		err = t.inPlace(d)
	}
	return d, err
}

// parameters are the names of a tool's arguments in the order in which its schema has them.
func (t *declared) parameters() []string {
	properties, _ := members(t.wire).first("properties")
	var all []string
	for _, e := range members(properties) {
		all = append(all, e.key)
	}
	return all
}

var errPlace = errors.New("arguments without keywords do not fit the parameters at their places")

// inPlace refuses arguments without keywords that do not validate as they stand.
func (t *declared) inPlace(d lenient.Decoded) error {
	if slices.Contains(d.Repairs, lenient.Positional) && t.schema.Validate(d.JSON) != nil {
		return errPlace
	}
	return nil
}

func (s *pythonicScanner) cut(body []byte, at int) ([]rawCall, error) {
	s.take(at)
	s.close(body, true)
	return s.calls(body)
}
