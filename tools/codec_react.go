package tools

import (
	"bytes"
	"cmp"
	"strings"

	"tenon/tools/lenient"
)

// reactCodec reads a call in lines: the name behind "Action:", the arguments behind "Action Input:".
type reactCodec struct{ action, input string }

func (c reactCodec) openers() []string { return nil }
func (c reactCodec) inner() []string   { return nil }

func (c reactCodec) starts(_ opening, body []byte, final bool) answer {
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	return yes
}

func (c reactCodec) scanner(o opening) scanner {
	return &reactScanner{reactCodec: c, opening: o, json: lenient.Scanner{Rules: o.rules()}}
}

// reactScanner reads the name's line, the label of the arguments, and the arguments: an object, or text up to the next
// label for a tool with one string.
type reactScanner struct {
	reactCodec
	opening
	pos    int
	named  bool
	from   int // of the arguments; 0 before they begin
	inJSON bool
	closer string // what closes the code fence or the parentheses around the arguments
	behind int    // how far behind the arguments it ends
	done   bool   // the arguments are all there
	torn   bool   // the object did not end where it seemed to, but inside one of its strings
	// unquoted: no string with an object in it stands at the position.
	unquoted bool
	json     lenient.Scanner
	call     *rawCall // where the line of the name is a whole call
	tool     string
	stop     int
}

func (s *reactScanner) end() int     { return s.stop + s.behind }
func (s *reactScanner) soft() int    { return 0 }
func (s *reactScanner) reached() int { return s.pos }
func (s *reactScanner) whole() bool  { return s.done }

func (s *reactScanner) step(body []byte, final bool) status {
	if !s.named {
		if st := s.name(body, final); !s.named {
			return st
		}
	}
	if s.from == 0 {
		if st := s.label(body, final); s.from == 0 {
			return st
		}
	}
	switch {
	case s.done:
	case s.inJSON && !s.torn:
		if st := s.object(body, final); st != ended {
			return st
		}
	default:
		if st := s.line(body, final); st != ended {
			return st
		}
	}
	return s.close(body, final)
}

// object reads an object to its end. Where text goes on directly behind that, as within a string, it is read to the end of the lines.
func (s *reactScanner) object(body []byte, final bool) status {
	if s.stop == 0 {
		switch s.json.Step(body, final) {
		case lenient.Open:
			if !final {
				return open
			}
			s.stop = len(body)
			return ended
		case lenient.Complete:
			s.stop = s.json.End
		default:
			s.stop = s.json.End
			return ended
		}
	}
	switch s.goesOn(body[s.stop:], final) {
	case unknown:
		return open
	case yes:
		s.torn, s.pos = true, s.stop
		return s.line(body, final)
	}
	s.done = true
	return ended
}

// maxBraces is how many closing braces too many may stand behind an object.
const maxBraces = 8

// goesOn tells whether text behind an object may be a part of one of its strings.
func (s *reactScanner) goesOn(rest []byte, final bool) answer {
	for n := 0; len(rest) > 0 && rest[0] == '}' && n < maxBraces; n++ {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return boolean(!final, unknown)
	}
	if _, a := anyPrefix(rest, s.plan.terminators, final); a != no {
		return negated(a)
	}
	if isSpace(rest[0]) || rest[0] == '`' || rest[0] == ')' {
		return no
	}
	if n := bytes.IndexByte(rest[:min(len(rest), maxTag)], '\n'); n >= 0 {
		rest, final = rest[:n], true
	}
	if s.json.Torn || bytes.IndexByte(rest, '"') >= 0 {
		return yes
	}
	return boolean(!final && len(rest) < maxTag, unknown)
}

// close takes the end of what stands around the arguments along.
func (s *reactScanner) close(body []byte, final bool) status {
	if s.closer == "" || !s.done {
		return ended
	}
	i := skipSpace(body, s.stop)
	a := hasPrefix(body[i:], s.closer, final)
	switch {
	case a == yes:
		s.behind = i + len(s.closer) - s.stop
	case a == unknown && i-s.stop <= maxGap:
		return open
	}
	return ended
}

// name reads the rest of the action's line.
func (s *reactScanner) name(body []byte, final bool) status {
	s.pos = skipSpace(body, 0)
	n := bytes.IndexByte(body[s.pos:], '\n')
	if n < 0 {
		if !final {
			return boundedName(len(body) - s.pos)
		}
		n = len(body) - s.pos
	}
	line := body[s.pos : s.pos+n]
	if i := bytes.IndexByte(line, '('); i > 0 && bytes.HasPrefix(bytes.TrimSpace(line[i+1:]), []byte("{")) {
		line, n, s.closer = line[:i], i+1, ")" // the arguments stand as in a call of a function
	}
	if s.asCall(line, s.pos) {
		return open
	}
	s.tool = strings.TrimSpace(string(line))
	s.tool = strings.TrimSuffix(strings.Trim(s.tool, "[]*`\"'"), "()")
	if _, ok := s.plan.resolve(s.tool); !ok {
		return rejected
	}
	s.pos += n
	s.named = true
	return open
}

