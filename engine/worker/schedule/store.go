package schedule

import (
	"cmp"
	"maps"
	"slices"
)

// Store knows what was copied out of the KV cache, into host memory or to disk. A copy holds the
// cells of a run of tokens; what comes before them is another copy's, or still in the cache. As in
// the Cache, sequences under different keys never meet.
type Store struct {
	limit  int
	bytes  int
	copies []*Copy
	clock  uint64

	// Recent bytes: of copies that were added, and of those that a prompt went on from for
	// the first time. A copy counts as reused, too, if its prompt comes when it is gone.
	taken, reused int
	// Copies that were given up before a prompt went on from them, by their tokens' hash.
	missed map[uint64]missed
}

// Copy is the cells of Tokens[Start:].
type Copy struct {
	Key     string
	Tokens  []int32 // of the sequence, from its beginning
	Start   int
	Whole   bool // of memory that cannot be cut: of use only to what begins with all of Tokens
	Written bool // it is on disk too, or shall not be
	Data    Data

	used   uint64
	again  bool // a prompt went on from it since
	pinned bool
	gone   bool // given up while it was pinned
}

// Data is a copy's bytes. Free gives their memory back at once: Go would hold about as much again
// before it looks for what nobody uses.
type Data interface {
	Size() int
	Free()
}

// reach is how many of a prompt's tokens are there once the copy is restored behind the first
// ones, have of them, that are there now.
func (c *Copy) reach(tokens []int32, have int, same alike) int {
	if c.Start > have || len(c.Tokens) <= have || c.Whole && len(c.Tokens) > len(tokens) {
		return have
	}
	n := same.tokens(c, tokens)
	if c.Whole && n < len(c.Tokens) {
		return have
	}
	return max(n, have)
}

// alike remembers how many tokens copies have in common with a text. The copies of a chain hold
// the same array, as a rule: what one of them has is not compared again for the next.
type alike map[*int32]int

func (a alike) tokens(c *Copy, tokens []int32) int {
	first := &c.Tokens[0]
	n := min(a[first], len(c.Tokens))
	n += common(c.Tokens[n:], tokens[n:])
	a[first] = max(a[first], n)
	return n
}

// mostCopies bounds the time that a look-up takes, and the files on disk. Six agents' sessions of
// 84 steps have a copy for each step; and so many of the size that the runner makes at most are a
// million tokens, 18 GiB of Gemma 3 270M.
const mostCopies = 1024

// NewStore is a store of so many bytes; it remembers nothing if there are none.
func NewStore(bytes int) *Store { return &Store{limit: bytes, missed: map[uint64]missed{}} }

// Bytes is how much the copies take.
func (s *Store) Bytes() int { return s.bytes }

// Find returns the copy that goes on farthest where the first have of tokens are there already,
// and how many are there with it; nil if none goes on.
func (s *Store) Find(key string, tokens []int32, have int) (*Copy, int) {
	return s.find(key, tokens, have, alike{})
}

func (s *Store) find(key string, tokens []int32, have int, same alike) (*Copy, int) {
	var best *Copy
	most := have
	for _, c := range s.copies {
		if c.Key != key || len(c.Tokens) <= most {
			continue
		}
		if n := c.reach(tokens, have, same); n > most {
			best, most = c, n
		}
	}
	if best != nil {
		best.used = s.clock
	}
	return best, most
}

// Use notes that a prompt has come: which copies it goes on from, and which it would have, had
// they not been given up. The first have of its tokens are in the cache; they may be copied, too.
// It returns what Covered does.
func (s *Store) Use(key string, prompt []int32, have int) int {
	chain, n := s.Chain(key, prompt, 0)
	if n < have {
		var behind []*Copy
		behind, n = s.Chain(key, prompt, have)
		chain = append(chain, behind...)
	}
	for _, c := range chain {
		if !c.again {
			c.again = true
			s.reused += c.Data.Size()
		}
	}
	hash := uint64(1)
	for i := 0; i < len(prompt) && len(s.missed) > 0; i++ {
		hash = hashed(hash, prompt[i])
		if m, found := s.missed[hash]; found && m.key == key {
			s.reused += m.bytes
			delete(s.missed, hash)
		}
	}
	return n
}

