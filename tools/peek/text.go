package peek

import (
	"strings"
	"unicode/utf8"
)

// Incomplete returns how many bytes at the end of b are the start of a character.
func Incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if utf8.RuneStart(b[len(b)-n]) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// ReplaceInvalid replaces each invalid byte, not each run of them, so that every cut of the text gives the same.
func ReplaceInvalid(b []byte) string {
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}