func boundedName(n int) status {
	if n > maxTag {
		return rejected
	}
	return open
}

// label finds where the arguments begin. Models write the label in many ways; without one, an object on the next line
// counts.
func (s *reactScanner) label(body []byte, final bool) status {
	i := skipSpace(body, s.pos)
	rest := body[i:]
	if len(rest) == 0 {
		if !final {
			return open
		}
		s.stop = len(body)
		return ended
	}
	for _, l := range []string{s.input, "Action input:", "Input:", "Arguments:"} {
		n, a := labelAt(rest, l, final)
		if a == no {
			l = strings.TrimSuffix(l, ":")
			n, a = len(l), hasPrefix(rest, l, final)
		}
		if a == unknown {
			return open
		}
		if j := skipSpace(body, i+n); a == yes {
			if j == len(body) && !final {
				return open
			}
			return s.begin(body, j, final)
		}
	}
	if rest[0] == '{' || rest[0] == '`' {
		return s.begin(body, i, final)
	}
	s.stop = s.pos
	return ended
}

func (s *reactScanner) begin(body []byte, i int, final bool) status {
	if i < len(body) && body[i] == '`' {
		n, a := fence(body[i:], final)
		if a == unknown {
			return open
		}
		if n >= len(fenceMark) {
			s.closer = fenceMark
		}
		i = skipSpace(body, i+n)
		if i == len(body) && !final {
			return open
		}
	}
	s.from = max(i, 1)
	if i < len(body) && body[i] == '{' {
		s.inJSON = true
		s.json.Reset(i)
	}
	s.pos = i
	return open
}

// line reads arguments that are no object: code may have many lines, so up to the next label or the end of the turn.
func (s *reactScanner) line(body []byte, final bool) status {
	if !s.passString(body, final) {
		return open
	}
	for ; s.pos < len(body); s.pos++ {
		_, a := anyPrefix(body[s.pos:], s.plan.terminators, final)
		switch {
		case body[s.pos] == '\n':
			if a = s.labelNext(body[s.pos+1:], final); a == no && !s.torn {
				a = s.lineEnds(body[s.from:s.pos], body[s.pos+1:], final)
			}
		case s.closer != "" && a == no:
			a = hasPrefix(body[s.pos:], s.closer, final)
		}
		switch a {
		case unknown:
			return open
		case yes:
			s.stop, s.done = s.pos, true
			return ended
		}
	}
	if !final {
		return open
	}
	s.stop = len(body)
	return ended
}

// passString moves behind a string that an object stands in. It says whether that is known.
func (s *reactScanner) passString(body []byte, final bool) bool {
	s.pos = max(s.pos, s.from)
	if s.unquoted || s.torn {
		return true
	}
	if a := hasPrefix(body[s.from:], `"{`, final); a != yes {
		s.unquoted = a == no
		return s.unquoted
	}
	for s.pos = max(s.pos, s.from+1); s.pos < len(body); s.pos++ {
		switch body[s.pos] {
		case '\\':
			if s.pos+1 == len(body) && !final {
				return false
			}
			s.pos++
		case '"':
			s.unquoted = true
			return true
		}
	}
	s.pos = min(s.pos, len(body))
	if final { // it is none
		s.pos, s.unquoted = s.from, true
	}
	return final
}

// labelNext tells whether a line begins with a label.
func (s *reactScanner) labelNext(line []byte, final bool) answer {
	waits := no
	for _, l := range append([]label{{text: s.action}}, s.plan.dialect.labels...) {
		switch _, a := labelAt(line, l.text, final); a {
		case yes:
			return yes
		case unknown:
			waits = unknown
		}
	}
	return waits
}

func (s *reactScanner) calls(body []byte) ([]rawCall, error) {
	if s.call != nil {
		s.call.source = body[:s.stop]
		return []rawCall{*s.call}, nil
	}
	c := rawCall{name: s.tool, source: body[:s.stop], args: []byte("{}")}
	switch {
	case s.inJSON:
		d, err := lenient.Decode(body[s.from:s.stop], s.json.Rules)
		c.args, c.repairs = d.JSON, d.Repairs
		if s.torn || err != nil || torn(d) {
			o := s.opening
			o.name = s.tool
			mended, mendErr := o.mend(bytes.TrimSpace(body[s.from:s.stop]), true)
			if mendErr != nil {
				return nil, cmp.Or(err, mendErr)
			}
			c.args, c.repairs = mended[0].args, mended[0].repairs
		}
	case s.from > 0:
		c.args = bytes.TrimSpace(body[s.from:s.stop])
		m, _ := s.plan.resolve(s.tool)
		s.plan.tools[m.tool].readLine(&c)
	}
	return []rawCall{c}, nil
}
