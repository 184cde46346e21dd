//go:build cgo

package native

import (
	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/tokens"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// newVocab brings a model's vocabulary into the form that masks are computed from.
func newVocab(v *llama.Vocab) (*grammar.Vocab, error) {
	kinds := make([]grammar.TokenKind, v.Size())
	for id := range kinds {
		kinds[id] = kind(v.Attr(int32(id)))
	}
	return grammar.NewVocab(v.Pieces(), kinds, v.Ends())
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

// describeVocab says what is known of a vocabulary outside the engine.
func describeVocab(file *llama.Vocab, v *grammar.Vocab, template string, named []string) engine.Vocab {
	return engine.Vocab{
		Size: v.Len(), AddBOS: file.AddBOS(), Markers: tokens.Markers(v, template, named),
		BOS: string(file.Piece(file.BOS())), EOS: string(file.Piece(file.EOS())),
	}
}
