package tokens

import (
	"slices"
	"strings"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// Markers lists a vocabulary's markers: control tokens, and those user-defined tokens that
// templates write or that are named. Of the others many are plain text: runs of spaces, HTML tags.
func Markers(v *grammar.Vocab, template string, named []string) (all []engine.Marker) {
	for id := range int32(v.Len()) {
		kind, text := v.Kind(id), string(v.Piece(id))
		m := engine.Marker{ID: id, Text: text, Control: kind == vocab.Control, End: v.IsEOG(id)}
		added := kind == vocab.UserDefined && strings.TrimSpace(text) != "" &&
			(strings.Contains(template, text) || slices.Contains(named, text))
		if text != "" && (m.Control || m.End || added) {
			all = append(all, m)
		}
	}
	return all
}
