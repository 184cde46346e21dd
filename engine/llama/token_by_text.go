//go:build cgo

package llama

// #include "shim.h"
import "C"

import (
	"hash/maphash"
	"math/bits"
	"unsafe"
)

// textIDs finds a token by its text, while the model is open. It is a hash table of numbers: a map
// of Go's takes 15 MB for the 262,144 tokens of Gemma 3, this takes 4, because texts stay where
// llama.cpp holds them.
type textIDs struct {
	seed  maphash.Seed
	texts []*C.char // by id; a 0 ends each
	// ids, each in the first free slot from where its text's hash points
	slots []int32
}

// newTextIDs also sets the tokens' scores.
func newTextIDs(v *Vocab, scores []float32) textIDs {
	t := textIDs{seed: maphash.MakeSeed(), texts: make([]*C.char, v.size), slots: make([]int32, 1<<bits.Len(uint(3*v.size/2)))}
	for i := range t.slots {
		t.slots[i] = NoToken
	}
	if v.size == 0 {
		return t
	}
	sizes := make([]C.uint32_t, v.size)
	C.tn_texts(v.ptr, &t.texts[0], &sizes[0], (*C.float)(&scores[0]))
	for id, text := range t.texts {
		// of tokens with one text the last is found
		t.slots[t.slot(unsafe.String((*byte)(unsafe.Pointer(text)), int(sizes[id])))] = int32(id)
	}
	return t
}

// of is a text's token.
func (t textIDs) of(text string) (id int32, ok bool) {
	id = t.slots[t.slot(text)]
	return id, id != NoToken
}

// slot is where a text's token stands, or would.
func (t textIDs) slot(text string) int {
	last := len(t.slots) - 1
	i := int(maphash.String(t.seed, text)) & last
	for t.slots[i] != NoToken && !spells(t.texts[t.slots[i]], text) {
		i = (i + 1) & last
	}
	return i
}

// spells tells whether a text of C's is one of Go's.
func spells(c *C.char, text string) bool {
	at := unsafe.Pointer(c)
	for i := range len(text) {
		b := *(*byte)(unsafe.Add(at, i))
		if b != text[i] || b == 0 {
			return false
		}
	}
	return *(*byte)(unsafe.Add(at, len(text))) == 0
}
