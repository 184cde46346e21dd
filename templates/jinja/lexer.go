package jinja

import (
	"strings"
	"unicode/utf8"
)

// lexer cuts a template into tokens under trim_blocks and lstrip_blocks.
type lexer struct {
	src       string
	pos       int
	tokens    []token
	lineStart bool // the last thing matched ended with a line end
}

// lex returns the tokens of a source, closed by tokEOF. It panics with a *syntaxError.
func lex(src string) []token {
	l := &lexer{src: src, lineStart: true}
	for l.pos < len(src) {
		l.root()
	}
	l.emit(tokEOF, "", len(src))
	return l.tokens
}

func (l *lexer) emit(t tokenType, text string, pos int) {
	l.tokens = append(l.tokens, token{t, text, pos})
}

// root consumes text up to and including the next tag.
func (l *lexer) root() {
	start := l.pos
	i := l.nextTag(start)
	if i < 0 {
		l.emit(tokData, l.src[start:], start)
		l.pos = len(l.src)
		return
	}
	kind := l.src[i+1]
	open := i + 2
	var sign byte
	if open < len(l.src) && (l.src[open] == '-' || l.src[open] == '+') {
		sign = l.src[open]
		open++
	}
	if text := l.strip(l.src[start:i], sign, kind); text != "" {
		l.emit(tokData, text, start)
	}
	l.pos = open
	l.lineStart = false
	switch kind {
	case '#':
		l.comment(i)
	case '{':
		l.emit(tokVarBegin, "{{", i)
		l.expression(tokVarEnd)
	default:
		if end := l.rawBegin(open); end >= 0 {
			l.lineStart = l.src[end-1] == '\n'
			l.raw(i, end)
			return
		}
		l.emit(tokBlkBegin, "{%", i)
		l.expression(tokBlkEnd)
	}
}

// nextTag finds the next {{, {% or {# from i on, or -1.
func (l *lexer) nextTag(i int) int {
	for {
		j := strings.IndexByte(l.src[i:], '{')
		if j < 0 || i+j+1 >= len(l.src) {
			return -1
		}
		i += j
		if c := l.src[i+1]; c == '{' || c == '%' || c == '#' {
			return i
		}
		i++
	}
}

// strip applies whitespace control to the text before a tag: a minus takes all whitespace,
// lstrip_blocks the indent of a statement or comment.
func (l *lexer) strip(text string, sign, kind byte) string {
	if sign == '-' {
		return strings.TrimRightFunc(text, isSpace)
	}
	if sign == '+' || kind == '{' {
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || l.lineStart) && strings.TrimLeftFunc(text[line:], isSpace) == "" {
		return text[:line]
	}
	return text
}

// skipSpace returns the first offset from i on that is not whitespace.
func (l *lexer) skipSpace(i int) int {
	return len(l.src) - len(strings.TrimLeftFunc(l.src[i:], isSpace))
}

// closing returns where a closing delimiter at i ends, whitespace control and trim_blocks
// included, or -1.
func (l *lexer) closing(i int, delim string, trim bool) int {
	rest := l.src[i:]
	switch {
	case strings.HasPrefix(rest, "-"+delim):
		return l.skipSpace(i + 1 + len(delim))
	case trim && strings.HasPrefix(rest, "+"+delim):
		return i + 1 + len(delim)
	case strings.HasPrefix(rest, delim):
		i += len(delim)
		if trim && i < len(l.src) && l.src[i] == '\n' {
			i++
		}
		return i
	}
	return -1
}

// close moves behind a closing delimiter.
func (l *lexer) close(end int) {
	l.pos = end
	l.lineStart = l.src[end-1] == '\n'
}

func (l *lexer) comment(start int) {
	for i := l.pos; i < len(l.src); i++ {
		if c := l.src[i]; c != '#' && c != '-' && c != '+' {
			continue
		}
		if end := l.closing(i, "#}", true); end >= 0 {
			l.close(end)
			return
		}
	}
	if l.pos < len(l.src) {
		failAt(start, "Missing end of comment tag")
	}
}

// rawBegin returns the end of a raw tag whose inside begins at i, or -1.
func (l *lexer) rawBegin(i int) int {
	i = l.skipSpace(i)
	if !strings.HasPrefix(l.src[i:], "raw") {
		return -1
	}
	i = l.skipSpace(i + 3)
	switch {
	case strings.HasPrefix(l.src[i:], "-%}"):
		return l.skipSpace(i + 3)
	case strings.HasPrefix(l.src[i:], "%}"):
		return i + 2
	}
	return -1
}

// raw consumes everything up to endraw as text.
func (l *lexer) raw(start, from int) {
	for i := from; i < len(l.src); i++ {
		if !strings.HasPrefix(l.src[i:], "{%") {
			continue
		}
		j := i + 2
		var sign byte
		if j < len(l.src) && (l.src[j] == '-' || l.src[j] == '+') {
			sign = l.src[j]
			j++
		}
		j = l.skipSpace(j)
		if !strings.HasPrefix(l.src[j:], "endraw") {
			continue
		}
		if end := l.closing(l.skipSpace(j+6), "%}", true); end >= 0 {
			if text := l.strip(l.src[from:i], sign, '%'); text != "" {
				l.emit(tokData, text, from)
			}
			l.close(end)
			return
		}
	}
	if from < len(l.src) {
		failAt(start, "Missing end of raw directive")
	}
	l.pos = len(l.src)
}

// expression consumes tokens up to and including the closing delimiter, or to the end of the
// source.
func (l *lexer) expression(end tokenType) {
	delim, trim := "}}", false
	if end == tokBlkEnd {
		delim, trim = "%}", true
	}
	var open []byte // brackets waiting to be closed: within them a delimiter is not one
	for l.pos < len(l.src) {
		if len(open) == 0 {
			if e := l.closing(l.pos, delim, trim); e >= 0 {
				l.emit(end, delim, l.pos)
				l.close(e)
				return
			}
		}
		if i := l.skipSpace(l.pos); i > l.pos {
			l.pos = i
			continue
		}
		if !l.literal() {
			open = l.operator(open)
		}
	}
}

// literal consumes a number, name or string.
func (l *lexer) literal() bool {
	rest := l.src[l.pos:]
	if n := digits(rest); n > 0 && l.pos > 0 && l.src[l.pos-1] == '.' { // the item of a number
		l.take(tokInt, n)
		return true
	}
	if n, float := numberLen(rest); float {
		l.take(tokFloat, n)
		return true
	} else if n > 0 {
		l.take(tokInt, n)
		return true
	}
	if n := nameLen(rest); n > 0 {
		l.take(tokName, n)
		return true
	}
	if n := stringLen(rest); n > 0 {
		pos := l.pos
		l.emit(tokString, l.unescape(rest[1:n-1], pos), pos)
		l.pos += n
		return true
	}
	return false
}

func (l *lexer) take(t tokenType, n int) {
	l.emit(t, l.src[l.pos:l.pos+n], l.pos)
	l.pos += n
}

var closers = map[byte]byte{'{': '}', '(': ')', '[': ']'}

// operator consumes an operator and keeps the stack of open brackets.
func (l *lexer) operator(open []byte) []byte {
	rest := l.src[l.pos:]
	if len(rest) >= 2 {
		switch rest[:2] {
		case "//", "**", "==", "!=", ">=", "<=":
			l.take(tokenType(rest[:2]), 2)
			return open
		}
	}
	c := rest[0]
	if strings.IndexByte("+-/*%~[](){}><=.:|,;", c) < 0 {
		r, _ := utf8.DecodeRuneInString(rest)
		failAt(l.pos, "unexpected char %s at %d", reprText(string(r)), utf8.RuneCountInString(l.src[:l.pos]))
	}
	if want, ok := closers[c]; ok {
		open = append(open, want)
	} else if c == '}' || c == ')' || c == ']' {
		if len(open) == 0 {
			failAt(l.pos, "unexpected '%c'", c)
		}
		if want := open[len(open)-1]; want != c {
			failAt(l.pos, "unexpected '%c', expected '%c'", c, want)
		}
		open = open[:len(open)-1]
	}
	l.take(tokenType(c), 1)
	return open
}
