package vocab

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"
)

// Node is one node of the prefix tree. Nodes lie in depth-first order: the first child of node i
// is i+1, the next sibling of i is i+Size.
type Node struct {
	Token int32  // the token that ends here, or -1
	Size  uint32 // nodes of the subtree, this one included
	Byte  byte
	Depth uint8 // bytes from the root to this node: 1 for a token's first byte
	// Height is how many code points begin behind it on the way down that has the most.
	Height uint8
}

// Trie is a prefix tree in one array. Tokens with equal text share a node; Same links them, in the
// order in which BuildTrie was given them.
type Trie struct {
	Nodes []Node
	// Same[t] is the next token with the same text as t, or -1. It is nil when no two tokens
	// share their text.
	Same map[int32]int32
}

// BuildTrie makes the tree of the given texts; ids[i] is the token of texts[i]. Empty texts are
// left out.
func BuildTrie(texts [][]byte, ids []int32) Trie {
	order := make([]int32, 0, len(texts))
	for i := range texts {
		if len(texts[i]) > 0 {
			order = append(order, int32(i))
		}
	}
	sortByText(order, texts)
	b := trieBuilder{t: Trie{Nodes: make([]Node, 0, len(order)*5/2+16)}}
	for _, i := range order {
		b.add(texts[i], ids[i])
	}
	b.closeTo(0)
	return b.t
}

func buildTrie(v *Vocab) Trie {
	ids := make([]int32, 0, v.Len())
	texts := make([][]byte, 0, v.Len())
	for id := range int32(v.Len()) {
		if v.Text(id) {
			ids = append(ids, id)
			texts = append(texts, v.Piece(id))
		}
	}
	return BuildTrie(texts, ids)
}

// sortByText sorts in buckets by first byte, two at a time: a comparison sort of 128,000 texts
// alone would take most of the time a vocabulary may take.
func sortByText(order []int32, texts [][]byte) {
	var start [257]int
	for _, i := range order {
		start[int(texts[i][0])+1]++
	}
	for b := 1; b < 257; b++ {
		start[b] += start[b-1]
	}
	sorted := make([]int32, len(order))
	next := start
	for _, i := range order {
		b := texts[i][0]
		sorted[next[b]] = i
		next[b]++
	}
	copy(order, sorted)
	var wg sync.WaitGroup
	sortBuckets := func(parity int) {
		defer wg.Done()
		for b := parity; b < 256; b += 2 {
			part := order[start[b]:start[b+1]]
			slices.SortFunc(part, func(x, y int32) int {
				if c := bytes.Compare(texts[x], texts[y]); c != 0 {
					return c
				}
				return int(x) - int(y)
			})
		}
	}
	wg.Add(2)
	go sortBuckets(0)
	go sortBuckets(1)
	wg.Wait()
}

// trieBuilder appends sorted texts; open holds the indices of the nodes on the path to the last
// one.
type trieBuilder struct {
	t    Trie
	open []int32
	last []byte
	tail int32 // the last token of that text
}

func (b *trieBuilder) add(text []byte, id int32) {
	common := 0
	for common < len(b.last) && common < len(text) && b.last[common] == text[common] {
		common++
	}
	if common == len(text) && len(b.last) == len(text) {
		b.addSame(id)
		return
	}
	b.closeTo(common)
	for d := common; d < len(text); d++ {
		b.open = append(b.open, int32(len(b.t.Nodes)))
		b.t.Nodes = append(b.t.Nodes, Node{Token: -1, Byte: text[d], Depth: uint8(d + 1)})
	}
	b.t.Nodes[len(b.t.Nodes)-1].Token = id
	b.last, b.tail = text, id
}

// addSame puts a token behind the others of its text: a tree that is built from another has the
// same first of them.
func (b *trieBuilder) addSame(id int32) {
	if b.t.Same == nil {
		b.t.Same = map[int32]int32{}
	}
	b.t.Same[b.tail] = id
	b.tail = id
}

func (b *trieBuilder) closeTo(depth int) {
	for len(b.open) > depth {
		i := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		n := &b.t.Nodes[i]
		n.Size = uint32(len(b.t.Nodes)) - uint32(i)
		if above := len(b.open); above > 0 {
			height := n.Height
			if utf8.RuneStart(n.Byte) {
				height++
			}
			up := &b.t.Nodes[b.open[above-1]]
			up.Height = max(up.Height, height)
		}
	}
}

// Next is the next token with the same text as t, or -1.
func (t *Trie) Next(token int32) int32 {
	if t.Same == nil {
		return -1
	}
	if n, ok := t.Same[token]; ok {
		return n
	}
	return -1
}

// Extends says whether some token begins with text and is longer.
func (t *Trie) Extends(text []byte) bool {
	from, to := t.Below(text)
	return from < to
}

// Below is the range of nodes behind a text.
func (t *Trie) Below(text []byte) (from, to int) {
	to = len(t.Nodes)
	for _, b := range text {
		for from < to && t.Nodes[from].Byte != b {
			from += int(t.Nodes[from].Size)
		}
		if from >= to {
			return 0, 0
		}
		from, to = from+1, from+int(t.Nodes[from].Size)
	}
	return from, to
}
