package schedule

import "slices"

// Store knows what was copied out of the KV cache into host memory. A copy holds the cells of a
// run of tokens; what comes before them is another copy's, or still in the cache. As in the Cache,
// sequences under different keys never meet.
type Store struct {
	limit  int
	bytes  int
	copies []*Copy
	clock  uint64
}

// Copy is the cells of Tokens[Start:].
type Copy struct {
	Key    string
	Tokens []int32 // of the sequence, from its beginning
	Start  int
	Data   Data
	used   uint64
}

// Data is a copy's bytes. Free gives their memory back at once: Go would hold about as much again
// before it looks for what nobody uses.
type Data interface {
	Size() int
	Free()
}

// mostCopies bounds the time that a look-up takes.
const mostCopies = 128

// NewStore is a store of so many bytes; it remembers nothing if there are none.
func NewStore(bytes int) *Store { return &Store{limit: bytes} }

// Bytes is how much the copies take.
func (s *Store) Bytes() int { return s.bytes }

// Find returns the copy that goes on farthest where the first have of tokens are there already,
// and how many are there with it; nil if none goes on.
func (s *Store) Find(key string, tokens []int32, have int) (*Copy, int) {
	var best *Copy
	most := have
	for _, c := range s.copies {
		if c.Key != key || c.Start > have || len(c.Tokens) <= most {
			continue
		}
		if n := common(c.Tokens, tokens); n > most {
			best, most = c, n
		}
	}
	if best != nil {
		best.used = s.clock
	}
	return best, most
}

// Nearest is the tokens of the copy that have most in common with others, and how many; the copy
// need not be of use alone.
func (s *Store) Nearest(key string, tokens []int32) (nearest []int32, same int) {
	for _, c := range s.copies {
		if n := common(c.Tokens, tokens); c.Key == key && n > same {
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
	for {
		c, n := s.Find(key, tokens, have)
		if c == nil {
			return have
		}
		have = n
	}
}

// Add takes a copy in, and where there is no room gives up what was used least recently of the key
// that has most: of a chain its end first. So nobody drives out another's.
func (s *Store) Add(c *Copy) {
	if c.Data.Size() > s.limit {
		c.Data.Free()
		return
	}
	s.clock++
	c.used = s.clock
	s.copies = append(s.copies, c)
	s.bytes += c.Data.Size()
	for s.bytes > s.limit || len(s.copies) > mostCopies {
		s.drop()
	}
}

// Forget gives up all copies under a key.
func (s *Store) Forget(key string) {
	s.giveUp(func(c *Copy) bool { return c.Key == key })
}

// Close gives up all.
func (s *Store) Close() { s.giveUp(func(*Copy) bool { return true }) }

func (s *Store) giveUp(which func(*Copy) bool) {
	s.copies = slices.DeleteFunc(s.copies, func(c *Copy) bool {
		gone := which(c)
		if gone {
			s.bytes -= c.Data.Size()
			c.Data.Free()
		}
		return gone
	})
}

// drop gives up a copy of the key that has most of what there is too much of.
func (s *Store) drop() {
	held := map[string]int{}
	for _, c := range s.copies {
		if s.bytes > s.limit {
			held[c.Key] += c.Data.Size()
		} else {
			held[c.Key]++
		}
	}
	gone := 0
	for i, c := range s.copies {
		o := s.copies[gone]
		more := held[c.Key] - held[o.Key]
		if more > 0 || more == 0 && (c.used < o.used || c.used == o.used && c.Start > o.Start) {
			gone = i
		}
	}
	last := s.copies[gone]
	s.giveUp(func(c *Copy) bool { return c == last })
}
