package schedule

import "slices"

// Cache mirrors the KV cache. Each sequence is a path in a tree whose nodes are runs of cells; a
// cell is held once, however many sequences pass through it. Runs are shared only by Fork: two
// sequences that evaluated the same tokens apart from each other hold them twice, here as in the
// model's memory.
//
// Sequences under different keys never meet.
type Cache struct {
	roots     map[string]*node
	sequences []sequence
	cells     int
	clock     uint64
}

// node is a run of cells. All its holders hold all of it; it ends where one of them ends or two
// part.
type node struct {
	tokens   []int32
	start    int // position of the first token
	parent   *node
	children []*node
	holders  []int
}

func (n *node) end() int { return n.start + len(n.tokens) }

type sequence struct {
	key  string
	tail *node // the root if it is empty, nil if the sequence is free
	kept bool
	used uint64
}

// NewCache is a cache of so many sequences, all free.
func NewCache(sequences int) *Cache {
	return &Cache{roots: map[string]*node{}, sequences: make([]sequence, sequences)}
}

// Cells is how many cells are held.
func (c *Cache) Cells() int { return c.cells }

// Kept is how many sequences are kept.
func (c *Cache) Kept() int {
	n := 0
	for i := range c.sequences {
		if c.sequences[i].kept {
			n++
		}
	}
	return n
}

// Take makes a free sequence an empty one under key. It is false if none is free.
func (c *Cache) Take(key string) (int, bool) {
	for id := range c.sequences {
		if c.sequences[id].tail == nil {
			c.clock++
			c.sequences[id] = sequence{key: key, tail: c.root(key), used: c.clock}
			return id, true
		}
	}
	return 0, false
}

func (c *Cache) root(key string) *node {
	r := c.roots[key]
	if r == nil {
		r = &node{}
		c.roots[key] = r
	}
	return r
}

// Len is how many tokens a sequence holds.
func (c *Cache) Len(id int) int { return c.sequences[id].tail.end() }

// Key is what a sequence was taken under.
func (c *Cache) Key(id int) string { return c.sequences[id].key }

// Tokens are those that a sequence holds.
func (c *Cache) Tokens(id int) []int32 {
	tokens := make([]int32, c.Len(id))
	for n := c.sequences[id].tail; n.parent != nil; n = n.parent {
		copy(tokens[n.start:], n.tokens)
	}
	return tokens
}

// Extend appends tokens that a sequence has evaluated.
func (c *Cache) Extend(id int, tokens ...int32) {
	if len(tokens) == 0 {
		return
	}
	c.cells += len(tokens)
	tail := c.sequences[id].tail
	if tail.parent != nil && len(tail.holders) == 1 && len(tail.children) == 0 {
		tail.tokens = append(tail.tokens, tokens...)
		return
	}
	n := &node{tokens: slices.Clone(tokens), start: tail.end(), parent: tail, holders: []int{id}}
	tail.children = append(tail.children, n)
	c.sequences[id].tail = n
}

// Fork gives the empty sequence to the first n tokens of from. Both must be under the same key.
func (c *Cache) Fork(from, to, n int) {
	c.touch(from)
	last := c.cutAt(c.sequences[from].tail, n)
	for p := last; p.parent != nil; p = p.parent {
		p.holders = append(p.holders, to)
	}
	c.sequences[to].tail = last
}

// cutAt returns the node on the path to tail that ends at position n, parting one if need be.
func (c *Cache) cutAt(tail *node, n int) *node {
	for tail.parent != nil && tail.start >= n {
		tail = tail.parent
	}
	if tail.end() > n {
		return c.split(tail, n)
	}
	return tail
}

// split parts a node at position n and returns its first half, which is new: the second half stays
// what tails point at.
func (c *Cache) split(back *node, n int) *node {
	front := &node{
		tokens: slices.Clone(back.tokens[:n-back.start]), start: back.start,
		parent: back.parent, children: []*node{back}, holders: slices.Clone(back.holders),
	}
	siblings := back.parent.children
	siblings[slices.Index(siblings, back)] = front
	back.tokens = back.tokens[n-back.start:]
	back.start, back.parent = n, front
	return front
}

// Cut shortens a sequence to its first n tokens.
func (c *Cache) Cut(id, n int) {
	s := &c.sequences[id]
	last := c.cutAt(s.tail, n)
	for p := s.tail; p != last; p = p.parent {
		p.holders = slices.DeleteFunc(p.holders, func(h int) bool { return h == id })
		if len(p.holders) == 0 {
			c.cells -= len(p.tokens)
			p.parent.children = slices.DeleteFunc(p.parent.children, func(n *node) bool { return n == p })
		}
	}
	s.tail = last
}

// Free empties a sequence and lets Take have it.
func (c *Cache) Free(id int) {
	c.Cut(id, 0)
	key := c.sequences[id].key
	if len(c.roots[key].children) == 0 && !c.inUse(key, id) {
		delete(c.roots, key)
	}
	c.sequences[id] = sequence{}
}

func (c *Cache) inUse(key string, but int) bool {
	for id, s := range c.sequences {
		if id != but && s.tail != nil && s.key == key {
			return true
		}
	}
	return false
}

