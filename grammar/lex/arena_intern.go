package lex

import "slices"

// interner maps the hash of an item to its index in a slice that the caller owns; open addressing,
// no deletion.
type interner struct {
	slots  []internSlot
	filled int
}

type internSlot struct {
	hash uint32
	id   int32 // index + 1; 0 is a free slot
}

// find returns the index of the item with this hash for which same is true, or -1.
func (t *interner) find(hash uint64, same func(id int32) bool) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	h := uint32(hash>>32) ^ uint32(hash)
	for i := int(h) & (len(t.slots) - 1); ; i = (i + 1) & (len(t.slots) - 1) {
		s := t.slots[i]
		if s.id == 0 {
			return -1
		}
		if s.hash == h && same(s.id-1) {
			return s.id - 1
		}
	}
}

// add records an item that find did not find.
func (t *interner) add(hash uint64, id int32) {
	if 2*(t.filled+1) > len(t.slots) {
		old := t.slots
		t.slots = make([]internSlot, max(256, 2*len(old)))
		for _, s := range old {
			if s.id != 0 {
				t.put(s)
			}
		}
	}
	t.filled++
	t.put(internSlot{uint32(hash>>32) ^ uint32(hash), id + 1})
}

func (t *interner) put(s internSlot) {
	i := int(s.hash) & (len(t.slots) - 1)
	for t.slots[i].id != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = s
}

func (t *interner) clone() interner { return interner{slices.Clone(t.slots), t.filled} }

// mix folds v into the hash h.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9E3779B97F4A7C15
	return h ^ h>>29
}
