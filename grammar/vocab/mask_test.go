package vocab

import (
	"slices"
	"testing"
)

// TestMask_equalsTheTokensThatItIsMadeOf, whichever way it holds them, and no others.
func TestMask_equalsTheTokensThatItIsMadeOf(t *testing.T) {
	const size = 3*fewIDs + 5
	for _, n := range []int{0, 3, fewIDs + 1, size - 3, size} {
		set := make([]uint64, (size+63)/64)
		for id := range n {
			set[id>>6] |= 1 << (id & 63)
		}
		m := DenseMask(set, size)
		if !m.Equals(set) || m.Len() != n {
			t.Errorf("%d tokens: %v of %d", n, m.Kind(), m.Len())
		}
		for _, id := range []int{0, 2, fewIDs, size - 2, size - 1} {
			other := slices.Clone(set)
			if other[id>>6] ^= 1 << (id & 63); m.Equals(other) {
				t.Errorf("%d tokens are those without or with %d", n, id)
			}
		}
	}
}
