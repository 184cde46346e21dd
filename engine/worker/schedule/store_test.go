package schedule

import (
	"slices"
	"testing"
)

func store(s *Store, key string, start int, tokens ...int32) {
	s.Add(&Copy{Key: key, Tokens: tokens, Start: start, Data: bytes(len(tokens) - start)})
}

func TestStore_chainsOfCopies(t *testing.T) {
	s := NewStore(100)
	store(s, "", 0, 1, 2, 3, 4)
	store(s, "", 4, 1, 2, 3, 4, 5, 6)
	store(s, "", 2, 1, 2, 9)
	store(s, "other", 0, 1, 2, 3, 4, 5, 6, 7)
	store(s, "", 8, 1, 2, 3, 4, 5, 6, 7, 8, 9) // what comes before it is not there
	for _, c := range []struct {
		name   string
		tokens []int32
		have   int
		want   int
	}{
		{"nothing there: the beginning", []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, 4},
		{"the beginning there: its end", []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 4, 6},
		{"inside a copy", []int32{1, 2, 3, 8}, 1, 3},
		{"a branch", []int32{1, 2, 9, 9}, 2, 3},
		{"a gap that the cache fills", []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 8, 9},
		{"nothing that goes on", []int32{1, 2, 3, 4}, 4, 4},
	} {
		if _, n := s.Find("", c.tokens, c.have); n != c.want {
			t.Errorf("%s: %d tokens, want %d", c.name, n, c.want)
		}
	}
	if n := s.Covered("", []int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 0); n != 6 {
		t.Errorf("%d tokens covered without a gap, want 6", n)
	}
}

func TestStore_theEndOfTheOldestChainGoesFirst(t *testing.T) {
	s := NewStore(10)
	store(s, "", 0, 1, 2, 3, 4)
	store(s, "", 4, 1, 2, 3, 4, 5, 6)
	s.Covered("", []int32{1, 2, 3, 4, 5, 6}, 0) // both are used at once
	store(s, "", 0, 9, 8, 7, 6, 5)
	if n := s.Covered("", []int32{1, 2, 3, 4, 5, 6}, 0); n != 4 {
		t.Errorf("%d tokens are left of the chain, want its beginning", n)
	}
	if store(s, "", 0, make([]int32, 11)...); s.Bytes() != 9 {
		t.Errorf("a copy that is larger than the store leaves %d bytes in it, want 9", s.Bytes())
	}
}

func TestStore_numberOfCopiesIsBounded(t *testing.T) {
	s := NewStore(1 << 20)
	for i := range 3 * mostCopies {
		store(s, "", 0, int32(i))
	}
	if len(s.copies) != mostCopies || s.Bytes() != mostCopies {
		t.Errorf("%d copies of %d bytes, want %d", len(s.copies), s.Bytes(), mostCopies)
	}
}

// Issue 19: host memory is shared by key, its bytes and the number of copies.
func TestStore_nobodyDrivesOutAnothersCopies(t *testing.T) {
	for name, c := range map[string]struct{ limit, size int }{"bytes": {1000, 50}, "copies": {1 << 20, 1}} {
		s := NewStore(c.limit)
		for i := range int32(4) {
			store(s, "modest", 0, make([]int32, c.size)...)
			s.copies[i].Tokens[0] = i
		}
		for i := range int32(3 * mostCopies) {
			tokens := make([]int32, c.size)
			tokens[0] = i
			store(s, "greedy", 0, tokens...)
		}
		modest := 0
		for _, kept := range s.copies {
			if kept.Key == "modest" {
				modest++
			}
		}
		if modest != 4 || s.Bytes() > c.limit || len(s.copies) > mostCopies {
			t.Errorf("%s: %d copies of the modest one are left, %d bytes of %d copies", name, modest, s.Bytes(), len(s.copies))
		}
	}
}

// bytes is a copy of so many.
type bytes int

