package vocab

// Masks of strings are computed for whole sets of tokens at once. For that, bytes
// fall into groups, and the tree knows which groups are below each node and in
// each token. A state of a string's automaton that all bytes of some groups lead
// back to admits every token made of these groups; no byte of them is looked at.

// ByteGroup is the group of a byte as one bit. Letters of either case are two
// groups, because patterns tell hexadecimal digits apart; each mark of punctuation
// is one of its own; bytes beyond ASCII are told apart where there is white space
// among the code points that they begin.
func ByteGroup(b byte) uint64 { return byteGroups[b] }

// The groups that walkers must know by name.
const (
	// SpecialGroups holds the bytes that end a string, begin an escape in it, or
	// are not allowed in it.
	SpecialGroups uint64 = 1<<0 | 1<<1 | 1<<2

	Continuation uint64 = 1 << 3 // bytes within a code point beyond ASCII
	// FirstLead and the bits behind it are the groups of bytes that begin one.
	FirstLead         = 4
	Leads             = 8
	LeadGroups uint64 = (1<<Leads - 1) << FirstLead
	WideGroups        = LeadGroups | Continuation
)

var byteGroups = func() (groups [256]uint64) {
	next := FirstLead + Leads
	for i := range groups {
		switch b := byte(i); {
		case b < 0x20 || b == 0xC0 || b == 0xC1 || b > 0xF4:
			groups[i] = 1 << 0
		case b == '"':
			groups[i] = 1 << 1
		case b == '\\':
			groups[i] = 1 << 2
		case b >= 0x80:
			groups[i] = wideGroup(b)
		case b >= 'a' && b <= 'f':
			groups[i] = 1 << 63
		case b >= 'g' && b <= 'z':
			groups[i] = 1 << 62
		case b >= 'A' && b <= 'F':
			groups[i] = 1 << 61
		case b >= 'G' && b <= 'Z':
			groups[i] = 1 << 60
		case b >= '0' && b <= '9':
			groups[i] = 1 << 59
		default: // a blank, DEL and 30 marks
			groups[i] = 1 << next
			next++
		}
	}
	return groups
}()

// wideGroup is the group of a byte beyond ASCII.
func wideGroup(b byte) uint64 {
	for i, lead := range []byte{0xC2, 0xE1, 0xE2, 0xE3, 0xEF} { // of U+00A0, U+1680, U+2000 to U+205F, U+3000, U+FEFF
		if b == lead {
			return 1 << (FirstLead + i)
		}
	}
	switch {
	case b < 0xC0:
		return Continuation
	case b < 0xE0:
		return 1 << (FirstLead + 5)
	case b < 0xF0:
		return 1 << (FirstLead + 6)
	}
	return 1 << (FirstLead + 7)
}

// groupIndex is a vocabulary's tokens by the groups of their bytes. Tokens without
// special bytes are ordinary.
type groupIndex struct {
	// Ordinary is, for each node, the groups of the bytes behind it in those
	// ordinary tokens that go through it; HasOrdinary says whether there are any
	// such, or one that ends at the node.
	Ordinary    []uint64
	HasOrdinary []bool
	Height      []uint8 // bytes behind a node on the longest way down
	// Tokens is all tokens in the order of the nodes, TokenGroups their groups;
	// Before is for each node, and one past the last, how many tokens lie before
	// it.
	Tokens      []int32
	TokenGroups []uint64
	Before      []int32

	classes []tokenClass
}

// tokenClass is the ordinary tokens with one set of groups: a bitset if they are
// many, else a list.
type tokenClass struct {
	groups uint64
	list   []int32
	set    []uint64
}

// denseClass is the number of tokens from which a class is a bitset.
const denseClass = 1024

// index fills in the groups of a tree over size tokens.
func (t *Trie) index(size int) {
	n := len(t.Nodes)
	t.Ordinary, t.HasOrdinary, t.Before = make([]uint64, n), make([]bool, n), make([]int32, n+1)
	t.Tokens, t.TokenGroups = make([]int32, 0, size), make([]uint64, 0, size)
	var path [MaxPiece + 1]uint64 // groups on the way to a node, by depth
	for i := range t.Nodes {
		x := &t.Nodes[i]
		path[x.Depth] = path[x.Depth-1] | ByteGroup(x.Byte)
		t.Before[i] = int32(len(t.Tokens))
		for id := x.Token; id >= 0; id = t.Next(id) {
			t.Tokens, t.TokenGroups = append(t.Tokens, id), append(t.TokenGroups, path[x.Depth])
		}
		t.HasOrdinary[i] = x.Token >= 0 && path[x.Depth]&SpecialGroups == 0
	}
	t.Before[n] = int32(len(t.Tokens))
	t.Height = make([]uint8, n)
	var below [MaxPiece + 2]uint64 // groups of the nodes seen so far at a depth and below
	var height [MaxPiece + 2]uint8
	for i := n - 1; i >= 0; i-- {
		x := &t.Nodes[i]
		d := int(x.Depth)
		t.Ordinary[i], below[d+1] = below[d+1], 0
		t.Height[i], height[d+1] = height[d+1], 0
		height[d] = max(height[d], t.Height[i]+1)
		if t.HasOrdinary[i] || t.Ordinary[i] != 0 {
			t.HasOrdinary[i] = true
			below[d] |= t.Ordinary[i] | ByteGroup(x.Byte)
		}
	}
	t.classify(size)
}

// classify sorts the ordinary tokens into classes.
func (t *Trie) classify(size int) {
	index := map[uint64]int32{}
	class := make([]int32, len(t.Tokens)) // by token, in the tree's order
	var counts []int
	last, lastClass := SpecialGroups, int32(-1) // neighbours are often alike
	for i, g := range t.TokenGroups {
		if g&SpecialGroups != 0 {
			class[i] = -1
			continue
		}
		if g != last {
			c, ok := index[g]
			if !ok {
				c = int32(len(counts))
				index[g] = c
				counts = append(counts, 0)
				t.classes = append(t.classes, tokenClass{groups: g})
			}
			last, lastClass = g, c
		}
		class[i] = lastClass
		counts[lastClass]++
	}
	for c, n := range counts {
		if n >= denseClass {
			t.classes[c].set = make([]uint64, (size+63)/64)
		} else {
			t.classes[c].list = make([]int32, 0, n)
		}
	}
	for i, id := range t.Tokens {
		if class[i] < 0 {
			continue
		}
		if c := &t.classes[class[i]]; c.set != nil {
			c.set[id>>6] |= 1 << (id & 63)
		} else {
			c.list = append(c.list, id)
		}
	}
}

// AddOrdinary adds to a bitset the ordinary tokens all bytes of which are in the
// groups.
func (t *Trie) AddOrdinary(set []uint64, groups uint64) {
	for i := range t.classes {
		c := &t.classes[i]
		if c.groups&^groups != 0 {
			continue
		}
		for i, w := range c.set {
			set[i] |= w
		}
		for _, id := range c.list {
			set[id>>6] |= 1 << (id & 63)
		}
	}
}
