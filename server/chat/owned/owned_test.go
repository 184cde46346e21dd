package owned

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Issue 19: a caller cannot read, replace or evict another's by choosing its key.
func TestTable_theSameKeyOfTwoOwnersIsTwoEntries(t *testing.T) {
	table := New[string, string](Size{10, 100})
	table.Put("alice", "id", "hers", 1)
	table.Put("bob", "id", "his", 1)
	for owner, want := range map[string]string{"alice": "hers", "bob": "his", "carol": ""} {
		if got, ok := table.Get(owner, "id"); got != want || ok != (want != "") {
			t.Errorf("%s: %q %t", owner, got, ok)
		}
	}
	table.Put("bob", "id", "new", 2)
	if got, _ := table.Get("alice", "id"); got != "hers" || table.Size() != (Size{2, 3}) {
		t.Errorf("%q, %+v", got, table.Size())
	}
}

// Issue 19: who has most loses his own, and of those what he used longest ago.
func TestTable_whoHasMostLosesHisOwn(t *testing.T) {
	for name, most := range map[string]Size{"entries": {20, 1 << 20}, "bytes": {1 << 20, 200}} {
		table := New[int, int](most)
		for i := range 5 {
			table.Put("modest", i, i, 10)
		}
		for i := range 1000 {
			table.Put("greedy", i, i, 10)
			table.Get("greedy", 0)
		}
		if got := table.Size(); got != (Size{20, 200}) {
			t.Errorf("%s: %+v", name, got)
		}
		for i := range 5 {
			if _, ok := table.Get("modest", i); !ok {
				t.Errorf("%s: entry %d of the modest one is gone", name, i)
			}
		}
		for i := range 1000 {
			if _, ok := table.Get("greedy", i); ok != (i == 0 || i > 985) {
				t.Errorf("%s: entry %d is kept: %t", name, i, ok)
			}
		}
	}
}

func TestTable_whatIsLargerThanTheTableIsNotKept(t *testing.T) {
	table := New[string, int](Size{10, 100})
	table.Put("a", "x", 1, 60)
	table.Put("b", "x", 1, 101)
	table.Put("a", "y", 1, 40)
	table.Put("a", "y", 1, 101) // nor is what it replaces
	if _, ok := table.Get("a", "x"); !ok || table.Size() != (Size{1, 60}) || len(table.Keys("b")) != 0 {
		t.Errorf("%+v", table.Size())
	}
}

// The bounds hold whatever is put in, and what counts is what is there.
func TestTable_boundsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	most := Size{30, 300}
	table := New[int, int](most)
	for range 20_000 {
		owner := fmt.Sprint(r.IntN(1 + r.IntN(8)))
		table.Put(owner, r.IntN(40), 0, r.IntN(1+r.IntN(80)))
		entries, bytes := 0, 0
		for name, of := range table.shares {
			sum := 0
			for e := of.order.Front(); e != nil; e = e.Next() {
				sum += e.Value.(*entry[int, int]).bytes
			}
			if sum != of.bytes || of.order.Len() != len(of.byKey) || of.order.Len() == 0 {
				t.Fatalf("%s has %d bytes, counts %d", name, sum, of.bytes)
			}
			entries, bytes = entries+of.order.Len(), bytes+sum
		}
		if got := table.Size(); got != (Size{entries, bytes}) || entries > most.Entries || bytes > most.Bytes {
			t.Fatalf("%+v; there are %d of %d bytes", got, entries, bytes)
		}
	}
}
