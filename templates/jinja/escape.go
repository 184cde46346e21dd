package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

var simpleEscapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape reads the inside of a string literal as Jinja2 does: Python's escapes; an unknown one
// stays as it is.
func (l *lexer) unescape(s string, pos int) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++ // the lexer's string pattern never ends in a lone backslash
		c := s[i]
		switch {
		case c >= '0' && c <= '7':
			n := octalLen(s[i:])
			v, _ := strconv.ParseUint(s[i:i+n], 8, 32)
			b.WriteRune(rune(v))
			i += n - 1
		case hexEscapes[c] > 0:
			i += l.hexEscape(&b, s[i:], pos)
		case c == 'N':
			l.fail(pos, "\\N escapes are not supported")
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(escapedBackslash(r))
			i += size - 1
		default:
			b.WriteString(simpleEscape(c))
		}
	}
	return b.String()
}

func simpleEscape(c byte) string {
	if e, ok := simpleEscapes[c]; ok {
		return e
	}
	return "\\" + string(c)
}

// escapedBackslash is what a backslash before a non-ASCII character comes to: Jinja2 replaces the
// character by its escape first, so that the backslash then escapes the escape's own.
func escapedBackslash(r rune) string {
	switch {
	case r < 0x100:
		return fmt.Sprintf("\\x%02x", r)
	case r < 0x10000:
		return fmt.Sprintf("\\u%04x", r)
	}
	return fmt.Sprintf("\\U%08x", r)
}

func octalLen(s string) int {
	n := 0
	for n < len(s) && n < 3 && s[n] >= '0' && s[n] <= '7' {
		n++
	}
	return n
}

// hexEscape reads the escape whose letter s begins with and returns the number of digits.
func (l *lexer) hexEscape(b *strings.Builder, s string, pos int) int {
	n := hexEscapes[s[0]]
	if len(s) < n+1 {
		l.fail(pos, "truncated \\%c%s escape", s[0], strings.Repeat("X", n))
	}
	v, err := strconv.ParseUint(s[1:n+1], 16, 32)
	if err != nil {
		l.fail(pos, "truncated \\%c%s escape", s[0], strings.Repeat("X", n))
	}
	if v > utf8.MaxRune {
		l.fail(pos, "illegal Unicode character")
	}
	b.WriteRune(rune(v))
	return n
}
