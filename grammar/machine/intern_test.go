package machine

import (
	"runtime"
	"testing"
)

// TestInterning_growsInSmallSteps: texts of keys become many, and the one mask in which a table of
// them grew took as long as a thousand others.
func TestInterning_growsInSmallSteps(t *testing.T) {
	const batch, most = 1000, 1 << 20
	x := newTexts()
	id := noText
	var before, after runtime.MemStats
	for n := range 400 {
		runtime.ReadMemStats(&before)
		for i := range batch {
			if id = x.add(id, byte(i)); i%50 == 0 {
				id = noText
			}
			id = x.add(id, byte(n)+byte(i))
		}
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > most {
			t.Errorf("batch %d allocated %d bytes", n, bytes)
		}
	}
	if x.nodes.items < 200*batch {
		t.Errorf("only %d texts", x.nodes.items)
	}
}

func TestPile_keepsListsOfAnyLength(t *testing.T) {
	var p pile[int]
	var ids []listID
	var lists [][]int
	for n := range 300 {
		list := make([]int, n*n%(2*chunkSize+1))
		for i := range list {
			list[i] = n + i
		}
		ids, lists = append(ids, p.add(list...)), append(lists, list)
	}
	for n, id := range ids {
		got := p.list(id)
		if len(got) != len(lists[n]) {
			t.Fatalf("list %d has %d items, want %d", n, len(got), len(lists[n]))
		}
		for i := range got {
			if got[i] != lists[n][i] {
				t.Fatalf("list %d: item %d is %d, want %d", n, i, got[i], lists[n][i])
			}
		}
	}
}

// TestRecent_keepsWhatIsAskedFor: what was asked for since the last time stays, the rest goes.
func TestRecent_keepsWhatIsAskedFor(t *testing.T) {
	var r recent[int, string]
	r.put(1, "one")
	r.put(2, "two")
	r.age()
	if v, ok := r.get(1); v != "one" || !ok {
		t.Error("what was just put is gone")
	}
	r.age()
	if _, ok := r.get(2); ok {
		t.Error("what nobody asked for is kept")
	}
	if _, ok := r.get(1); !ok {
		t.Error("what was asked for is gone")
	}
}
