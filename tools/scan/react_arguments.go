package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// Arguments that stand on a line and are no object.

// asCall tells whether a line, which begins at offset at, is a whole call as in Python.
func (s *reactScanner) asCall(line []byte, at int) bool {
	i := bytes.IndexByte(line, '(')
	end := len(bytes.TrimRight(line, " \t\r`*"))
	if i <= 0 || end <= i+2 || line[end-1] != ')' {
		return false
	}
	name := strings.Trim(strings.TrimSpace(string(line[:i])), "`*")
	m, ok := s.Plan.Resolve(name)
	if !ok {
		return false
	}
	t := &s.Plan.Tools[m.Tool]
	d, err := lenient.DecodeArguments(line[i:end], lenient.Rules{Python: true, Positional: t.Parameters()})
	if err != nil || d.End != end-i || ambiguous(d) || t.InPlace(d) != nil || slices.ContainsFunc(ordered.Members(d.JSON), t.Unknown) {
		return false
	}
	s.call = &declared.RawCall{Name: name, Args: d.JSON, Repairs: declared.Without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)}
	s.named, s.done, s.from, s.stop = true, true, 1, at+end
	return true
}

// lineEnds tells whether the arguments end with the line; next is what stands behind it. They do
// if each is named and whole, and the next line names no other. Where the only argument is a text,
// it ends at the next label, or with the turn.
func (s *reactScanner) lineEnds(line, next []byte, final bool) peek.Answer {
	if len(line) > peek.MaxTag || s.closer != "" {
		return peek.No
	}
	t := s.tool()
	if _, text := t.Schema.OnlyArgument(); text {
		return peek.No
	}
	if meansNothing(t, line) {
		return peek.Yes
	}
	if d, ok := t.Named(bytes.TrimSpace(line)); !ok || len(declared.Without(d.Repairs, lenient.PythonLiteral, lenient.QuoteStyle)) > 0 {
		return peek.No
	}
	next = next[min(peek.SkipSpace(next, 0), peek.MaxGap, len(next)):]
	n := 0
	for n < len(next) && n <= turn.MaxName && peek.NameByte(next[n]) {
		n++
	}
	switch {
	case n == len(next) && n <= turn.MaxName:
		return peek.AtLast(final)
	case n == 0:
		return peek.Boolean(next[0] != ',' && next[0] != ')', peek.Yes)
	}
	return peek.Boolean(!t.Schema.Declares(string(next[:n])), peek.Yes)
}

// meansNothing tells whether the text of arguments says that there are none. In quotes it is a
// text.
func meansNothing(t *declared.Tool, text []byte) bool {
	text = bytes.TrimSpace(text)
	if _, one := t.Schema.OnlyArgument(); one && len(text) > len(`""`) && (text[0] == '"' || text[0] == '\'') {
		return false
	}
	return saysNothing(text) && t.Schema.Validate([]byte("{}")) == nil
}

// tool is the one that has been named.
func (s *reactScanner) tool() *declared.Tool {
	m, _ := s.Plan.Resolve(s.Name)
	return &s.Plan.Tools[m.Tool]
}
