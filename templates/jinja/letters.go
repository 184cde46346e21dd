package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// strTests are the methods of str that ask something of every character.
var strTests = map[string]func(string) bool{
	"isalnum":      every(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
	"isalpha":      every(unicode.IsLetter),
	"isascii":      func(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7f }) < 0 },
	"isdecimal":    every(unicode.IsDigit),
	"isdigit":      every(isDigit),
	"isnumeric":    every(unicode.IsNumber),
	"isidentifier": func(s string) bool { return s != "" && isIdentifier(s) && nameLen(s) == len(s) },
	"islower":      func(s string) bool { return cased(s, unicode.IsLower, unicode.IsUpper) },
	"isupper":      func(s string) bool { return cased(s, unicode.IsUpper, unicode.IsLower) },
	"isprintable":  func(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 },
	"isspace":      every(isSpace),
	"istitle":      isTitle,
}

// every reports whether a text is not empty and f holds for all of it.
func every(f func(rune) bool) func(string) bool {
	return func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !f(r) }) < 0
	}
}

// isDigit is Python's: decimal digits and those that are digits in some other way, such as
// superscripts.
func isDigit(r rune) bool {
	return unicode.IsDigit(r) || r == 0xb2 || r == 0xb3 || r == 0xb9 || r == 0x2070 || r >= 0x2074 && r <= 0x2079 ||
		r >= 0x2080 && r <= 0x2089 || r >= 0x2460 && r <= 0x2468 || r >= 0x2776 && r <= 0x277e
}

// cased reports whether a text has letters with case and all of them are want.
func cased(s string, want, not func(rune) bool) bool {
	any := false
	for _, r := range s {
		if not(r) || unicode.IsTitle(r) {
			return false
		}
		any = any || want(r)
	}
	return any
}

func isCased(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r) }

func isTitle(s string) bool {
	inWord, any := false, false
	for _, r := range s {
		switch {
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			if inWord {
				return false
			}
			inWord, any = true, true
		case unicode.IsLower(r):
			if !inWord {
				return false
			}
			any = true
		default:
			inWord = false
		}
	}
	return any
}

// longUpper are the letters whose upper case is more than one letter, by Unicode's SpecialCasing.
var longUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
}

func upper(s string) string {
	u := strings.ToUpper(s)
	if strings.IndexFunc(u, func(r rune) bool { return longUpper[r] != "" }) < 0 {
		return u
	}
	var b strings.Builder
	for _, r := range u {
		b.WriteString(upperRune(r))
	}
	return b.String()
}

func upperRune(r rune) string {
	if long := longUpper[r]; long != "" {
		return long
	}
	return string(unicode.ToUpper(r))
}

// lower knows that a capital sigma at the end of a word has a form of its own, and İ a dot.
func lower(s string) string {
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == 'İ':
			b.WriteString("i̇")
		case r == 'Σ' && finalSigma(runes, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma reports whether a letter with case stands before i and none after it, marks and
// apostrophes aside.
func finalSigma(runes []rune, i int) bool {
	ignorable := func(r rune) bool {
		return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", r)
	}
	j := i - 1
	for j >= 0 && ignorable(runes[j]) {
		j--
	}
	k := i + 1
	for k < len(runes) && ignorable(runes[k]) {
		k++
	}
	return j >= 0 && isCased(runes[j]) && (k == len(runes) || !isCased(runes[k]))
}

// title is str.title: the first letter of every run of letters in title case, the others in lower
// case.
func title(s string) string {
	var b strings.Builder
	inWord := false
	for _, r := range s {
		switch {
		case inWord:
			b.WriteString(lower(string(r)))
		case longUpper[r] != "":
			b.WriteString(titleRune(r))
		default:
			b.WriteRune(unicode.ToTitle(r))
		}
		inWord = isCased(r)
	}
	return b.String()
}

// titleRune is the title case of one letter.
func titleRune(r rune) string {
	if long := longUpper[r]; long != "" {
		first := strings.IndexFunc(long, unicode.IsUpper)
		_, n := utf8.DecodeRuneInString(long[first:])
		return long[:first+n] + strings.ToLower(long[first+n:])
	}
	return string(unicode.ToTitle(r))
}

func swapCase(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			b.WriteString(lower(string(r)))
		case unicode.IsLower(r):
			b.WriteString(upperRune(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// longFold are the letters that casefold changes otherwise than lower does and that occur in
// living languages.
var longFold = map[rune]string{'ß': "ss", 'ẞ': "ss", 'ς': "σ", 'ſ': "s", 'ﬀ': "ff", 'ﬁ': "fi", 'ﬂ': "fl", 'ﬃ': "ffi", 'ﬄ': "ffl", 'ﬅ': "st", 'ﬆ': "st", 'µ': "μ", 'ŉ': "ʼn", 'İ': "i̇"}

func caseFold(s string) string {
	var b strings.Builder
	for _, r := range s {
		if long := longFold[r]; long != "" {
			b.WriteString(long)
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// capitalize is str.capitalize.
func (rt *runtime) capitalize(s *Str) *Str {
	rt.make(len(s.text))
	if s.text == "" {
		return s
	}
	first := s.index().at(1)
	head := s.slice(0, first).mapText(func(t string) string { return titleRune([]rune(t)[0]) })
	out := joinStrs(emptyStr, []*Str{head, s.slice(first, len(s.text)).mapText(lower)})
	if out.markup != s.markup {
		c := *out
		c.markup = s.markup
		return &c
	}
	return out
}
