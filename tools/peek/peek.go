package peek

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Answer is what a look at text that may still grow can say.
type Answer uint8

const (
	No Answer = iota
	Yes
	Unknown // more text decides
)

// Prefix tells whether text starts with t, or may once it is longer.
func Prefix(text []byte, t string, final bool) Answer {
	Examine(1)
	n := min(len(text), len(t))
	switch {
	case n > 0 && text[0] != t[0], string(text[:n]) != t[:n]:
		return No
	case n == len(t):
		return Yes
	case final:
		return No
	}
	return Unknown
}

// PrefixFold is Prefix where the case of ASCII letters does not count.
func PrefixFold(text []byte, t string, final bool) Answer {
	Examine(1)
	n := min(len(text), len(t))
	switch {
	case !strings.EqualFold(string(text[:n]), t[:n]):
		return No
	case n == len(t):
		return Yes
	}
	return Boolean(!final, Unknown)
}

// AnyPrefix returns the text among ts that text starts with, the longest if there are several.
func AnyPrefix(text []byte, ts []string, final bool) (string, Answer) {
	best, found := "", No
	for _, t := range ts {
		n := min(len(text), len(t))
		if t == "" || n > 0 && text[n-1] != t[n-1] { // most end here, without a call
			continue
		}
		switch Prefix(text, t, final) {
		case Yes:
			if len(t) > len(best) {
				best = t
			}
			if found == No {
				found = Yes
			}
		case Unknown:
			found = Unknown
		}
	}
	return best, found
}

// AnyTag is AnyPrefix where one white space may stand in a closing tag, anywhere behind its first
// byte, as some models write it. The tag comes back as it is written.
func AnyTag(text []byte, ts []string, final bool) (string, Answer) {
	best, found := AnyPrefix(text, ts, final)
	if found != No || len(text) < len("</") {
		return best, found
	}
	for _, t := range ts {
		// as nearly always
		if len(t) <= len("</") || text[0] != t[0] || !IsSpace(text[1]) && (len(text) == 2 || text[2] != t[2] && !IsSpace(text[2])) {
			continue
		}
		n, a := Broken(text, t, final)
		if a == Yes && n > len(best) {
			best = string(text[:n])
		}
		found = max(found, a)
	}
	return best, found
}

// Broken tells whether a closing tag with a white space in it stands at the start of text, and how
// long it is then.
func Broken(text []byte, tag string, final bool) (n int, a Answer) {
	for n < len(text) && n < len(tag) && text[n] == tag[n] {
		n++
	}
	if n == len(text) || n == len(tag) || !IsSpace(text[n]) || !strings.Contains(tag[:n+1], "</") {
		return 0, No
	}
	return len(tag) + 1, Prefix(text[n+1:], tag[n:], final)
}

// CutOff tells whether text begins one of some tags and is cut off in it: nothing follows but
// white space, or one of some ends. n is how much of the tag there is.
func CutOff(text []byte, tags []string, ends *Texts, final bool) (n int, found Answer) {
	for _, t := range tags {
		k := 0
		for k < min(len(text), len(t)-1) && text[k] == t[k] {
			k++
		}
		if k == 0 || k == 1 && NameByte(t[0]) {
			continue
		}
		rest := SkipSpace(text[:min(len(text), k+MaxGap)], k)
		if rest == len(text) && found != Yes {
			n, found = k, AtLast(final)
		}
		// the end may go on as the tag does
		for i := rest; i < len(text) && i > 0; i = min(i, k+1) - 1 {
			if !ends.Begin(text[i]) { // as nearly always
				continue
			}
			if _, a := ends.At(text[i:], final); a > found || a == Yes && i < n {
				n, found = min(i, k), a
			}
		}
	}
	return n, found
}

// EndsWithTag tells whether text ends with one of some tags, perhaps with a white space in it.
func EndsWithTag(text []byte, tags []string) bool {
	last := text[max(0, bytes.LastIndexByte(text, '<')):]
	return slices.ContainsFunc(tags, func(t string) bool {
		n, a := Broken(last, t, true)
		return t != "" && bytes.HasSuffix(text, []byte(t)) || a == Yes && n == len(last)
	})
}

// Bytes is a set of bytes.
type Bytes [4]uint64

// Add puts a byte into the set.
func (s *Bytes) Add(c byte) { s[c/64] |= 1 << (c % 64) }