func (b bytes) Size() int { return int(b) }
func (bytes) Free()       {}

func TestStore_nearestUnderItsKey(t *testing.T) {
	s := NewStore(100)
	store(s, "", 0, 1, 2, 3, 4)
	store(s, "", 4, 1, 2, 3, 4, 5, 6) // of no use without the cells before it, but known
	store(s, "other", 0, 1, 2, 3, 4, 5, 7)
	if tokens, n := s.Nearest("", []int32{1, 2, 3, 4, 5, 7}); n != 5 || len(tokens) != 6 || tokens[5] != 6 {
		t.Errorf("%d tokens of %v", n, tokens)
	}
	if tokens, n := s.Nearest("none", []int32{1, 2}); n != 0 || tokens != nil {
		t.Errorf("%d tokens of %v", n, tokens)
	}
}

// freed is a copy of ten bytes that tells when its memory is given back.
type freed struct{ times int }

func (f *freed) Size() int { return 10 }
func (f *freed) Free()     { f.times++ }

func TestStore_whatIsPinnedKeepsItsBytes(t *testing.T) {
	s, data := NewStore(25), &freed{}
	pinned := &Copy{Tokens: []int32{1}, Data: data}
	s.Add(pinned)
	s.Pin(pinned)
	store(s, "", 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	store(s, "", 0, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	if !s.Holds(pinned) || s.Bytes() != 20 {
		t.Errorf("%d bytes: the other one was to go", s.Bytes())
	}
	if !s.MakeRoom(15) || s.MakeRoom(16) {
		t.Error("there is room for 15 bytes beside what is pinned, and for no more")
	}
	s.Forget("")
	if data.times != 0 || s.Unpin(pinned) || data.times != 1 || s.Bytes() != 0 {
		t.Errorf("freed %d times, %d bytes", data.times, s.Bytes())
	}
	kept := &Copy{Tokens: []int32{1}, Data: data}
	s.Add(kept)
	s.Pin(kept)
	if !s.Unpin(kept) || data.times != 1 {
		t.Error("what is still there was freed")
	}
}

func TestStore_whatIsWrittenNext(t *testing.T) {
	s := NewStore(100)
	store(s, "", 0, 1, 2, 3, 4)
	store(s, "", 4, 1, 2, 3, 4, 5, 6)
	store(s, "", 0, 9, 8)
	if c := s.Next(); c.Start != 0 || c.Tokens[0] != 1 {
		t.Errorf("first %+v, want the beginning of the oldest chain", c)
	}
	var lengths []int
	for _, c := range s.Unwritten() {
		lengths = append(lengths, len(c.Tokens))
	}
	if want := []int{2, 4, 6}; !slices.Equal(lengths, want) {
		t.Errorf("copies of %v tokens, want %v: the latest first, and no end before its beginning", lengths, want)
	}
	for c := s.Next(); c != nil; c = s.Next() {
		c.Written = true
	}
	if len(s.Unwritten()) > 0 {
		t.Error("some are never written")
	}
}

func TestStore_wholeCopiesAreOfUseWhole(t *testing.T) {
	s := NewStore(100)
	s.Add(&Copy{Tokens: []int32{1, 2, 3}, Whole: true, Data: bytes(3)})
	s.Add(&Copy{Tokens: []int32{1, 2, 3, 4, 5}, Whole: true, Data: bytes(5)})
	for _, c := range []struct {
		tokens     []int32
		have, want int
	}{{[]int32{1, 2, 3, 4}, 0, 3}, {[]int32{1, 2, 3, 4, 5}, 2, 5}, {[]int32{1, 2}, 0, 0}, {[]int32{1, 2, 3, 9}, 3, 3}} {
		if _, n := s.Find("", c.tokens, c.have); n != c.want {
			t.Errorf("%v after %d: %d tokens, want %d", c.tokens, c.have, n, c.want)
		}
	}
}
