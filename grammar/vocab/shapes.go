package vocab

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"tenon/grammar/lex/ecma"
)

// What a pattern says of a text seldom depends on which letters are in it, only on where letters,
// digits, and which marks are. The shape of a token is the classes of its code points: " Hello"
// and " World" have one shape. A tree of shapes is a twentieth of the tree of tokens, and a state
// of a string's automaton that leads all letters to one state admits the tokens of a shape
// together.

// Class is a set of code points that patterns seldom tell apart. Small and capital letters and
// digits of ASCII are one each, each mark is one of its own, and code points beyond ASCII are told
// apart by the first byte of their encoding.
type Class uint8

// NoClass holds the bytes that end a JSON string, begin an escape in it, or are not allowed in it,
// and those that begin no code point.
const NoClass Class = 0

// Classes is how many classes there are, NoClass included.
const Classes = 1 + 3 + 32 + 14

// leads are the ranges of first bytes beyond ASCII.
var leads = [][2]byte{{0xC2, 0xC2}, {0xC3, 0xC3}, {0xC4, 0xCF}, {0xD0, 0xD1}, {0xD2, 0xDF}, {0xE0, 0xE0}, {0xE1, 0xE1}, {0xE2, 0xE2}, {0xE3, 0xE3},
	{0xE4, 0xE9}, {0xEA, 0xED}, {0xEE, 0xEE}, {0xEF, 0xEF}, {0xF0, 0xF4}}

var classOf, classBytes = func() (of [256]Class, bytes [Classes][2]byte) {
	next := NoClass + 1
	add := func(lo, hi byte) {
		for b := int(lo); b <= int(hi); b++ {
			of[b] = next
		}
		bytes[next] = [2]byte{lo, hi}
		next++
	}
	add('a', 'z')
	add('A', 'Z')
	add('0', '9')
	for b := byte(' '); b < utf8.RuneSelf; b++ {
		if of[b] == NoClass && b != '"' && b != '\\' {
			add(b, b)
		}
	}
	for _, r := range leads {
		add(r[0], r[1])
	}
	return of, bytes
}()

// ClassOf is the class of the code points that a byte begins.
func ClassOf(b byte) Class { return classOf[b] }

// Bytes is the range of bytes that begin a class's code points.
func (c Class) Bytes() (lo, hi byte) { return classBytes[c][0], classBytes[c][1] }

// Single says whether there is one code point in a class.
func (c Class) Single() bool {
	return classBytes[c][0] == classBytes[c][1] && classBytes[c][0] < utf8.RuneSelf
}

// Width is how many bytes the code points of a class take.
func (c Class) Width() int {
	switch lead := classBytes[c][0]; {
	case lead < utf8.RuneSelf:
		return 1
	case lead < 0xE0:
		return 2
	case lead < 0xF0:
		return 3
	}
	return 4
}

// ShapeState is a state of the automaton that reads texts that have a shape: whole code points,
// none of NoClass, and no white space beyond ASCII. Patterns tell that apart from what is in the
// same class, and few tokens hold it.
type ShapeState uint8

const (
	NoShape ShapeState = iota // whatever follows
	Between                   // between code points: the first state, and where shapes end
)

// HasShape says whether a text has one.
func HasShape(text []byte) bool {
	at := Between
	for _, b := range text {
		at = at.Step(b)
	}
	return at == Between
}

// Step is the state behind a byte.
func (s ShapeState) Step(b byte) ShapeState { return shapeSteps[s][b] }

// shapeSteps is the automaton, by state: that of UTF-8 (table 3-7 of the Unicode Standard), in
// which the ways to white space have states of their own.
var shapeSteps = func() [][256]ShapeState {
	const tail1, tail2, tail3, afterE0, afterED, afterF0, afterF4 = 2, 3, 4, 5, 6, 7, 8
	steps := make([][256]ShapeState, afterF4+1)
	add := func(from ShapeState, lo, hi int, to ShapeState) {
		for b := lo; b <= hi; b++ {
			steps[from][b] = to
		}
	}
	for b, c := range classOf[:utf8.RuneSelf] {
		if c != NoClass {
			add(Between, b, b, Between)
		}
	}
	add(Between, 0xC2, 0xDF, tail1)
	add(Between, 0xE0, 0xEF, tail2)
	add(Between, 0xE0, 0xE0, afterE0)
	add(Between, 0xED, 0xED, afterED)
	add(Between, 0xF0, 0xF4, tail3)
	add(Between, 0xF0, 0xF0, afterF0)
	add(Between, 0xF4, 0xF4, afterF4)
	add(tail1, 0x80, 0xBF, Between)
	add(tail2, 0x80, 0xBF, tail1)
	add(tail3, 0x80, 0xBF, tail2)
	add(afterE0, 0xA0, 0xBF, tail1)
	add(afterED, 0x80, 0x9F, tail1)
	add(afterF0, 0x90, 0xBF, tail2)
	add(afterF4, 0x80, 0x8F, tail2)
	for _, x := range ecma.WideSpace {
		for r := x.Lo; r <= x.Hi; r++ {
			text, at := string(r), Between
			for i := range len(text) - 1 {
				to := steps[at][text[i]]
				if to <= afterF4 { // the first space that this leads to
					steps = append(steps, steps[to])
					to = ShapeState(len(steps) - 1)
					steps[at][text[i]] = to
				}
				at = to
			}
			steps[at][text[len(text)-1]] = NoShape
		}
	}
	return steps
}()

