//go:build cgo

package llama

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestText is how many bytes are tokenized at once: what is set aside for each is many times as
// long.
const longestText = 1 << 20

// cutText is where a text is cut: before a space, if there is one, else between characters.
func cutText(text string) int {
	if len(text) <= longestText {
		return len(text)
	}
	if space := strings.LastIndexByte(text[:longestText], ' '); space > longestText/2 {
		return space
	}
	cut := longestText
	for cut > longestText-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return cut
}

// longestRun is how many bytes without white space, or of nothing else, are split into words at
// once. llama.cpp splits by regular expressions of the C++ library's, which call themselves for
// each letter of a word: 100,000 brackets end the process for want of stack.
const longestRun = 2048

// cutRun is where a text is cut so that what is before has no longer run: at its end, if it has
// none. A word ends there, if one ends in the run.
func cutRun(text string) int {
	begin, word := 0, 0 // of the run; where a word ended in it
	var last rune
	for at, r := range text {
		if at > 0 && unicode.IsSpace(r) != unicode.IsSpace(last) {
			begin, word = at, 0
		}
		if letter(last) && !letter(r) && at > begin {
			word = at
		}
		if at-begin >= longestRun {
			return cmp.Or(word, at)
		}
		last = r
	}
	return len(text)
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }
