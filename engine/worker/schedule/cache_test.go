package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCache_sharedPrefixIsHeldOnce(t *testing.T) {
	c := NewCache(12)
	prefix := run(0, 2000)
	first := take(t, c, "")
	c.Extend(first, prefix...)
	for i := range 7 {
		from, n := c.Match("", append(slices.Clone(prefix), int32(-1-i)), anywhere)
		if n != 2000 {
			t.Fatalf("turn %d finds %d tokens", i, n)
		}
		to := take(t, c, "")
		c.Fork(from, to, n)
		c.Extend(to, int32(-1-i))
	}
	if got := c.Cells(); got != 2007 {
		t.Errorf("eight turns hold %d cells", got)
	}
	c.Free(first)
	if _, n := c.Match("", prefix, anywhere); n != 2000 {
		t.Errorf("after the first has ended a ninth finds %d tokens", n)
	}
}

func TestCache_keysNeverMeet(t *testing.T) {
	c := NewCache(2)
	a := take(t, c, "a")
	c.Extend(a, 1, 2, 3)
	if _, n := c.Match("b", []int32{1, 2, 3}, anywhere); n != 0 {
		t.Errorf("another key finds %d tokens", n)
	}
	c.Free(a)
	if len(c.roots) != 0 {
		t.Errorf("%d roots are left", len(c.roots))
	}
}

// A recurrent state can only be forked where it stands.
func TestCache_matchKeepsToTheFloor(t *testing.T) {
	c := NewCache(4)
	checkpoint := take(t, c, "")
	c.Extend(checkpoint, 1, 2, 3)
	on := take(t, c, "")
	c.Fork(checkpoint, on, 3)
	c.Extend(on, 4, 5)
	id, n := c.Match("", []int32{1, 2, 3, 4, 9}, c.Len)
	if id != checkpoint || n != 3 {
		t.Errorf("found %d tokens in sequence %d", n, id)
	}
	if _, n := c.Match("", []int32{1, 2, 9}, c.Len); n != 0 {
		t.Errorf("found %d tokens where no state stands", n)
	}
	if id, n := c.Match("", []int32{1, 2, 3, 4, 5, 6}, c.Len); id != on || n != 5 {
		t.Errorf("found %d tokens in sequence %d", n, id)
	}
}

func TestCache_evictsTheTailOfTheOldest(t *testing.T) {
	c := NewCache(4)
	old := take(t, c, "")
	c.Extend(old, run(0, 100)...)
	c.Keep(old)
	recent := take(t, c, "")
	c.Fork(old, recent, 40)
	c.Extend(recent, run(500, 10)...)
	c.Keep(recent)
	c.touch(recent)
	for _, want := range []Eviction{{old, 70}, {old, 0}, {recent, 20}, {recent, 0}} {
		got, ok := c.Evict(30, anywhere)
		if !ok || got != want {
			t.Fatalf("evicts %+v, want %+v", got, want)
		}
		if got.Length == 0 {
			c.Free(got.Sequence)
		} else {
			c.Cut(got.Sequence, got.Length)
		}
	}
	if _, ok := c.Evict(1, anywhere); ok || c.Cells() != 0 {
		t.Errorf("%d cells are left", c.Cells())
	}
}

func TestCache_whatOthersWereForkedFromOutlivesThem(t *testing.T) {
	c := NewCache(4)
	meeting := take(t, c, "")
	c.Extend(meeting, 1, 2, 3)
	c.Keep(meeting)
	leaf := take(t, c, "")
	c.Fork(meeting, leaf, 3)
	c.Extend(leaf, 4)
	c.Keep(leaf)
	for _, want := range []int{leaf, meeting} {
		got, ok := c.Oldest(Cells)
		if !ok || got != want {
			t.Fatalf("%d goes, not %d", got, want)
		}
		c.Free(got)
	}
}

// Issue 19: the cells of prompts are shared by key. Whoever has kept most loses his oldest,
// whoever came first.
func TestCache_nobodyDrivesOutAnothersPrompts(t *testing.T) {
	for _, scarce := range []Scarce{Cells, Sequences} {
		c := NewCache(12)
		keep := func(key string, from int32, n int) int {
			id := take(t, c, key)
			c.Extend(id, run(from, n)...)
			c.Keep(id)
			return id
		}
		first := keep("modest", 0, 100)
		for i := range int32(8) {
			keep("greedy", 1000*i, 60)
		}
		for kept := 8; kept > 2; kept-- {
			id, ok := c.Oldest(scarce)
			if !ok || c.Key(id) != "greedy" {
				t.Fatalf("scarce %d: with %d sequences of the greedy one %q loses", scarce, kept, c.Key(id))
			}
			c.Free(id)
		}
		if id, _ := c.OldestBut(first, scarce); id == first {
			t.Error("the one that is spared is chosen")
		}
	}
	c := NewCache(12) // few sequences may have most of the cells
	for i := range int32(5) {
		id := take(t, c, "many")
		c.Extend(id, run(100*i, 10)...)
		c.Keep(id)
	}
	long := take(t, c, "long")
	c.Extend(long, run(0, 500)...)
	c.Keep(long)
	if id, _ := c.Oldest(Cells); id != long {
		t.Errorf("sequence %d of %q goes for cells", id, c.Key(id))
	}
	if id, _ := c.Oldest(Sequences); c.Key(id) != "many" {
		t.Errorf("sequence %d of %q goes for sequences", id, c.Key(id))
	}
}

