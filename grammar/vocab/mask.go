package vocab

import (
	"math/bits"
	"slices"
)

// MaskKind says how a Mask is represented.
type MaskKind uint8

// The representations of masks.
const (
	Sparse MaskKind = iota // IDs lists the allowed tokens
	Dense                  // Bits holds one bit per token
	AllBut                 // IDs lists the refused tokens
)

// Mask is a set of tokens. It is immutable and shared: callers must not change what its methods
// return.
type Mask struct {
	kind MaskKind
	ids  []int32
	bits []uint64
	n    int
}

// fewIDs is the length up to which a list is kept instead of a bitset: a sampler handles it
// without looking at every token.
const fewIDs = 2048

// SortedIDs is the length up to which sorting a list is cheaper than going through a bitset.
const SortedIDs = 128

// SparseMask is the mask of the listed tokens, which need not be sorted or distinct.
func SparseMask(ids []int32, size int) Mask {
	if len(ids) > SortedIDs {
		set := make([]uint64, (size+63)/64)
		for _, id := range ids {
			set[id>>6] |= 1 << (id & 63)
		}
		return DenseMask(set, size)
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return Mask{kind: Sparse, ids: ids, n: len(ids)}
}

// DenseMask is the mask of the set bits. A mask that refuses only few of the size tokens becomes a
// list of those.
func DenseMask(set []uint64, size int) Mask {
	n := countBits(set)
	switch {
	case n <= fewIDs:
		return Mask{kind: Sparse, ids: listBits(set, size, 0, n), n: n}
	case size-n <= fewIDs:
		return Mask{kind: AllBut, ids: listBits(set, size, ^uint64(0), size-n), n: n}
	}
	return Mask{kind: Dense, bits: slices.Clone(set), n: n}
}

func countBits(set []uint64) (n int) {
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// listBits lists the bits that differ from those of flip.
func listBits(set []uint64, size int, flip uint64, n int) []int32 {
	ids := make([]int32, 0, n)
	for i, w := range set {
		for w ^= flip; w != 0; w &= w - 1 {
			if id := i<<6 + bits.TrailingZeros64(w); id < size {
				ids = append(ids, int32(id))
			}
		}
	}
	return ids
}

// Kind says which of IDs and Bits is set.
func (m Mask) Kind() MaskKind { return m.kind }

// IDs lists the allowed tokens of a Sparse mask, the refused ones of an AllBut mask, in ascending
// order.
func (m Mask) IDs() []int32 { return m.ids }

// Bits is the bitset of a Dense mask: token t is bit t%64 of word t/64.
func (m Mask) Bits() []uint64 { return m.bits }

// Len is the number of allowed tokens.
func (m Mask) Len() int { return m.n }

// Allows says whether a token is in the mask.
func (m Mask) Allows(token int32) bool {
	switch m.kind {
	case Sparse:
		_, found := slices.BinarySearch(m.ids, token)
		return found
	case AllBut:
		_, found := slices.BinarySearch(m.ids, token)
		return !found
	}
	return int(token>>6) < len(m.bits) && m.bits[token>>6]>>(token&63)&1 != 0
}

// Equals says whether the mask's tokens are the set bits.
func (m Mask) Equals(set []uint64) bool {
	if m.kind == Dense {
		return slices.Equal(m.bits, set)
	}
	for _, id := range m.ids {
		if set[id>>6]>>(id&63)&1 != 0 != (m.kind == Sparse) {
			return false
		}
	}
	return countBits(set) == m.n
}

// Size is roughly how many bytes the mask takes in memory.
func (m Mask) Size() int { return 4*len(m.ids) + 8*len(m.bits) + 64 }
