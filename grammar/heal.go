package grammar

import (
	"bytes"

	"tenon/grammar/vocab"
)

// heal returns the tokens of a forced text that the model writes whatever follows. What is not
// known yet may share a token with the end of the text: that token begins wherever some token of
// the vocabulary begins with all that is left and is longer, and what stands before it is then cut
// as if it stood alone. The tokens in which all these ways agree are certain.
func heal(v *Vocab, text []byte, tokenize func([]byte) []int32) []int32 {
	tokens := cutOf(v, text, tokenize(text))
	for at := max(0, len(text)-vocab.MaxPiece); at < len(text) && len(tokens) > 0; at++ {
		if v.Trie().Extends(text[at:]) {
			tokens = common(tokens, tokenize(text[:at]))
		}
	}
	return tokens
}

// cutOf returns the tokens up to the first that is none of this text: nothing is certain from
// there on.
func cutOf(v *Vocab, text []byte, tokens []int32) []int32 {
	for i, id := range tokens {
		if id < 0 || int(id) >= v.Len() || !bytes.HasPrefix(text, v.Piece(id)) {
			return tokens[:i]
		}
		text = text[len(v.Piece(id)):]
	}
	return tokens
}

// common is the beginning that two lists have in common.
func common(a, b []int32) []int32 {
	for i := range a {
		if i == len(b) || a[i] != b[i] {
			return a[:i]
		}
	}
	return a
}