func TestCache_evictsWholeWhatCannotBeCut(t *testing.T) {
	c := NewCache(2)
	id := take(t, c, "")
	c.Extend(id, run(0, 100)...)
	c.Keep(id)
	if got, _ := c.Evict(1, c.Len); got.Length != 0 {
		t.Errorf("cuts a state to %d tokens", got.Length)
	}
}

// Whatever is done to it, the tree holds exactly the tokens of its sequences, and counts the cells
// that a memory with the same operations would.
func TestCache_isAModelOfTheMemory(t *testing.T) {
	for seed := range uint64(200) {
		c, m := NewCache(6), newMemory()
		r := rand.New(rand.NewPCG(seed, 1))
		for range 60 {
			step(t, r, c, m)
			if diff := cmp.Diff(m.contents(), contents(c)); diff != "" {
				t.Fatalf("seed %d: sequences differ:\n%s", seed, diff)
			}
			if c.Cells() != m.cells() {
				t.Fatalf("seed %d: %d cells, the memory has %d", seed, c.Cells(), m.cells())
			}
		}
	}
}

func step(t *testing.T, r *rand.Rand, c *Cache, m *memory) {
	t.Helper()
	ids := m.ids()
	if len(ids) == 0 || r.IntN(5) == 0 {
		if id, ok := c.Take(""); ok {
			m.sequences[id] = nil
		}
		return
	}
	id := ids[r.IntN(len(ids))]
	switch r.IntN(5) {
	case 0:
		c.Cut(id, m.cut(id, r))
	case 1:
		c.Free(id)
		delete(m.sequences, id)
	case 2:
		tokens := []int32{r.Int32N(2), r.Int32N(2), r.Int32N(2)}
		from, n := c.Match("", tokens, anywhere)
		if to, ok := c.Take(""); ok {
			if n > 0 {
				c.Fork(from, to, n)
			}
			m.sequences[to] = slices.Clone(m.sequences[from][:n])
		}
		if longest := m.longest(tokens); n != longest {
			t.Fatalf("match of %v: %d tokens, the memory has %d", tokens, n, longest)
		}
	default:
		tokens := []int32{r.Int32N(2), r.Int32N(2)}
		c.Extend(id, tokens...)
		for _, token := range tokens {
			m.next++
			m.sequences[id] = append(m.sequences[id], cell{token, m.next})
		}
	}
}

// memory is the plain truth: each sequence lists its cells, which have an identity.
type memory struct {
	sequences map[int][]cell
	next      int
}

type cell struct {
	token int32
	id    int
}

func newMemory() *memory { return &memory{sequences: map[int][]cell{}} }

func (m *memory) ids() []int {
	var ids []int
	for id := range 6 {
		if _, ok := m.sequences[id]; ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (m *memory) cut(id int, r *rand.Rand) int {
	n := r.IntN(len(m.sequences[id]) + 1)
	m.sequences[id] = m.sequences[id][:n]
	return n
}

func (m *memory) longest(tokens []int32) int {
	most := 0
	for _, cells := range m.sequences {
		n := 0
		for n < len(tokens) && n < len(cells) && cells[n].token == tokens[n] {
			n++
		}
		most = max(most, n)
	}
	return most
}

func (m *memory) cells() int {
	seen := map[int]bool{}
	for _, cells := range m.sequences {
		for _, c := range cells {
			seen[c.id] = true
		}
	}
	return len(seen)
}

func (m *memory) contents() map[int]string {
	all := map[int]string{}
	for id, cells := range m.sequences {
		text := ""
		for _, c := range cells {
			text += fmt.Sprint(c.token)
		}
		all[id] = text
	}
	return all
}

func contents(c *Cache) map[int]string {
	all := map[int]string{}
	for id, s := range c.sequences {
		if s.tail == nil {
			continue
		}
		text := ""
		for n := s.tail; n.parent != nil; n = n.parent {
			part := ""
			for _, token := range n.tokens {
				part += fmt.Sprint(token)
			}
			text = part + text
		}
		all[id] = text
	}
	return all
}

func take(t *testing.T, c *Cache, key string) int {
	t.Helper()
	id, ok := c.Take(key)
	if !ok {
		t.Fatal("no sequence is free")
	}
	return id
}

func run(from int32, n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = from + int32(i)
	}
	return tokens
}

// anywhere is the Floor of memory that can be cut at every token.
func anywhere(int) int { return 0 }
