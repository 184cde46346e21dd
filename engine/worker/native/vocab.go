//go:build cgo

package native

import (
	"slices"
	"strings"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// newVocab brings a model's vocabulary into the form that masks are computed from.
func newVocab(v *llama.Vocab) (*grammar.Vocab, error) {
	kinds := make([]grammar.TokenKind, v.Size())
	for id := range kinds {
		kinds[id] = kind(v.Attr(int32(id)))
	}
	return grammar.NewVocab(v.Pieces(true), kinds, v.Ends())
}

func kind(a llama.Attr) grammar.TokenKind {
	switch {
	case a&llama.Control != 0:
		return vocab.Control
	case a&llama.UserDefined != 0:
		return vocab.UserDefined
	case a&llama.Byte != 0:
		return vocab.Byte
	case a&llama.Unused != 0:
		return vocab.Unused
	case a&llama.Unknown != 0:
		return vocab.Unknown
	}
	return vocab.Normal
}

// describeVocab lists the markers: control tokens, and those user-defined tokens that templates
// write or that are named. Of the others many are plain text: runs of spaces, HTML tags.
func describeVocab(v *llama.Vocab, template string, named []string) engine.Vocab {
	added := func(m engine.Marker) bool {
		return v.Attr(m.ID)&llama.UserDefined != 0 && strings.TrimSpace(m.Text) != "" &&
			(strings.Contains(template, m.Text) || slices.Contains(named, m.Text))
	}
	d := engine.Vocab{Size: v.Size(), AddBOS: v.AddBOS()}
	d.BOS, d.EOS = string(v.Piece(v.BOS(), true)), string(v.Piece(v.EOS(), true))
	for id := range int32(v.Size()) {
		m := engine.Marker{ID: id, Text: string(v.Piece(id, true)), Control: v.IsControl(id), End: v.IsEnd(id)}
		if m.Text != "" && (m.Control || m.End || added(m)) {
			d.Markers = append(d.Markers, m)
		}
	}
	return d
}
