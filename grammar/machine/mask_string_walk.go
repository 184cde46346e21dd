package machine

import (
	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// sliceWalk finds the tokens that a state of a string's automaton admits, without looking at most
// of them: it goes down the tree of shapes, in which all words of one length are one node. A
// subtree that is not higher than any text may last is taken at once. Two things are left:
//
//   - where a state tells code points of one class apart, the tokens below, or all, are looked at
//     byte by byte;
//   - tokens that have no shape, because of quotes, backslashes or white space beyond ASCII, or
//     because they are cut within a code point, are few; they have a tree of their own.
type sliceWalk struct {
	k     *collector
	u     *Unit
	x     *stringSlice
	needs bool // tokens are told apart by what they need
	// else the set of x.inside, behind one word more: into it falls the bit of token -1,
	// which is none
	padded []uint64

	listed int // tokens walked one by one
	most   int // of them, before all texts are walked instead
	places []slicePlace
	index  []int32                     // by state: 1 and its place, or 0
	tails  map[tailKey]lex.StringState // memo of target

	rows          []*lex.StringRow // by state, nil where not asked for yet
	lookaheads    []*lookahead     // by state, likewise
	lookaheadSize int              // bytes that those take
	rowsOf        *lex.Arena       // whose states
	made          int              // rows
	spare         int              // of those that searches may make
	crowds        []crowd          // those met

	// by depth: the place behind the path's first code points
	at   [vocab.MaxPiece + 2]int32
	path [vocab.MaxPiece + 2]vocab.Class // by depth: the class of the path's code point
}

// slicePlace is what a walk knows about a state.
type slicePlace struct {
	state lex.StringState
	row   *lex.StringRow // nil until asked for: behind most places no token goes on
	set   []uint64       // takes the tokens that end here; nil if they do not count
	plain bool           // any text may follow
	// any text of so many code points may follow, if not more, and ends in the same set
	openRunes   int
	openClasses classes // so may any text of these classes
	asked       bool    // the two were searched for
	// by class: the place that its code points lead to, or one of these
	to [vocab.Classes]int32
}

// Where the code points of a class lead, beside places.
const (
	toUnknown = iota // not looked at yet
	toDead           // nowhere
	toMany           // to different states
	toPlace          // and beyond it the place
)

// sliceString fills in what tokens do from a state between code points and outside of escapes:
// inside, and closing on the way, or with needs the needs. Others see it when it is whole.
func (k *collector) sliceString(x *stringSlice, needs bool) {
	fresh := *x
	anew := k.walkString(&fresh, needs)
	if needs {
		x.needs = fresh.needs
		return
	}
	if x.inside, x.closing = fresh.inside, fresh.closing; anew {
		k.addModel(x)
	}
}

// walkString is sliceString for what nobody else sees yet. It says whether nothing was taken over.
func (k *collector) walkString(x *stringSlice, needs bool) (anew bool) {
	w := k.beginSlice(x, needs)
	if model := w.modelOf(x); model != nil {
		if w.takeOver(x, model) {
			w.walkSpecial(x.state)
			return false
		}
		w = k.beginSlice(x, needs) // without the sets that were given up
	}
	if !needs {
		w.padded = make([]uint64, 1+(k.v.Len()+63)/64)
		k.kept += 8 * len(w.padded)
		x.inside, x.closing = w.padded[1:], k.newSet()
	}
	start := w.place(x.state)
	w.takes(start, openForever, allClasses, worthLookahead)
	all := !needs && w.mostlyOpen(x.state) >= openEnough
	switch {
	case !needs && w.opens(x.state):
		w.most, all = maxListedTokens/8, true
	case !all:
		w.most = 4 * maxListedTokens
	}
	switch {
	case w.walkShapes(start):
	case all:
		w.walkFromAll(x)
	default:
		w.walkTexts(start, nil, vocab.NoClass)
	}
	w.walkSpecial(x.state)
	return true
}

// newSet is a set of tokens that is kept.
func (k *Masks) newSet() []uint64 {
	words := max(1, (k.v.Len()+63)/64)
	k.kept += 8 * words
	return make([]uint64, words)
}

func (k *collector) beginSlice(x *stringSlice, needs bool) *sliceWalk {
	w := &k.slicing
	w.k, w.u, w.x, w.needs, w.listed, w.most, w.spare = k, x.unit, x, needs, 0, maxListedTokens, maxLookahead
	for i := range w.places {
		w.index[w.places[i].state] = 0
	}
	w.places, w.crowds = w.places[:0], w.crowds[:0]
	if w.rowsOf != w.u.arena {
		w.rowsOf, w.rows, w.lookaheads, w.tails = w.u.arena, w.rows[:0], w.lookaheads[:0], map[tailKey]lex.StringState{}
		w.lookaheadSize = 0
	}
	return w
}

// closingOf is the tokens that close a string in a state.
func (k *collector) closingOf(x *stringSlice) []uint64 {
	if x.closing != nil {
		return x.closing
	}
	if x.abstract != nil {
		x.closing = k.corrected(x, &x.longClosers, k.closingOf(x.abstract))
		return x.closing
	}
	x.closing = k.walkClosers(x)
	return x.closing
}

func (k *collector) walkClosers(x *stringSlice) []uint64 {
	closing := x.none
	tree, a := &x.whole, x.unit.arena
	if a.StringAtLeast(x.state) > int(x.longest)+1 {
		return closing
	}
	var at [vocab.MaxPiece + 2]lex.StringState
	at[0] = x.state
	for i := 0; i < len(tree.Nodes); k.visit(1, 0) {
		n := &tree.Nodes[i]
		next, end := a.StepString(at[n.Depth-1], n.Byte), i+int(n.Size)
		switch next {
		case lex.StringClosed:
			if &closing[0] == &x.none[0] {
				closing = k.newSet()
			}
			for ; i < end; i++ {
				for id := tree.Nodes[i].Token; id >= 0; id = tree.Next(id) {
					addToken(closing, id)
				}
			}
		case lex.StringDead:
			i = end
		default:
			at[n.Depth] = next
			i++
		}
	}
	return closing
}

// closes says whether some token closes a string in a state.
func (k *collector) closes(x *stringSlice) bool { return &k.closingOf(x)[0] != &x.none[0] }

// walkShapes walks the tokens that have a shape. It gives up, and returns false, where a state
// tells code points apart behind others that it does not.
func (w *sliceWalk) walkShapes(start int32) bool {
	tree := w.k.v.Shapes()
	w.at[0] = start
	for i := 0; i < len(tree.Nodes); w.k.visit(1, 0) {
		n := &tree.Nodes[i]
		d := n.Depth
		here := w.at[d-1]
		if p := &w.places[here]; p.openRunes > int(n.Height) || (n.Below|1<<n.Class)&^p.openClasses == 0 {
			tree.AddAll(w.places[here].set, n)
			i += int(n.Size)
			continue
		}
		to := w.places[here].to[n.Class]
		if to == toUnknown {
			to = w.lead(here, n.Class)
		}
		if to < toPlace {
			if to == toMany && !w.walkBelow(here, i) {
				return false
			}
			i += int(n.Size)
			continue
		}
		if w.takes(to-toPlace, int(n.Height), n.Below, n.Size) {
			tree.AddAll(w.places[to-toPlace].set, n)
			i += int(n.Size)
			continue
		}
		if p := &w.places[to-toPlace]; p.set != nil {
			tree.AddOwn(p.set, n)
		}
		w.at[d], w.path[d] = to-toPlace, n.Class
		i++
	}
	return true
}

// walkSpecial walks the tokens with quotes and backslashes.
func (w *sliceWalk) walkSpecial(start lex.StringState) {
	tree := &w.x.special
	var at [vocab.MaxPiece + 2]int32
	at[0] = w.place(start)
	for i := 0; i < len(tree.Nodes); w.k.visit(1, 0) {
		n := &tree.Nodes[i]
		here := at[n.Depth-1]
		next := w.rowAt(here)[n.Byte]
		end := i + int(n.Size)
		switch {
		case next == lex.StringClosed && !w.needs:
			for ; i < end; i++ {
				for id := tree.Nodes[i].Token; id >= 0; id = tree.Next(id) {
					addToken(w.x.closing, id)
				}
			}
			continue
		case next == lex.StringClosed || next == lex.StringDead:
			i = end
			continue
		case next != w.places[here].state:
			here = w.place(next)
		}
		at[n.Depth] = here
		if set := w.places[here].set; set != nil {
			for id := n.Token; id >= 0; id = tree.Next(id) {
				addToken(set, id)
			}
		}
		i++
	}
}

// place returns the index of a state's place.
func (w *sliceWalk) place(s lex.StringState) int32 {
	if int(s) < len(w.index) && w.index[s] != 0 {
		return w.index[s] - 1
	}
	inner, raw := w.u.arena.Decoded(s)
	p := slicePlace{state: s, plain: s == w.u.plainString, openRunes: -1}
	switch {
	case !w.needs:
		p.set = w.x.inside
		if raw {
			p.openRunes = w.u.arena.OpenRunes(inner)
		}
	case raw:
		p.set = w.needing(int32(w.u.arena.MinRunes(inner)))
	}
	if int(s) >= len(w.index) {
		w.index = append(w.index, make([]int32, int(s)+64-len(w.index))...)
	}
	w.places = append(w.places, p)
	w.index[s] = int32(len(w.places))
	return int32(len(w.places) - 1)
}

// rowAt is the row of a place's state.
func (w *sliceWalk) rowAt(place int32) *lex.StringRow {
	p := &w.places[place]
	if p.row == nil {
		p.row = w.row(p.state)
	}
	return p.row
}

// needing is the set of tokens after which at least so many code points must come.
func (w *sliceWalk) needing(least int32) []uint64 {
	for _, n := range w.x.needs {
		if n.least == least {
			return n.set
		}
	}
	set := w.k.newSet()
	w.x.needs = append(w.x.needs, need{least, set})
	return set
}