type missed struct {
	key   string
	bytes int
}

// hashed is the hash of a text that is a token longer (FNV).
func hashed(hash uint64, token int32) uint64 { return (hash ^ uint64(token)) * 1099511628211 }

// Nearest is the tokens of the copy that have most in common with others, and how many; the copy
// need not be of use alone.
func (s *Store) Nearest(key string, tokens []int32) (nearest []int32, same int) {
	known := alike{}
	for _, c := range s.copies {
		if c.Key != key {
			continue
		}
		if n := known.tokens(c, tokens); n > same {
			nearest, same = c.Tokens, n
		}
	}
	return nearest, same
}

// Holds tells whether a copy has not been given up.
func (s *Store) Holds(c *Copy) bool { return slices.Contains(s.copies, c) }

// Covered is how many of tokens are there without a gap, of which the first have are there
// already.
func (s *Store) Covered(key string, tokens []int32, have int) int {
	_, n := s.Chain(key, tokens, have)
	return n
}

// Chain is the copies that go on, one after the other, from the first have of tokens, and how many
// are there with them.
func (s *Store) Chain(key string, tokens []int32, have int) (chain []*Copy, most int) {
	for same := (alike{}); ; {
		c, n := s.find(key, tokens, have, same)
		if c == nil {
			return chain, have
		}
		chain, have = append(chain, c), n
	}
}

// Unwritten is the copies that are not on disk, the youngest first; of a chain its beginning,
// because the rest is of no use without it.
func (s *Store) Unwritten() []*Copy {
	all := slices.DeleteFunc(slices.Clone(s.copies), func(c *Copy) bool { return c.Written || c.pinned })
	slices.SortStableFunc(all, func(a, b *Copy) int { return cmp.Or(cmp.Compare(s.age(a), s.age(b)), a.Start-b.Start) })
	return all
}

// Next is the one of them to be written next: what will be given up first, or what comes before
// it.
func (s *Store) Next() *Copy {
	all := s.Unwritten()
	if len(all) == 0 {
		return nil
	}
	next, same := all[len(all)-1], alike{}
	last := next
	for _, c := range all {
		if c.Key == next.Key && c.Start < next.Start && same.tokens(c, last.Tokens) > c.Start {
			next = c
		}
	}
	return next
}

// Twin is the copy of the same cells; nil if there is none.
func (s *Store) Twin(c *Copy) *Copy {
	i := slices.IndexFunc(s.copies, func(o *Copy) bool {
		return o.Key == c.Key && o.Start == c.Start && o.Whole == c.Whole && slices.Equal(o.Tokens, c.Tokens)
	})
	if i < 0 {
		return nil
	}
	return s.copies[i]
}

// Pin keeps a copy's bytes until Unpin: others than the loop read them.
func (s *Store) Pin(c *Copy) { c.pinned = true }

// Unpin is the end of Pin. It is false if the copy was given up meanwhile.
func (s *Store) Unpin(c *Copy) bool {
	c.pinned = false
	if c.gone {
		c.Data.Free()
	}
	return !c.gone
}

// MakeRoom gives up copies until there is room for so many bytes. It is false where that is more
// than the store may hold.
func (s *Store) MakeRoom(bytes int) bool {
	for s.bytes+bytes > s.limit && s.drop() {
	}
	return s.bytes+bytes <= s.limit
}

