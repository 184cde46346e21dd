package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// digits returns the length of a run of digits of a base, each optionally preceded by one
// underscore where sep.
func digits(s string, set string, sep bool) int {
	i := 0
	for i < len(s) {
		j := i
		if sep && s[j] == '_' && j+1 < len(s) {
			j++
		}
		if strings.IndexByte(set, lowerByte(s[j])) < 0 {
			break
		}
		i = j + 1
	}
	return i
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

const decimal = "0123456789"

// plainDigits is digits in groups separated by single underscores, beginning with a digit.
func plainDigits(s string) int {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0
	}
	return digits(s, decimal, true)
}

// floatLen is the length of the float that s begins with, or 0: digits with a fraction, an
// exponent or both.
func floatLen(s string) int {
	n := plainDigits(s)
	if n == 0 {
		return 0
	}
	end := 0
	if n < len(s) && s[n] == '.' {
		if f := plainDigits(s[n+1:]); f > 0 {
			n += 1 + f
			end = n
		}
	}
	if n < len(s) && lowerByte(s[n]) == 'e' {
		e := n + 1
		if e < len(s) && (s[e] == '+' || s[e] == '-') {
			e++
		}
		if d := plainDigits(s[e:]); d > 0 {
			end = e + d
		}
	}
	return end
}

// intLen is the length of the integer that s begins with, or 0.
func intLen(s string) int {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0
	}
	if s[0] != '0' {
		return digits(s, decimal, true)
	}
	if len(s) > 1 {
		set := map[byte]string{'b': "01", 'o': "01234567", 'x': "0123456789abcdef"}[lowerByte(s[1])]
		if d := digits(s[2:], set, true); d > 0 {
			return 2 + d
		}
	}
	return digits(s, "0", true)
}

func nameLen(s string) int {
	for i, r := range s {
		if !isNameRune(r) {
			return i
		}
	}
	return len(s)
}

func isNameRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) && (r < 0x80 || unicode.IsDigit(r) || unicode.Is(unicode.Nl, r)) ||
		unicode.IsMark(r) || unicode.Is(unicode.Pc, r)
}

func isIdentifier(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
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
