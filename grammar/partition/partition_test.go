package partition

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// machine is things that lead to others, each with a colour.
type machine struct {
	colour []byte
	to     [][]int
	looked int // signatures taken
}

func (m *machine) signature(buf []byte, i int, class []int32) []byte {
	m.looked++
	buf = append(buf, m.colour[i])
	for _, j := range m.to[i] {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(class[j]))
	}
	return buf
}

func (m *machine) before() [][]int32 {
	before := make([][]int32, len(m.to))
	for i, to := range m.to {
		for _, j := range to {
			before[j] = append(before[j], int32(i))
		}
	}
	return before
}

// slowly numbers the things in rounds over all of them, until no class splits.
func (m *machine) slowly() []int32 {
	class := make([]int32, len(m.to))
	for count := 0; ; {
		ids := map[string]int32{}
		next := make([]int32, len(class))
		for i := range class {
			key := string(m.signature(nil, i, class))
			if _, ok := ids[key]; !ok {
				ids[key] = int32(len(ids))
			}
			next[i] = ids[key]
		}
		class = next
		if len(ids) == count {
			return class
		}
		count = len(ids)
	}
}

func TestCoarsest_isCoarsest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		m := machine{}
		n := 1 + rng.IntN(14)
		for range n {
			m.colour = append(m.colour, byte(rng.IntN(2)))
			var to []int
			for range rng.IntN(3) {
				to = append(to, rng.IntN(n))
			}
			m.to = append(m.to, to)
		}
		want, got := m.slowly(), Coarsest(n, m.signature, m.before())
		for i := range n {
			for j := range n {
				if (want[i] == want[j]) != (got[i] == got[j]) {
					t.Fatalf("%+v: %v, want %v", m, got, want)
				}
			}
		}
	}
}

// TestCoarsest_looksAgainOnlyWhereItMust: a chain splits at one place in each round.
func TestCoarsest_looksAgainOnlyWhereItMust(t *testing.T) {
	const n = 10_000
	m := machine{colour: make([]byte, n), to: make([][]int, n)}
	for i := range n - 1 {
		m.to[i] = []int{i + 1}
	}
	m.colour[n-1] = 1
	Coarsest(n, m.signature, m.before())
	if m.looked > 4*n {
		t.Errorf("%d signatures for a chain of %d", m.looked, n)
	}
}