// Add takes a copy in, and where there is no room gives up the oldest of the key that has most: of
// a chain its end first. So nobody drives out another's.
func (s *Store) Add(c *Copy) {
	if c.Data.Size() > s.limit {
		c.Data.Free()
		return
	}
	s.clock++
	c.used = s.clock
	s.copies = append(s.copies, c)
	s.bytes += c.Data.Size()
	if s.taken += c.Data.Size(); s.taken > s.limit {
		s.taken, s.reused = s.taken/2, s.reused/2
	}
	s.touchBefore(c)
	for (s.bytes > s.limit || len(s.copies) > mostCopies) && s.drop() {
	}
}

// touchBefore marks the copies that lead up to a copy, without a gap, as used, too: they are used
// together. They are made to share its array of tokens.
func (s *Store) touchBefore(c *Copy) {
	same, at := alike{}, c.Start
	leads := func(o *Copy) bool {
		return o.Key == c.Key && !o.Whole && o.Start < at && same.tokens(o, c.Tokens) >= at
	}
	for i := slices.IndexFunc(s.copies, leads); i >= 0; i = slices.IndexFunc(s.copies, leads) {
		before := s.copies[i]
		if n := len(before.Tokens); same.tokens(before, c.Tokens) == n {
			before.Tokens = c.Tokens[:n:n]
		}
		before.used, at = s.clock, before.Start
	}
}

// Drop gives up one copy.
func (s *Store) Drop(c *Copy) { s.giveUp(func(o *Copy) bool { return o == c }) }

// Forget gives up all copies under a key.
func (s *Store) Forget(key string) {
	s.giveUp(func(c *Copy) bool { return c.Key == key })
	maps.DeleteFunc(s.missed, func(_ uint64, m missed) bool { return m.key == key })
}

// Close gives up all.
func (s *Store) Close() { s.giveUp(func(*Copy) bool { return true }) }

func (s *Store) giveUp(which func(*Copy) bool) {
	s.copies = slices.DeleteFunc(s.copies, func(c *Copy) bool {
		gone := which(c)
		if gone {
			s.bytes -= c.Data.Size()
			if c.gone = c.pinned; !c.pinned {
				c.Data.Free()
			}
		}
		return gone
	})
}

// drop gives up a copy of the key that has most of what there is too much of. It is false if there
// is none that may go.
func (s *Store) drop() bool {
	held := map[string]int{}
	for _, c := range s.copies {
		if len(s.copies) > mostCopies && s.bytes <= s.limit {
			held[c.Key]++
		} else {
			held[c.Key] += c.Data.Size()
		}
	}
	var gone *Copy
	for _, c := range s.copies {
		if !c.pinned && (gone == nil || s.before(held, c, gone)) {
			gone = c
		}
	}
	if gone == nil {
		return false
	}
	s.miss(gone)
	s.Drop(gone)
	return true
}

// miss remembers a copy that is given up before a prompt has gone on from it.
func (s *Store) miss(c *Copy) {
	if c.again {
		return
	}
	if len(s.missed) == mostCopies {
		clear(s.missed)
	}
	hash := uint64(1)
	for _, token := range c.Tokens {
		hash = hashed(hash, token)
	}
	s.missed[hash] = missed{c.Key, c.Data.Size()}
}

// before tells whether c goes before o.
func (s *Store) before(held map[string]int, c, o *Copy) bool {
	if more := held[c.Key] - held[o.Key]; more != 0 {
		return more > 0
	}
	age, other := s.age(c), s.age(o)
	return age > other || age == other && c.Start > o.Start
}

// age is how long ago a copy was used. One that no prompt has gone on from yet ages faster, by as
// much as such are seldom gone on from: twice as fast where half of their bytes are. Where all
// conversations go on, that is plain least recently used. Where some do not (titles, single
// questions, helpers), what they leave goes before what is in use.
func (s *Store) age(c *Copy) float64 {
	age := float64(s.clock - c.used)
	if c.again {
		return age
	}
	few := s.limit/16 + 1 // bytes that count as used again in any case
	return age * max(1, float64(s.taken+few)/float64(s.reused+few))
}
