package scan

import (
	"bytes"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// inputLabels are what models call the arguments, beside the family's own label.
var inputLabels = []string{"Action Inputs:", "Action Arguments:", "Action Parameters:", "Action Args:", "Input:", "Inputs:", "Arguments:", "Argument:", "Args:", "Parameters:", "Params:"}

// inputAt tells whether the label of arguments stands at the start of text, and how long it is. If
// the answer is no and n is not 0, the label's word stands there, but no label.
func (s *reactScanner) inputAt(text []byte, final bool) (n int, a peek.Answer) {
	_, a = peek.First(append([]string{s.Input}, inputLabels...), func(l string) (b peek.Answer) {
		k, b := LabelAt(text, l, s.Loose, final)
		n = max(n, k)
		return b
	})
	if a != peek.No || n == 0 {
		return n, a
	}
	k, a := colonless(text[n:], final)
	return n + k, a
}

// maxNote bounds what stands in brackets between a label's word and its colon.
const maxNote = 64

// colonless tells whether the word before text is a label, though no colon stands behind it: if a
// line break, the start of a value, = or - follows, or a note in brackets with the colon behind
// it. n is how long the mark is.
func colonless(text []byte, final bool) (n int, a peek.Answer) {
	if len(text) == 0 {
		return 0, peek.AtLast(final)
	}
	switch text[0] {
	case '\n', '\r', '{', '`', '"':
		return 0, peek.Yes
	case '=':
		return 1, peek.Yes
	case '-':
		return 1, peek.Prefix(text[1:], " ", final)
	case '(':
		text = text[:min(len(text), maxNote)]
		end := bytes.IndexAny(text, ")\n")
		switch {
		case end < 0:
			return 0, peek.Boolean(!final && len(text) < maxNote, peek.Unknown)
		case text[end] == ')':
			return end + len("):"), peek.Prefix(text[end:], "):", final)
		}
	}
	return 0, peek.No
}

// Bold is what some models write around labels.
const Bold = "**"

// FirstLabel is the first of some labels that stands at the start of text, and how long it is.
func FirstLabel(labels []format.Label, text []byte, loose, final bool) (l format.Label, n int, a peek.Answer) {
	l, a = peek.First(labels, func(l format.Label) (a peek.Answer) {
		n, a = LabelAt(text, l.Text, loose, final)
		return a
	})
	return l, n, a
}

// labelMarks are what stands behind the word of a label, its colon among them.
var labelMarks = []string{":", wideColon, " ", "\t", peek.ByteOrderMark, Bold}

// wideColon is the colon of Chinese and Japanese text.
const wideColon = "："

const (
	maxHeading = 8 // marks and spaces of a heading
	maxMarks   = 8 // bytes between a label's word and its end
)

// LabelAt tells whether a label stands at the start of text, and how long it is: its word and a
// colon, spaces between them, as a heading, and in bold letters with the colon inside or outside
// of them. A loose label may also have a number, or be an item of a list. Lines of texts begin so,
// too: it counts where a step begins, and in a step that began so.
func LabelAt(text []byte, label string, loose, final bool) (n int, a peek.Answer) {
	if loose && len(text) > 0 && (text[0] == '-' || text[0] == '*') {
		switch peek.Prefix(text[1:], " ", final) {
		case peek.Unknown:
			return 0, peek.Unknown
		case peek.Yes:
			n = len("- ")
		}
	}
	for n < min(len(text), maxHeading) && (text[n] == '#' || n > 0 && text[n] == ' ') {
		n++
	}
	inBold := peek.Prefix(text[n:], Bold, final)
	if inBold == peek.Unknown {
		return 0, peek.Unknown
	}
	if inBold == peek.Yes {
		n += len(Bold)
	}
	if n < len(text) && text[n]|0x20 != label[0]|0x20 { // as nearly always
		return 0, peek.No
	}
	size, a := wordAt(text[n:], strings.TrimSuffix(label, ":"), loose, final)
	if a != peek.Yes {
		return 0, a
	}
	n += size
	for open, colon, from := inBold == peek.Yes, false, n; n < from+maxMarks; {
		if loose && !colon && n < len(text) && numbers(text[n]) {
			n++
			continue
		}
		mark, a := peek.AnyPrefix(text[n:], labelMarks, final)
		isColon := mark == ":" || mark == wideColon
		switch {
		case a != peek.Yes:
			return n, a
		case mark == Bold && open:
			open = false
		case isColon && !colon:
			colon = true
		case mark == Bold || isColon || colon:
			return n, peek.No
		}
		if n += len(mark); colon && !open {
			return n, peek.Yes
		}
	}
	return n, peek.No
}

// wordAt tells whether the word of a label stands at the start of text, and how long it is. What
// joins its parts differs.
func wordAt(text []byte, word string, loose, final bool) (n int, a peek.Answer) {
	for part := range strings.FieldsSeq(word) {
		for from := n; from > 0 && n < min(len(text), from+maxMarks) && (strings.IndexByte(" _-", text[n]) >= 0 || loose && numbers(text[n])); {
			n++
		}
		if a = peek.PrefixFold(text[n:], part, final); a != peek.Yes {
			return 0, a
		}
		n += len(part)
	}
	return n, peek.Yes
}

// numbers tells whether a byte may belong to the number of a step.
func numbers(c byte) bool { return c == '#' || c >= '0' && c <= '9' }
