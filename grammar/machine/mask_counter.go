package machine

import (
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// Counts make many states of which nearly all tokens say the same: that 60 or 59 letters may come
// matters only to tokens that are as long. Such a state borrows the slice of one without counters,
// and looks at the long tokens itself.

// fillInside makes inside known.
func (k *collector) fillInside(x *stringSlice) {
	switch {
	case x.inside != nil:
	case x.abstract == nil:
		k.sliceString(x, false)
	default:
		k.fillInside(x.abstract)
		x.inside = k.corrected(x, &x.long, x.abstract.inside)
	}
}

// fillFew makes few known.
func (k *collector) fillFew(x *stringSlice) {
	switch {
	case x.few != nil:
	case x.abstract == nil:
		x.few = k.walkFew(x)
	default:
		k.fillFew(x.abstract)
		few := []int32{}
		for _, id := range x.abstract.few {
			if x.alike || !hasToken(x.long.set, id) {
				few = append(few, id)
			}
		}
		k.eachLong(x, &x.long, func(id int32, stays bool) {
			if stays {
				few = append(few, id)
			}
		})
		k.kept += 4 * len(few)
		x.few = few
	}
}

// longTokens are those of more code points than states and their like agree on.
type longTokens struct {
	tree vocab.Trie
	set  []uint64
	list textList
}

func (l *longTokens) add(text []byte, id int32) {
	l.list.add(text, id)
	addToken(l.set, id)
}

func (l *longTokens) finish() {
	l.tree = l.list.trie()
	l.list = textList{}
}

// corrected is a set of another state with the long tokens that belong to this.
func (k *collector) corrected(x *stringSlice, long *longTokens, set []uint64) []uint64 {
	copied := false
	k.eachLong(x, long, func(id int32, stays bool) {
		if hasToken(set, id) == stays {
			return
		}
		if !copied {
			set, copied = slices.Clone(set), true
			k.kept += 8 * len(set)
		}
		set[id>>6] ^= 1 << (id & 63)
	})
	return set
}

// eachLong calls f for the long tokens that the borrowed slice may hold, and says whether the
// string goes on or closes with them. It holds no others: its state never says less.
func (k *collector) eachLong(x *stringSlice, long *longTokens, f func(id int32, reads bool)) {
	if x.alike {
		return
	}
	tree, a := &long.tree, x.unit.arena
	var at, simple [vocab.MaxPiece + 2]lex.StringState
	at[0], simple[0] = x.state, x.abstract.state
	steps := &k.steps
	*steps = [longSteps]longStep{}
	for i := 0; i < len(tree.Nodes); k.visit(1, 0) {
		n := &tree.Nodes[i]
		simple[n.Depth] = onward(simple[n.Depth-1], n.Byte, a.StepString)
		if simple[n.Depth] == lex.StringDead {
			i += int(n.Size)
			continue
		}
		from := at[n.Depth-1]
		step := &steps[(int(from)*31+int(n.Byte))%longSteps]
		if step.from != from || step.b != n.Byte {
			*step = longStep{from, onward(from, n.Byte, a.StepStringOnce), n.Byte}
			k.spend(threadWork)
		}
		at[n.Depth] = step.to
		for id := n.Token; id >= 0; id = tree.Next(id) {
			f(id, step.to != lex.StringDead)
		}
		i++
	}
}

// longStep is a step that has been made before: long tokens are mostly runs of one letter, and of
// a letter states that count make a step each.
type longStep struct {
	from, to lex.StringState
	b        byte
}

// longSteps is how many of them are kept.
const longSteps = 1 << 9

// onward is a step that stays where a string has ended or cannot go on, whatever is behind.
func onward(s lex.StringState, b byte, step func(lex.StringState, byte) lex.StringState) lex.StringState {
	if s == lex.StringDead || s == lex.StringClosed {
		return s
	}
	return step(s, b)
}
