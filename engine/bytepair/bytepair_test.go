package bytepair

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Joining by a queue gives what looking through all pairs each time gives.
func TestJoin_asByLookingAtAllPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		costs := map[string]float32{}
		both := func(left, right string) (string, float32, bool) {
			joined := left + right
			if _, known := costs[joined]; !known {
				costs[joined] = float32(r.IntN(4)) // 3: never
			}
			return joined, costs[joined], costs[joined] < 3 && len(joined) < 5
		}
		parts := make([]string, r.IntN(20))
		for i := range parts {
			parts[i] = string(rune('a' + r.IntN(3)))
		}
		want := slices.Clone(parts)
		for {
			best, least := -1, float32(3)
			for i := range len(want) - 1 {
				if _, cost, ok := both(want[i], want[i+1]); ok && cost < least {
					best, least = i, cost
				}
			}
			if best < 0 {
				break
			}
			want[best] += want[best+1]
			want = slices.Delete(want, best+1, best+2)
		}
		if got := Join(slices.Clone(parts), both); !slices.Equal(got, want) {
			t.Fatalf("%v became %v, want %v", parts, got, want)
		}
	}
}

// The work grows with a text's length times its logarithm, not with its square.
func TestJoin_asksForEachPairAFewTimes(t *testing.T) {
	asked := 0
	parts := strings.Split(strings.Repeat("ab", 5000), "")
	Join(parts, func(left, right string) (string, float32, bool) {
		asked++
		return left + right, float32(len(left) + len(right)), len(left)+len(right) < 64
	})
	if asked > 4*len(parts) {
		t.Errorf("asked %d times for %d parts", asked, len(parts))
	}
}
