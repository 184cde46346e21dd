package tools

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/lenient"
)

// Arguments that stand on a line and are no object.

// asCall tells whether the line, which begins at an offset, is a call as in Python, of which nothing stands on the next.
func (s *reactScanner) asCall(line []byte, at int) bool {
	i := bytes.IndexByte(line, '(')
	end := len(bytes.TrimRight(line, " \t\r`*"))
	if i <= 0 || end <= i+2 || line[end-1] != ')' {
		return false
	}
	s.tool = strings.Trim(strings.TrimSpace(string(line[:i])), "`*")
	m, ok := s.plan.resolve(s.tool)
	if !ok {
		return false
	}
	t := &s.plan.tools[m.tool]
	d, err := lenient.DecodeArguments(line[i:end], lenient.Rules{Python: true, Positional: t.parameters()})
	if err != nil || d.End != end-i || torn(d) || t.inPlace(d) != nil || slices.ContainsFunc(members(d.JSON), t.unknown) {
		return false
	}
	s.call = &rawCall{name: s.tool, args: d.JSON, repairs: without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)}
	s.named, s.done, s.from, s.stop = true, true, 1, at+end
	return true
}

// readString reads arguments that are an object in a string. It says whether they are.
func (t *declared) readString(c *rawCall) bool {
	inside, ok := text(c.args)
	if !ok || !strings.HasPrefix(strings.TrimSpace(inside), "{") {
		return false
	}
	d, err := lenient.Decode([]byte(inside), lenient.Rules{})
	ok = err == nil && strings.TrimSpace(inside[d.End:]) == "" && !slices.ContainsFunc(members(d.JSON), t.unknown)
	if ok {
		c.args, c.repairs = d.JSON, append(d.Repairs, conform.JSONFromString)
	}
	return ok
}

// unknown tells whether a tool does not name an argument.
func (t *declared) unknown(e member) bool { return !t.schema.Declares(e.key) }

// named reads arguments that are written as in Python, each with the name of one of the tool's.
func (t *declared) named(line []byte) (d lenient.Decoded, ok bool) {
	written := slices.Concat([]byte("("), line, []byte(")"))
	d, err := lenient.DecodeArguments(written, lenient.Rules{Python: true})
	all := members(d.JSON)
	return d, err == nil && d.End == len(written) && len(all) > 0 && !slices.ContainsFunc(all, t.unknown)
}

// lineEnds tells whether the arguments end with the line, behind which next stands: where no text can be meant, they do once each is
// named and whole, and the next line names none. Text has no end but the next label or the turn's.
func (s *reactScanner) lineEnds(line, next []byte, final bool) answer {
	m, _ := s.plan.resolve(s.tool)
	t := &s.plan.tools[m.tool]
	if _, text := t.schema.OnlyArgument(); text || s.closer != "" || len(line) > maxTag {
		return no
	}
	if d, ok := t.named(bytes.TrimSpace(line)); !ok || len(without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)) > 0 {
		return no
	}
	next = next[min(skipSpace(next, 0), maxGap, len(next)):]
	n := 0
	for n < len(next) && n <= maxName && nameByte(next[n]) {
		n++
	}
	switch {
	case n == len(next) && n <= maxName:
		return atLast(final)
	case n == 0:
		return boolean(next[0] != ',' && next[0] != ')', yes)
	}
	return boolean(!t.schema.Declares(string(next[:n])), yes)
}

// readLine reads arguments that are no object: as in Python, city="Rome", if they name arguments of the tool, or as the text of its only
// argument.
func (t *declared) readLine(c *rawCall) {
	if len(c.args) == 0 || t.readString(c) {
		return
	}
	if d, ok := t.named(c.args); ok {
		c.args, c.repairs = d.JSON, without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)
		return
	}
	key, ok := t.schema.OnlyArgument()
	if !ok {
		return
	}
	v := string(c.args)
	for _, quote := range []string{fenceMark, `"`, "'", "`"} {
		inner, ok := strings.CutPrefix(v, quote)
		if inner, end := strings.CutSuffix(inner, quote); ok && end && !strings.Contains(inner, quote) {
			v = inner
			break
		}
	}
	c.args, c.fields = nil, []field{{key: key, value: v}}
	c.repairs = []string{"only-argument"}
}
