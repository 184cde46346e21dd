package jinja

import (
	"strconv"
	"strings"
	"unicode"
)

const decimal = "0123456789"

// digits is the length of the digits that s begins with, underscores among them.
func digits(s string) int {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0
	}
	return len(s) - len(strings.TrimLeft(s, decimal+"_"))
}

// numberLen is the length of the number that s begins with, or 0, and whether it is a float, which
// has a fraction, an exponent or both.
func numberLen(s string) (n int, float bool) {
	n = digits(s)
	if n == 0 {
		return 0, false
	}
	if n < len(s) && s[n] == '.' && digits(s[n+1:]) > 0 {
		n, float = n+1+digits(s[n+1:]), true
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if d := digits(s[e:]); d > 0 {
			n, float = e+d, true
		}
	}
	return n, float
}

func nameLen(s string) int {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return i
		}
	}
	return len(s)
}

// stringLen is the length of the quoted string that s begins with, or 0.
func stringLen(s string) int {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

// unescape reads the inside of a string literal: Python's escapes; an unknown one stays as it is.
func (l *lexer) unescape(s string, pos int) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		switch {
		case strings.HasPrefix(s, "\\\n"):
			s = s[2:]
			continue
		case strings.HasPrefix(s, `\'`), strings.HasPrefix(s, `\"`):
			b.WriteByte(s[1])
			s = s[2:]
			continue
		case s[0] == '\\' && s[1] >= '0' && s[1] <= '7': // Go reads three digits only
			n := 2
			for n < min(len(s), 4) && s[n] >= '0' && s[n] <= '7' {
				n++
			}
			v, _ := strconv.ParseUint(s[1:n], 8, 16)
			b.WriteRune(rune(v))
			s = s[n:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil && strings.IndexByte("xuUN", s[1]) >= 0 {
			failAt(pos, `the escape \%c is cut off or no character`, s[1])
		} else if err != nil {
			r, rest = '\\', s[1:]
		}
		b.WriteRune(r)
		s = rest
	}
	return b.String()
}
