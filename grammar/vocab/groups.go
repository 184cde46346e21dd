package vocab

import "strings"

// Masks of strings are computed for whole sets of tokens at once. For that, bytes
// fall into groups, and the tree knows which groups are below each node and in
// each token. A state of a string's automaton that all bytes of some groups lead
// back to admits every token made of these groups; no byte of them is looked at.

// ByteGroup is the group of a byte as one bit: letters of either case, digits,
// bytes beyond ASCII, control characters, and the punctuation that patterns treat
// apart.
func ByteGroup(b byte) uint16 { return byteGroups[b] }

// The groups that walkers must know by name.
const (
	WideGroup      uint16 = 1 << 5  // bytes beyond ASCII
	ControlGroup   uint16 = 1 << 6  // bytes below 0x20
	QuoteGroup     uint16 = 1 << 13 // the quotation mark
	BackslashGroup uint16 = 1 << 14
	// SpecialGroups holds the bytes that end a string, begin an escape in it, or
	// are not allowed in it.
	SpecialGroups = ControlGroup | QuoteGroup | BackslashGroup
)

var byteGroups = func() (groups [256]uint16) {
	for i := range groups {
		switch b := byte(i); {
		case b >= 'a' && b <= 'f':
			groups[i] = 1 << 0
		case b >= 'g' && b <= 'z':
			groups[i] = 1 << 1
		case b >= 'A' && b <= 'F':
			groups[i] = 1 << 2
		case b >= 'G' && b <= 'Z':
			groups[i] = 1 << 3
		case b >= '0' && b <= '9':
			groups[i] = 1 << 4
		case b >= 0x80:
			groups[i] = WideGroup
		case b < 0x20:
			groups[i] = ControlGroup
		default:
			groups[i] = 1 << 15
			if i := strings.IndexByte(`_-. /:"\`, b); i >= 0 {
				groups[b] = 1 << (7 + i)
			}
		}
	}
	return groups
}()

// groupIndex is a vocabulary's tokens by the groups of their bytes. Tokens without
// special bytes are ordinary.
type groupIndex struct {
	// Ordinary is, for each node, the groups of the bytes behind it in those
	// ordinary tokens that go through it; HasOrdinary says whether there are any
	// such, or one that ends at the node.
	Ordinary    []uint16
	HasOrdinary []bool
	// Tokens is all tokens in the order of the nodes, TokenGroups their groups;
	// Before is for each node, and one past the last, how many tokens lie before
	// it.
	Tokens      []int32
	TokenGroups []uint16
	Before      []int32

	classes []tokenClass
}

// tokenClass is the ordinary tokens with one set of groups: a bitset if they are
// many, else a list.
type tokenClass struct {
	groups uint16
	list   []int32
	set    []uint64
}

// denseClass is the number of tokens from which a class is a bitset.
const denseClass = 1024

// index fills in the groups of a tree over size tokens.
func (t *Trie) index(size int) {
	n := len(t.Nodes)
	t.Ordinary, t.HasOrdinary, t.Before = make([]uint16, n), make([]bool, n), make([]int32, n+1)
	t.Tokens, t.TokenGroups = make([]int32, 0, size), make([]uint16, 0, size)
	var path [MaxPiece + 1]uint16 // groups on the way to a node, by depth
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
	var below [MaxPiece + 2]uint16 // groups of the nodes seen so far at a depth and below
	for i := n - 1; i >= 0; i-- {
		x := &t.Nodes[i]
		t.Ordinary[i], below[x.Depth+1] = below[x.Depth+1], 0
		if t.HasOrdinary[i] || t.Ordinary[i] != 0 {
			t.HasOrdinary[i] = true
			below[x.Depth] |= t.Ordinary[i] | ByteGroup(x.Byte)
		}
	}
	t.classify(size)
}

func (t *Trie) classify(size int) {
	at := make([]int32, 1<<16) // by groups: how many tokens there are, then 1 and the index of their class
	for _, g := range t.TokenGroups {
		at[g]++
	}
	for g, n := range at {
		if n == 0 || g&int(SpecialGroups) != 0 {
			continue
		}
		c := tokenClass{groups: uint16(g)}
		if n >= denseClass {
			c.set = make([]uint64, (size+63)/64)
		} else {
			c.list = make([]int32, 0, n)
		}
		t.classes = append(t.classes, c)
		at[g] = int32(len(t.classes))
	}
	for i, g := range t.TokenGroups {
		if g&SpecialGroups != 0 {
			continue
		}
		c, id := &t.classes[at[g]-1], t.Tokens[i]
		if c.set != nil {
			c.set[id>>6] |= 1 << (id & 63)
		} else {
			c.list = append(c.list, id)
		}
	}
}

// AddOrdinary adds to a bitset the ordinary tokens all bytes of which are in the
// groups.
func (t *Trie) AddOrdinary(set []uint64, groups uint16) {
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
