package machine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKeySets_areWhatIsInThem: whatever order keys come in, equal sets are one, and they share
// what they have in common.
func TestKeySets_areWhatIsInThem(t *testing.T) {
	s := newKeySets()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		keys := make([]textID, rng.IntN(60))
		for i := range keys {
			keys[i] = textID(1 + rng.IntN(1<<(1+rng.IntN(30))))
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		var first keysID
		for round := range 3 {
			id := noKeys
			for n, i := range rng.Perm(len(keys)) {
				if s.has(id, keys[i]) {
					t.Fatalf("%d of %v is there before it comes", keys[i], keys)
				}
				var ok bool
				from := len(s.nodes)
				if id, ok = s.with(id, keys[i]); !ok || !s.has(id, keys[i]) || len(s.appendKeys(nil, id)) != n+1 {
					t.Fatalf("%d of %v is not there", keys[i], keys)
				}
				if again, _ := s.with(id, keys[i]); again != id || n == 0 && len(s.nodes) > from+1 {
					t.Fatalf("with %d, which is there, the set %d is %d, of %d nodes", keys[i], id, again, len(s.nodes)-from)
				}
			}
			if round == 0 {
				first = id
			}
			if got := s.appendKeys(nil, id); id != first || !slices.Equal(got, keys) {
				t.Fatalf("set %d with %v, then %d with %v", first, keys, id, got)
			}
		}
	}
	full := newKeySets()
	full.nodes = make([]keyNode, maxKeySets)
	if _, ok := full.with(noKeys, 1); ok {
		t.Error("there are more sets than fit into the state of an object")
	}
	from, id := len(s.nodes), noKeys
	for key := range textID(4000) {
		id, _ = s.with(id, 1+3*key)
	}
	if n := len(s.nodes) - from; n > 4000*14 {
		t.Errorf("4,000 sets take %d nodes", n)
	}
}