// Has tells whether a byte is in the set.
func (s *Bytes) Has(c byte) bool { return s[c/64]&(1<<(c%64)) != 0 }

// Index is where the first byte of the set stands in text, -1 if none does. Made once for many
// texts of a few bytes, it is faster than [bytes.IndexAny].
func (s *Bytes) Index(text []byte) int {
	for i, c := range text {
		if s.Has(c) {
			return i
		}
	}
	return -1
}

// Texts are looked for at a place of a text all at once. The first byte tells for most places that
// none of them stands there, however many they are. The zero value holds none.
type Texts struct {
	All    []string
	starts Bytes
	by     [][]string // by their first byte, less the least of these
	least  byte
}

// NewTexts makes a set of some texts.
func NewTexts(all []string) Texts {
	t := Texts{All: all, least: 0xff}
	most := byte(0)
	for _, s := range all {
		if s != "" {
			t.starts.Add(s[0])
			t.least, most = min(t.least, s[0]), max(most, s[0])
		}
	}
	t.by = make([][]string, max(0, int(most)-int(t.least)+1))
	for _, s := range all {
		if s != "" {
			at := &t.by[s[0]-t.least]
			*at = append(*at, s)
		}
	}
	return t
}

// Begin tells whether one of the texts begins with a byte.
func (t *Texts) Begin(c byte) bool { return t.starts.Has(c) }

// At is AnyPrefix of the texts.
func (t *Texts) At(text []byte, final bool) (string, Answer) {
	return AnyPrefix(text, t.of(text), final)
}

// Tag is AnyTag of the texts.
func (t *Texts) Tag(text []byte, final bool) Answer {
	if len(text) > 0 && !t.Begin(text[0]) { // as at most places
		return No
	}
	_, a := AnyTag(text, t.of(text), final)
	return a
}

// of are those of the texts that begin as text does.
func (t *Texts) of(text []byte) []string {
	switch {
	case len(text) == 0:
		return t.All
	case !t.Begin(text[0]):
		return nil
	}
	return t.by[text[0]-t.least]
}

// First is the first of a list of which try says that it is there; else it tells whether one may
// be.
func First[T any](list []T, try func(T) Answer) (found T, a Answer) {
	for _, t := range list {
		switch try(t) {
		case Yes:
			return t, Yes
		case Unknown:
			a = Unknown
		}
	}
	return found, a
}

// SkipSpace is the first offset from i on that holds no white space.
func SkipSpace(text []byte, i int) int {
	from := i
	for i < len(text) && IsSpace(text[i]) {
		i++
	}
	Examine(i - from)
	return i
}

// ByteOrderMark is what some models begin their output or a line with, or write beside a call.
const ByteOrderMark = "\ufeff"

// SkipLayout is SkipSpace that skips byte order marks, too. cut says that text may begin one
// there.
func SkipLayout(text []byte, i int, final bool) (j int, cut bool) {
	for {
		i = SkipSpace(text, i)
		switch Prefix(text[i:], ByteOrderMark, final) {
		case No:
			return i, false
		case Unknown:
			return i, i < len(text)
		}
		i += len(ByteOrderMark)
	}
}

// IsSpace tells whether a byte is white space in JSON.
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// Boolean is a if b, else No.
func Boolean(b bool, a Answer) Answer {
	if b {
		return a
	}
	return No
}

// NameByte tells whether a byte may stand in a name.
func NameByte(c byte) bool {
	return c >= '-' && c <= ':' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// AtLast is the answer at the end of what has come: yes if nothing follows.
func AtLast(final bool) Answer {
	if final {
		return Yes
	}
	return Unknown
}

// MaxTag bounds a name or a key with its attributes.
const MaxTag = 1024

// MaxGap bounds the white space between the end of a value and the tag that proves it.
const MaxGap = 256

// WordByte tells whether a byte belongs to a word. Scripts without spaces write names right behind
// other words.
func WordByte(c byte) bool { return c < 0x80 && NameByte(c) }

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

// ReplaceInvalid replaces each invalid byte, not each run of them, so that every cut of the text
// gives the same.
func ReplaceInvalid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// Examined is told how many bytes are looked at, where a test counts them: what a parser costs
// must grow with the text and no faster, and a clock cannot tell that on a machine that does other
// work. It is nil but in such a test, during which nothing else parses.
var Examined func(bytes int)

// Examine tells of bytes that are looked at.
func Examine(bytes int) {
	if Examined != nil {
		Examined(bytes)
	}
}
