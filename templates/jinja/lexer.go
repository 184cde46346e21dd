package jinja

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The patterns are those of Jinja2's own lexer; white space is Python's. A closing delimiter takes
// all white space behind it if there is a minus before it; that of a statement or comment else one
// line end, but for a plus.
const space = `[\s\x0b\x1c-\x1f\x{85}\p{Z}]*`

var (
	tagBegin   = regexp.MustCompile(`\{[{%#][-+]?`)
	commentEnd = regexp.MustCompile(`-#\}` + space + `|\+#\}|#\}\n?`)
	rawBegin   = regexp.MustCompile(`^` + space + `raw` + space + `(?:-%\}` + space + `|%\})`)
	rawEnd     = regexp.MustCompile(`\{%[-+]?` + space + `endraw` + space + `(?:-%\}` + space + `|\+%\}|%\}\n?)`)
	tagEnds    = map[tokenType]*regexp.Regexp{
		tokVarEnd: regexp.MustCompile(`^(?:-\}\}` + space + `|\}\})`),
		tokBlkEnd: regexp.MustCompile(`^(?:-%\}` + space + `|\+%\}|%\}\n?)`),
	}
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
	tag := tagBegin.FindStringIndex(l.src[start:])
	if tag == nil {
		l.emit(tokData, l.src[start:], start)
		l.pos = len(l.src)
		return
	}
	begin, open := start+tag[0], start+tag[1]
	kind := l.src[begin+1]
	l.data(start, begin, open)
	l.pos = open
	l.lineStart = false
	switch kind {
	case '#':
		l.comment(begin)
	case '{':
		l.emit(tokVarBegin, "{{", begin)
		l.expression(tokVarEnd)
	default:
		if m := rawBegin.FindString(l.src[open:]); m != "" {
			l.close(open + len(m))
			l.raw(begin)
			return
		}
		l.emit(tokBlkBegin, "{%", begin)
		l.expression(tokBlkEnd)
	}
}

// data emits the text before a tag, stripped as the tag asks for.
func (l *lexer) data(from, begin, open int) {
	if text := l.strip(l.src[from:begin], l.src[open-1], l.src[begin+1]); text != "" {
		l.emit(tokData, text, from)
	}
}

// strip applies whitespace control to the text before a tag: a minus, the sign where it has one,
// takes all whitespace, lstrip_blocks the indent of a statement or comment.
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

// close moves behind a closing delimiter.
func (l *lexer) close(end int) {
	l.pos = end
	l.lineStart = l.src[end-1] == '\n'
}

func (l *lexer) comment(start int) {
	if end := commentEnd.FindStringIndex(l.src[l.pos:]); end != nil {
		l.close(l.pos + end[1])
	} else if l.pos < len(l.src) {
		failAt(start, "Missing end of comment tag")
	}
}

// raw consumes everything up to endraw as text.
func (l *lexer) raw(start int) {
	from := l.pos
	end := rawEnd.FindStringIndex(l.src[from:])
	if end == nil {
		if from < len(l.src) {
			failAt(start, "Missing end of raw directive")
		}
		return
	}
	begin := from + end[0]
	l.data(from, begin, begin+len(tagBegin.FindString(l.src[begin:])))
	l.close(from + end[1])
}

// expression consumes tokens up to and including the closing delimiter, or to the end of the
// source.
func (l *lexer) expression(end tokenType) {
	var open []byte // brackets waiting to be closed: within them a delimiter is not one
	for l.pos < len(l.src) {
		if len(open) == 0 {
			if m := tagEnds[end].FindString(l.src[l.pos:]); m != "" {
				l.emit(end, m, l.pos)
				l.close(l.pos + len(m))
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

// literals are the patterns of literals and names, in the order in which they are tried.
var literals = []struct {
	typ     tokenType
	pattern *regexp.Regexp
}{
	{tokFloat, regexp.MustCompile(`^\d[\d_]*(?:\.\d[\d_]*(?:[eE][-+]?\d[\d_]*)?|[eE][-+]?\d[\d_]*)`)},
	{tokInt, regexp.MustCompile(`^\d[\d_]*`)},
	{tokName, regexp.MustCompile(`^[\pL\pM\p{Nd}_]+`)},
	{tokString, regexp.MustCompile(`(?s)^(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`)},
}

// literal consumes a number, name or string.
func (l *lexer) literal() bool {
	// behind a point stands the item of a number, or a name
	item := l.pos > 0 && l.src[l.pos-1] == '.'
	for _, of := range literals {
		m := of.pattern.FindString(l.src[l.pos:])
		switch {
		case m == "" || item && of.typ == tokFloat:
			continue
		case of.typ == tokString:
			l.emit(tokString, unescape(m[1:len(m)-1], l.pos), l.pos)
			l.pos += len(m)
		default:
			l.take(of.typ, len(m))
		}
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

// escapes are those of Python's string literals; \N, which needs the names of characters, is none.
var escapes = regexp.MustCompile(`(?s)\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)`)

// unescape reads the inside of a string literal: an escape that is not known stays as it is.
func unescape(s string, pos int) string {
	return escapes.ReplaceAllStringFunc(s, func(e string) string {
		switch c := e[1]; {
		case c == '\n':
			return ""
		case c == '\'' || c == '"':
			return e[1:]
		case c >= '0' && c <= '7': // Go reads three digits only
			v, _ := strconv.ParseUint(e[1:], 8, 16)
			return string(rune(v))
		}
		r, _, _, err := strconv.UnquoteChar(e, 0)
		switch {
		case err == nil:
			return string(r)
		case strings.IndexByte("xuUN", e[1]) >= 0:
			failAt(pos, `the escape \%c is cut off or no character`, e[1])
		}
		return e
	})
}
