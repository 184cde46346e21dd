//go:build cgo

package llama

// #include "shim.h"
import "C"

import (
	"slices"
	"strings"

	"tenon/engine/bytepair"
)

// spm tokenizes as llama.cpp does with a vocabulary of SentencePiece's: from characters, the pair
// whose token has the highest score is joined until no pair is a token. llama.cpp's own time grows
// with the square of the bytes that no token spells.
type spm struct {
	ids    textIDs
	scores []float32
	bytes  [256]int32 // the token of each byte that no token spells
	prefix bool       // a space goes before each plain text
}

const escapedSpace = "\u2581"

func newSPM(v *Vocab) *spm {
	s := &spm{scores: make([]float32, v.size)}
	s.ids = newTextIDs(v, s.scores)
	unknown := NoToken
	for id := range int32(v.size) {
		if v.Attr(id)&Unknown != 0 {
			unknown = id
		}
	}
	const hex = "0123456789ABCDEF"
	for b := range s.bytes {
		id, ok := s.ids.of("<0x" + string(hex[b>>4]) + string(hex[b&15]) + ">")
		if !ok {
			if id, ok = s.ids.of(string([]byte{byte(b)})); !ok {
				id = unknown // llama.cpp ends the process
			}
		}
		s.bytes[b] = id
	}
	// Whether a space goes before is said nowhere: llama.cpp's own tokens of a letter tell.
	own, err := v.TokenizeAtOnce("a", TokenizeOptions{})
	s.prefix = err == nil && !slices.Equal(own, s.append(nil, "a"))
	return s
}

// span is a part of a text: a character, or characters that were joined.
type span struct{ at, size int32 }

func (s span) of(text string) string { return text[s.at:][:s.size] }

// append adds the tokens of a plain text.
func (s *spm) append(ids []int32, text string) []int32 {
	text = strings.ReplaceAll(text, " ", escapedSpace)
	joined := bytepair.Join(characters(text), func(left, right span) (span, float32, bool) {
		both := span{left.at, left.size + right.size}
		id, ok := s.ids.of(both.of(text))
		if !ok {
			return both, 0, false
		}
		return both, -s.scores[id], true
	})
	for _, part := range joined {
		if id, ok := s.ids.of(part.of(text)); ok {
			ids = append(ids, id)
			continue
		}
		for _, b := range []byte(part.of(text)) {
			if s.bytes[b] != NoToken {
				ids = append(ids, s.bytes[b])
			}
		}
	}
	return ids
}

// characters cuts a text where UTF-8's first bytes say, whatever follows them.
func characters(text string) []span {
	const sizes = "\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x02\x02\x03\x04"
	all := make([]span, 0, len(text))
	for at := 0; at < len(text); {
		size := min(int(sizes[text[at]>>4]), len(text)-at)
		all = append(all, span{int32(at), int32(size)})
		at += size
	}
	return all
}
