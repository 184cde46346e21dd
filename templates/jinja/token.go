package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenType is a token's type by the name that error messages use; operators are their own
// spelling.
type tokenType string

const (
	tokName     tokenType = "name"
	tokString   tokenType = "string"
	tokInt      tokenType = "integer"
	tokFloat    tokenType = "float"
	tokData     tokenType = "template data / text"
	tokVarBegin tokenType = "begin of print statement"
	tokVarEnd   tokenType = "end of print statement"
	tokBlkBegin tokenType = "begin of statement block"
	tokBlkEnd   tokenType = "end of statement block"
	tokEOF      tokenType = "end of template"
)

// token is one token; text is its spelling, or for strings and data its value.
type token struct {
	typ  tokenType
	text string
	pos  int // byte offset in the normalized source
}

// is reports a name token with that spelling.
func (t token) is(name string) bool { return t.typ == tokName && t.text == name }

// describe names the token in an error message.
func (t token) describe() string {
	if t.typ == tokName {
		return t.text
	}
	return string(t.typ)
}

// source is a template's text with normalized line ends, and where its lines begin.
type source struct {
	text string
}

// newSource normalizes line ends to \n and drops one at the end, as keep_trailing_newline off
// does. Bytes that are not UTF-8 become U+FFFD.
func newSource(text string) *source {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return &source{text: strings.TrimSuffix(text, "\n")}
}

// lineCol converts a byte offset into line and column, from 1, the column in characters.
func (s *source) lineCol(pos int) (line, col int) {
	before := s.text[:min(pos, len(s.text))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// syntaxError is what lexer, parser and resolver panic with; Parse recovers it.
type syntaxError struct {
	pos int
	msg string
}

// failAt refuses a template.
func failAt(pos int, format string, args ...any) {
	panic(&syntaxError{pos, fmt.Sprintf(format, args...)})
}
