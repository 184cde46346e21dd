package tokenjson

import (
	"container/heap"
	"fmt"
	"unicode/utf8"

	"tenon/grammar/vocab"
)

// bpe turns words into tokens: they begin as bytes or characters, and of the pairs of neighbours
// that are joined, the one with the lowest rank is, until there is none.
type bpe struct {
	ids   map[string]int32 // tokens of plain text
	joins map[uint64]join  // by pair
	bytes [256]int32       // the token of each byte
	runes bool             // words begin as characters, and as bytes where one is no token
	whole bool             // a word that is a token is one, whatever is joined
}

// join is what a pair becomes, and when.
type join struct{ rank, id int32 }

func pairOf(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// newBPE reads what is joined, and finds the tokens of the bytes: without one, text would be lost.
// No plain text becomes a control token, whatever the file says.
func newBPE(f *file, v *vocabulary, byBytes bool) (*bpe, error) {
	b := &bpe{ids: make(map[string]int32, len(v.ids)), runes: !byBytes, whole: f.Model.IgnoreMerges}
	for text, id := range v.ids {
		switch kind := v.kinds[id]; {
		case kind != vocab.Normal && kind != vocab.UserDefined:
		case byBytes:
			b.ids[string(v.pieces[id])] = id
		default:
			b.ids[text] = id
		}
	}
	b.joins = make(map[uint64]join, len(f.Model.Merges))
	for rank, m := range f.Model.Merges {
		left, okLeft := v.ids[m[0]]
		right, okRight := v.ids[m[1]]
		both, ok := v.ids[m[0]+m[1]]
		if !okLeft || !okRight || !ok {
			return nil, fmt.Errorf("%.40q and %.40q are to be joined, and are no tokens or become none", m[0], m[1])
		}
		if v.kinds[both] != vocab.Control {
			b.joins[pairOf(left, right)] = join{int32(rank), both}
		}
	}
	for n := range b.bytes {
		name := fmt.Sprintf("<0x%02X>", n)
		if byBytes {
			name = string(letters[n])
		}
		id, ok := v.ids[name]
		if !ok || v.kinds[id] == vocab.Control {
			return nil, fmt.Errorf("no token spells the byte %#02x: there is no %q", n, name)
		}
		b.bytes[n] = id
	}
	return b, nil
}

// symbol is a part of a word.
type symbol struct{ id, prev, next int32 }

// candidate is a pair of symbols that could be joined, as they were when it was found.
type candidate struct {
	join
	at   int32 // the left one
	pair uint64
}

type candidates []candidate

func (c candidates) Len() int      { return len(c) }
func (c candidates) Swap(a, b int) { c[a], c[b] = c[b], c[a] }
func (c candidates) Less(a, b int) bool {
	return c[a].rank < c[b].rank || c[a].rank == c[b].rank && c[a].at < c[b].at
}
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	*c = (*c)[:len(*c)-1]
	return nil // the caller has read it
}

// append adds a word's tokens. It takes time by the word's length times its logarithm.
func (b *bpe) append(ids []int32, word string) []int32 {
	if id, ok := b.ids[word]; ok && (b.whole || len(word) == 1) {
		return append(ids, id)
	}
	symbols := b.symbols(word)
	var queue candidates
	find := func(at int32) {
		if at < 0 || symbols[at].next < 0 {
			return
		}
		pair := pairOf(symbols[at].id, symbols[symbols[at].next].id)
		if j, ok := b.joins[pair]; ok {
			queue = append(queue, candidate{j, at, pair})
		}
	}
	for at := range symbols {
		find(int32(at))
	}
	heap.Init(&queue)
	push := func(at int32) {
		if n := len(queue); at >= 0 {
			if find(at); len(queue) > n {
				heap.Fix(&queue, n)
			}
		}
	}
	for len(queue) > 0 {
		c := queue[0]
		heap.Pop(&queue)
		left := &symbols[c.at]
		if left.next < 0 || pairOf(left.id, symbols[left.next].id) != c.pair {
			continue // one of them was joined to another
		}
		right := &symbols[left.next]
		left.id, left.next, right.id = c.id, right.next, gone
		if left.next >= 0 {
			symbols[left.next].prev = c.at
		}
		push(left.prev)
		push(c.at)
	}
	for at := int32(0); at >= 0 && len(symbols) > 0; at = symbols[at].next {
		ids = append(ids, symbols[at].id)
	}
	return ids
}

// gone is the id of a symbol that was joined to the one before.
const gone = -1

// symbols are what a word begins as.
func (b *bpe) symbols(word string) []symbol {
	all := make([]symbol, 0, len(word))
	for at := 0; at < len(word); {
		size, id, known := 1, int32(0), false
		if b.runes {
			_, size = utf8.DecodeRuneInString(word[at:])
			id, known = b.ids[word[at:at+size]]
		}
		for i := range size {
			if !known {
				id = b.bytes[word[at+i]]
			}
			n := int32(len(all))
			if all = append(all, symbol{id, n - 1, n + 1}); known {
				break
			}
		}
		at += size
	}
	if len(all) > 0 {
		all[len(all)-1].next = -1
	}
	return all
}
