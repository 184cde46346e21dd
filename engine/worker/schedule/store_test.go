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

// A conversation that is gone on with now and then, beside questions that nobody comes back to:
// the store holds it and two of them.
func TestStore_singleQuestionsLeaveFirst(t *testing.T) {
	s, next := NewStore(50), int32(100)
	question := func() {
		next += 10
		store(s, "", 0, run(next, 10)...)
	}
	conversation := run(0, 30)
	store(s, "", 0, conversation...)
	for round := range 10 {
		s.Use("", conversation, 0)
		for range 3 {
			question()
		}
		if n := s.Covered("", conversation, 0); n != 30 {
			t.Fatalf("round %d: %d tokens of the conversation are left", round, n)
		}
	}
	for range 40 {
		question()
	}
	if n := s.Covered("", conversation, 0); n != 0 {
		t.Errorf("%d tokens of a conversation that is over stay for ever", n)
	}
}

// Where all are gone on with, what is new is as good as what was used again.
func TestStore_whereAllGoOnTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	s := NewStore(100)
	for i := range int32(30) {
		store(s, "", 0, run(10*i, 10)...)
		s.Use("", run(10*i, 10), 0)
	}
	store(s, "", 0, run(300, 10)...)
	for i := range int32(5) { // those of before are used for the last time after it came
		s.Use("", run(250+10*i, 10), 0)
	}
	for i := range int32(4) {
		store(s, "", 0, run(400+10*i, 10)...)
	}
	if s.Covered("", run(300, 10), 0) == 0 || s.Covered("", run(240, 10), 0) > 0 {
		t.Error("what is new went before what was used earlier")
	}
}

// Three conversations take turns, and there is room for two: each has gone when it is asked for.
// That nothing is used again is for want of memory. What is new must not pay for it.
func TestStore_whatIsMissedCountsAsUsed(t *testing.T) {
	s := NewStore(100)
	for i := range int32(30) {
		conversation := run(1000*(i%3), 50)
		s.Use("", conversation, 0)
		store(s, "", s.Covered("", conversation, 0), conversation...)
	}
	s.clock += 100
	if age := s.age(s.copies[0]); s.copies[0].again || age > 120 {
		t.Errorf("a new copy ages by %.0f in a time of 100", age)
	}
	for i := range int32(3 * mostCopies) {
		store(s, "", 0, run(10_000+50*i, 50)...)
	}
	if len(s.missed) > mostCopies || len(s.missed) == 0 {
		t.Errorf("%d copies are remembered", len(s.missed))
	}
	if s.Forget(""); len(s.missed) > 0 {
		t.Errorf("%d forgotten copies are remembered", len(s.missed))
	}
}

func TestStore_whatAPromptUses(t *testing.T) {
	s, want := NewStore(1000), []bool{}
	for _, c := range []struct {
		tokens []int32
		start  int
		whole  bool
		want   bool
	}{
		{tokens: []int32{1, 2}, whole: true},
		{tokens: []int32{1, 2, 3, 4}, whole: true, want: true}, // the longest of use
		{tokens: []int32{1, 2, 3, 4, 9, 9}, whole: true},
		{tokens: []int32{1, 2, 3, 4, 5, 6}, start: 5}, // behind a gap
		{tokens: []int32{1, 2, 3, 4, 5, 6, 7, 9}, start: 6, want: true},
		{tokens: []int32{1, 2, 3, 8}}, // another goes on farther
	} {
		s.Add(&Copy{Tokens: c.tokens, Start: c.start, Whole: c.whole, Data: bytes(1)})
		want = append(want, c.want)
	}
	store(s, "other", 0, 1, 2, 3, 4)
	if n := s.Use("", []int32{1, 2, 3, 4, 5, 6, 7, 8}, 6); n != 7 {
		t.Errorf("%d tokens are there, want 7", n)
	}
	for i, want := range want {
		if c := s.copies[i]; c.again != want {
			t.Errorf("%v is used: %t", c.Tokens[c.Start:], c.again)
		}
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
