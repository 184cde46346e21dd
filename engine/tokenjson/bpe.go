package tokenjson

import (
	"fmt"
	"unicode/utf8"

	"tenon/engine/bytepair"
	"tenon/grammar/vocab"
)

// bpe turns words into tokens: they begin as bytes or characters, and of the pairs of neighbours
// that are joined, the one with the lowest rank is, until there is none.
type bpe struct {
	ids   map[string]int32 // tokens of plain text
	joins map[uint64]join  // by pair
	bytes [256]int32       // the token of each byte
	runes bool             // words begin as characters, and as bytes where one is no token
	whole bool             // a word that is a token is one, whatever is joined
}

// join is what a pair becomes, and when: ranks below 1<<24 are exact as a float32.
type join struct{ rank, id int32 }

func pairOf(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// newBPE reads what is joined, and finds the tokens of the bytes: without one, text would be lost.
// No plain text becomes a control token, whatever the file says.
func newBPE(f *file, v *vocabulary, byBytes bool) (*bpe, error) {
	b := &bpe{ids: make(map[string]int32, len(v.ids)), runes: !byBytes, whole: f.Model.IgnoreMerges}
	for text, id := range v.ids {
		switch kind := v.kinds[id]; {
		case kind != vocab.Normal && kind != vocab.UserDefined:
		case byBytes:
			b.ids[string(v.pieces[id])] = id
		default:
			b.ids[text] = id
		}
	}
	b.joins = make(map[uint64]join, len(f.Model.Merges))
	for rank, m := range f.Model.Merges {
		left, okLeft := v.ids[m[0]]
		right, okRight := v.ids[m[1]]
		both, ok := v.ids[m[0]+m[1]]
		if !okLeft || !okRight || !ok {
			return nil, fmt.Errorf("%.40q and %.40q are to be joined, and are no tokens or become none", m[0], m[1])
		}
		if v.kinds[both] != vocab.Control {
			b.joins[pairOf(left, right)] = join{int32(rank), both}
		}
	}
	for n := range b.bytes {
		name := fmt.Sprintf("<0x%02X>", n)
		if byBytes {
			name = string(letters[n])
		}
		id, ok := v.ids[name]
		if !ok || v.kinds[id] == vocab.Control {
			return nil, fmt.Errorf("no token spells the byte %#02x: there is no %q", n, name)
		}
		b.bytes[n] = id
	}
	return b, nil
}

// append adds a word's tokens. It takes time by the word's length times its logarithm.
func (b *bpe) append(ids []int32, word string) []int32 {
	if id, ok := b.ids[word]; ok && (b.whole || len(word) == 1) {
		return append(ids, id)
	}
	return append(ids, bytepair.Join(b.symbols(word), func(left, right int32) (int32, float32, bool) {
		j, ok := b.joins[pairOf(left, right)]
		return j.id, float32(j.rank), ok
	})...)
}

// symbols are the tokens that a word begins as.
func (b *bpe) symbols(word string) []int32 {
	all := make([]int32, 0, len(word))
	for at := 0; at < len(word); {
		size := 1
		if b.runes {
			_, size = utf8.DecodeRuneInString(word[at:])
			if id, ok := b.ids[word[at:at+size]]; ok {
				all, at = append(all, id), at+size
				continue
			}
		}
		for range size {
			all, at = append(all, b.bytes[word[at]]), at+1
		}
	}
	return all
}