// Keep marks a sequence as one that no turn runs on any more. It may be evicted.
func (c *Cache) Keep(id int) {
	c.sequences[id].kept = true
	c.touch(id)
}

func (c *Cache) touch(id int) {
	c.clock++
	c.sequences[id].used = c.clock
}

// Floor says from which length on a sequence can be cut or forked: 0 anywhere, its own length only
// as it is.
type Floor func(id int) int

// Match finds the sequence that holds the longest beginning of tokens and can be forked there, and
// how long that is; 0 if there is none.
func (c *Cache) Match(key string, tokens []int32, floor Floor) (id, n int) {
	if r := c.roots[key]; r != nil {
		c.match(r, tokens, floor, &id, &n)
	}
	return id, n
}

func (c *Cache) match(at *node, tokens []int32, floor Floor, best, most *int) {
	for _, child := range at.children {
		same := common(child.tokens, tokens[child.start:])
		length := child.start + same
		if same == 0 {
			continue
		}
		for _, h := range child.holders {
			if length > *most && floor(h) <= length {
				*best, *most = h, length
			}
		}
		if same == len(child.tokens) {
			c.match(child, tokens, floor, best, most)
		}
	}
}

// common is how many tokens two texts begin with alike.
func common(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Evictable is how many cells would come free if all kept sequences went.
func (c *Cache) Evictable() int {
	n := 0
	for _, r := range c.roots {
		n += c.evictable(r)
	}
	return n
}

func (c *Cache) evictable(at *node) int {
	n := 0
	for _, child := range at.children {
		if !slices.ContainsFunc(child.holders, func(h int) bool { return !c.sequences[h].kept }) {
			n += len(child.tokens)
		}
		n += c.evictable(child)
	}
	return n
}

// Eviction shortens a kept sequence to Length tokens; 0 frees it.
type Eviction struct {
	Sequence, Length int
}

// Evict chooses what to give up so that cells come free: of the Oldest kept sequence the tail that
// nobody shares, no more of it than is needed; the whole sequence where floor forbids to cut it,
// or where it would only repeat what others hold. It is false if nothing is kept.
func (c *Cache) Evict(cells int, floor Floor) (Eviction, bool) {
	id, ok := c.Oldest(Cells)
	if !ok {
		return Eviction{}, false
	}
	own := c.Len(id) - c.Shared(id)
	length := c.Len(id) - min(cells, own)
	if length <= c.Shared(id) || floor(id) > length {
		length = 0
	}
	return Eviction{Sequence: id, Length: length}, true
}

// Scarce is what a cache has too little of.
type Scarce int

// What may be scarce: room for tokens, or numbers of sequences.
const (
	Cells Scarce = iota
	Sequences
)

// Oldest is the kept sequence that was used least recently, of the key that has kept most of what
// is scarce: nobody drives out another's. What others were forked from outlives them: it is where
// several have met, and may again. It is false if nothing is kept.
func (c *Cache) Oldest(scarce Scarce) (int, bool) { return c.OldestBut(-1, scarce) }

// OldestBut is Oldest among all but one sequence.
func (c *Cache) OldestBut(but int, scarce Scarce) (int, bool) {
	held := c.heldKept(scarce, but)
	found := -1
	for id, s := range c.sequences {
		if !s.kept || id == but {
			continue
		}
		if found >= 0 {
			f := c.sequences[found]
			if more := held[s.key] - held[f.key]; more < 0 || more == 0 && !c.before(s, f) {
				continue
			}
		}
		found = id
	}
	return found, found >= 0
}

// heldKept is how much of what is scarce each key has kept.
func (c *Cache) heldKept(scarce Scarce, but int) map[string]int {
	held := map[string]int{}
	for id, s := range c.sequences {
		switch {
		case !s.kept || id == but:
		case scarce == Sequences:
			held[s.key]++
		case held[s.key] == 0:
			held[s.key] = c.evictable(c.roots[s.key])
		}
	}
	return held
}

// before tells whether s goes before t.
func (c *Cache) before(s, t sequence) bool {
	leaf := len(s.tail.children) == 0
	if leaf != (len(t.tail.children) == 0) {
		return leaf
	}
	return s.used < t.used
}

// Shared is how many tokens of a sequence others hold too.
func (c *Cache) Shared(id int) int {
	t := c.sequences[id].tail
	for t.parent != nil && len(t.holders) == 1 {
		t = t.parent
	}
	return t.end()
}

// Held is how many of a sequence's first n tokens are held by sequences that are in use, not only
// kept.
func (c *Cache) Held(id, n int) int {
	for t := c.sequences[id].tail; t.parent != nil; t = t.parent {
		if t.start < n && slices.ContainsFunc(t.holders, func(h int) bool { return !c.sequences[h].kept }) {
			return min(n, t.end())
		}
	}
	return 0
}

// IsKept tells whether a sequence is kept.
func (c *Cache) IsKept(id int) bool { return c.sequences[id].kept }

// Repeated finds a kept sequence all of whose tokens another one holds too.
func (c *Cache) Repeated() (int, bool) {
	for id, s := range c.sequences {
		if s.kept && (s.tail.parent == nil || len(s.tail.holders) > 1) {
			return id, true
		}
	}
	return 0, false
}
