package scan

import (
	"strings"

	"tenon/tools/peek"
)

// Bold is what some models write around labels.
const Bold = "**"

// LabelAt tells whether a label stands at the start of text, and how long it is: its word and a colon, spaces between them, and in
// bold letters with the colon inside or outside of them.
func LabelAt(text []byte, label string, final bool) (n int, a peek.Answer) {
	inBold := peek.Prefix(text, Bold, final)
	if inBold == peek.Unknown {
		return 0, peek.Unknown
	}
	if inBold == peek.Yes {
		n = len(Bold)
	}
	word := strings.TrimSuffix(label, ":")
	if a := peek.Prefix(text[n:], word, final); a != peek.Yes {
		return 0, a
	}
	n += len(word)
	colon, closed := false, inBold != peek.Yes
	for from := n; n < len(text) && n < from+4; {
		switch c := text[n]; {
		case c == ' ' && !colon:
			n++
		case c == ':' && !colon:
			colon = true
			n++
		case !closed && c == Bold[0]:
			if a := peek.Prefix(text[n:], Bold, final); a != peek.Yes {
				return 0, a
			}
			closed = true
			n += len(Bold)
		default:
			return n, peek.Boolean(colon && closed, peek.Yes)
		}
		if colon && closed {
			return n, peek.Yes
		}
	}
	return n, peek.Boolean(!final && n == len(text), peek.Unknown)
}