// Shapes is the prefix tree over the shapes of tokens. The other tokens are not in it.
type Shapes struct {
	Nodes  []ShapeNode
	Tokens []int32 // in the order of the nodes, those of one shape in that of their texts

	// The tokens' texts in that order: where each begins. Tokens that are looked at one by one
	// are read from one place of memory, then.
	texts  []byte
	starts []uint32
	sets   [][]uint64
}

// ShapeNode is one node; they lie as those of Trie do.
type ShapeNode struct {
	Class  Class
	Depth  uint8  // code points from the root to this node
	Height uint8  // code points behind it on the longest way down
	Size   uint32 // nodes of the subtree, this one included
	Below  uint64 // set of the classes of the other nodes of the subtree
	// Tokens[From:Own] have this shape, Tokens[From:To] begin with it.
	From, Own, To int32
	own, all      int32 // bitsets of those, where they are many, as indices of sets plus 1
}

// Shapes is the tree of the vocabulary's shapes, made when it is first asked for.
func (v *Vocab) Shapes() *Shapes { return v.shapes() }

// manyTokens is the number of tokens from which a bitset takes less time to add than a list.
const manyTokens = 1024

func newShapes(v *Vocab) *Shapes {
	index := map[string]int32{}
	var shapes []string
	of := make([]int32, v.Len()) // shape of each token plus 1
	var counts []int32
	var buf [MaxPiece]byte
	for id := range int32(v.Len()) {
		shape, ok := appendShape(buf[:0], v.Piece(id))
		if !ok || !v.Text(id) {
			continue
		}
		s, known := index[string(shape)]
		if !known {
			s = int32(len(shapes))
			shapes, counts = append(shapes, string(shape)), append(counts, 0)
			index[shapes[s]] = s
		}
		of[id] = s + 1
		counts[s]++
	}
	order := make([]int32, len(shapes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(shapes[a], shapes[b]) })
	t := &Shapes{}
	place := make([]int32, len(shapes)) // by shape: where its next token goes
	open := shapeBuilder{Shapes: t}
	for _, s := range order {
		place[s] = open.at
		open.add(shapes[s], counts[s])
	}
	open.closeTo(0)
	t.Tokens = make([]int32, open.at)
	for i := range v.trie.Nodes {
		for id := v.trie.Nodes[i].Token; id >= 0; id = v.trie.Next(id) {
			if s := of[id]; s > 0 {
				t.Tokens[place[s-1]] = id
				place[s-1]++
			}
		}
	}
	for _, id := range t.Tokens {
		t.starts = append(t.starts, uint32(len(t.texts)))
		t.texts = append(t.texts, v.Piece(id)...)
	}
	t.starts = append(t.starts, uint32(len(t.texts)))
	t.makeSets(v.Len())
	return t
}

// Text is the text of Tokens[i].
func (t *Shapes) Text(i int32) []byte { return t.texts[t.starts[i]:t.starts[i+1]] }

// appendShape appends the classes of a text's code points; ok is false for texts that have no
// shape.
func appendShape(dst, text []byte) (shape []byte, ok bool) {
	at := Between
	for _, b := range text {
		if at == Between {
			dst = append(dst, byte(classOf[b]))
		}
		if at = at.Step(b); at == NoShape {
			return nil, false
		}
	}
	return dst, at == Between && len(dst) > 0
}

// shapeBuilder appends sorted shapes; open holds the indices of the nodes on the path to the last
// one.
type shapeBuilder struct {
	*Shapes
	open []int32
	last string
	at   int32 // tokens so far
}

func (b *shapeBuilder) add(shape string, tokens int32) {
	common := 0
	for common < len(b.last) && common < len(shape) && b.last[common] == shape[common] {
		common++
	}
	b.closeTo(common)
	for d := common; d < len(shape); d++ {
		b.open = append(b.open, int32(len(b.Nodes)))
		b.Nodes = append(b.Nodes, ShapeNode{Class: Class(shape[d]), Depth: uint8(d + 1), From: b.at, Own: b.at})
	}
	b.at += tokens
	b.Nodes[len(b.Nodes)-1].Own = b.at
	b.last = shape
}

func (b *shapeBuilder) closeTo(depth int) {
	for len(b.open) > depth {
		i := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		b.Nodes[i].Size, b.Nodes[i].To = uint32(len(b.Nodes))-uint32(i), b.at
		if n := len(b.open); n > 0 {
			above := &b.Nodes[b.open[n-1]]
			above.Height = max(above.Height, b.Nodes[i].Height+1)
			above.Below |= b.Nodes[i].Below | 1<<b.Nodes[i].Class
		}
	}
}

// makeSets makes the bitsets of nodes with many tokens.
func (t *Shapes) makeSets(size int) {
	setOf := func(from, to int32) int32 {
		if to-from < manyTokens {
			return 0
		}
		set := make([]uint64, (size+63)/64)
		addTokens(set, t.Tokens[from:to])
		t.sets = append(t.sets, set)
		return int32(len(t.sets))
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.own, n.all = setOf(n.From, n.Own), setOf(n.From, n.To)
	}
}

func addTokens(set []uint64, ids []int32) {
	for _, id := range ids {
		set[id>>6] |= 1 << (id & 63)
	}
}

// AddOwn adds the tokens that have the shape of a node to a bitset.
func (t *Shapes) AddOwn(set []uint64, n *ShapeNode) { t.add(set, n.own, n.From, n.Own) }

// AddAll adds those that begin with it.
func (t *Shapes) AddAll(set []uint64, n *ShapeNode) { t.add(set, n.all, n.From, n.To) }

func (t *Shapes) add(set []uint64, known, from, to int32) {
	if known == 0 {
		addTokens(set, t.Tokens[from:to])
		return
	}
	for i, w := range t.sets[known-1] {
		set[i] |= w
	}
}
