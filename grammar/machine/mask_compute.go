package machine

import (
	"container/list"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
	"tenon/grammar/vocab"
)

// Masks computes and keeps the masks of one machine over one vocabulary.
type Masks struct {
	m *Machine
	v *vocab.Vocab

	tokens  []int32         // by symbol: its token, or -1
	symbols map[int32][]int // symbols by token: a grammar may name one by text and by id
	memo    map[ConfigID]*list.Element
	byUse   list.List              // of *maskEntry, most recently used first
	equal   map[uint64]*sharedMask // by hash
	size    int
	limit   int
	idle    *collector // of the mask computed last

	textSlices recent[sliceKey, *tokenSlice]
	strings    recent[stringState, *stringSlice]
	names      recent[nameState, *nameSlice]
	models     map[*Unit][]*stringSlice // states that others may take over from
	kept       int                      // memory that slices take, roughly
	older      int                      // of it, what was found before the last forget
	keep       int                      // and may take

	Stats Stats
}

// collector is what one mask is collected in. There are as many as masks that have been begun.
type collector struct {
	*Masks
	pause func() // called between the steps of a mask; nil: it is computed at once
	work  int    // done since the last pause

	ids     []int32
	set     []uint64
	used    bool     // set holds something
	whole   *lexicon // set holds all that stays inside of strings of this lexicon
	between []thread // threads between the parts of values
	ends    keyEnds  // threads in keys, for the tokens that end those
	walk    walker
	grouped bool     // a walk finds groups of tokens, not tokens
	found   []int32  // the groups
	gone    []uint64 // of removeFrom, empty between its calls
	slicing sliceWalk
	steps   [longSteps]longStep // of eachLong
}

// A step of a mask is so much work. A node of a tree counts one; some tens of microseconds go by.
const (
	stepWork   = 1 << 14
	threadWork = 8   // a thread that reads a byte
	rowWork    = 256 // all successors of a lexical state
)

// spend counts work, and pauses where a step has been done. Others may use the machine and the
// masks meanwhile: what they all share is whole here, and the machine's scratch is empty.
func (k *collector) spend(work int) {
	if k.work += work; k.work >= stepWork && k.pause != nil {
		k.work = 0
		k.pause()
	}
}

// Stats counts what a Masks has done.
type Stats struct {
	Hits, Misses int64
	Nodes        int64 // nodes of the tree visited
	Bytes        int64 // memory that masks, and what is known of states, take now
}

// What is kept of one grammar: its masks, and what is known of states.
const (
	defaultLimit = 64 << 20
	defaultKeep  = 64 << 20
)

// NewMasks prepares masks of m over v.
func NewMasks(m *Machine, v *vocab.Vocab) *Masks {
	k := &Masks{m: m, v: v, symbols: map[int32][]int{}, memo: map[ConfigID]*list.Element{}, equal: map[uint64]*sharedMask{}, limit: defaultLimit, keep: defaultKeep, models: map[*Unit][]*stringSlice{}}
	for i, ref := range m.prog.symbols {
		id, ok := ref.ID, ref.Text == "" && int(ref.ID) < v.Len()
		if ref.Text != "" {
			id, ok = v.Symbol(ref.Text)
		}
		if !ok {
			id = -1
		} else {
			k.symbols[id] = append(k.symbols[id], symbolBase+i)
		}
		k.tokens = append(k.tokens, id)
	}
	return k
}

// visit counts nodes, and the work beside.
func (k *collector) visit(nodes, beside int) {
	k.Stats.Nodes += int64(nodes)
	k.spend(nodes + beside)
}

// Mask returns the tokens that may come next in a configuration. It calls pause, unless that is
// nil, whenever it has done a step's work; pause may have other masks computed.
func (k *Masks) Mask(id ConfigID, pause func()) vocab.Mask {
	if e, ok := k.memo[id]; ok {
		k.Stats.Hits++
		k.byUse.MoveToFront(e)
		return e.Value.(*maskEntry).Mask
	}
	k.Stats.Misses++
	c := k.idle
	if k.idle = nil; c == nil {
		c = &collector{Masks: k}
	}
	c.pause, c.work = pause, 0
	mask := c.compute(id)
	c.tidy()
	k.idle = c
	k.remember(mask)
	return mask.Mask
}

// tidy lets go of what one mask has made far larger than others need.
func (k *collector) tidy() {
	if k.walk.tidy(); cap(k.ids) > 4*k.v.Len() {
		k.ids = nil
	}
}

// Step reads a token.
func (k *Masks) Step(id ConfigID, token int32) ConfigID {
	if inputs := k.symbols[token]; inputs != nil {
		return k.m.Step(id, inputs...)
	}
	if !k.v.Text(token) {
		return Stuck
	}
	next, _ := k.m.Walk(id, k.v.Piece(token))
	return next
}

// compute collects the mask of a configuration: the union of what its threads allow.
func (k *collector) compute(id ConfigID) *maskEntry {
	k.ids, k.used, k.whole = k.ids[:0], false, nil
	threads := k.m.configs.lists[id]
	for _, t := range threads {
		if x := k.textOf(t); x != nil && x.open && (t.def.kind() == kindUnnamedKey || k.m.strings[t.def.index()].max == schema.Unbounded) {
			k.addWhole(x)
			break
		}
	}
	k.between = k.between[:0]
	for _, t := range threads {
		if k.kept-k.older > k.keep/2 {
			k.forget()
		}
		k.collect(t)
	}
	k.walk.run(k, k.v.Trie(), k.between)
	k.collectKeyEnds()
	return k.finish(k.m.Done(id), id)
}

// addWhole adds all that stays inside of a string of any text.
func (k *collector) addWhole(x *stringSlice) {
	k.addSet(x.inside)
	k.whole = x.lexicon
}

// textOf is the slice of a thread inside of a string or of a key that is not named, or nil where
// there is none.
func (k *Masks) textOf(t thread) *stringSlice {
	switch t.def.kind() {
	case kindString:
		return k.stringSliceOf(k.m.strings[t.def.index()].unit, lex.StringState(t.st))
	case kindUnnamedKey:
		u := k.m.classes[t.def.index()].unit
		// else what a token adds to the key is not its own text
		if _, raw := u.arena.Decoded(lex.StringState(t.st)); raw {
			return k.stringSliceOf(u, lex.StringState(t.st))
		}
	}
	return nil
}

// collect adds the tokens that one thread allows.
func (k *collector) collect(t thread) {
	if f := kinds[t.def.kind()].collect; f == nil || !f(k, t) {
		k.walk.run(k, k.v.Trie(), []thread{t})
	}
}

// collectBetween leaves a thread between the parts of values for later: what many alternatives
// admit there is much the same.
func (k *collector) collectBetween(t thread) bool {
	k.between = append(k.between, t)
	return true
}

func (k *collector) finish(done bool, id ConfigID) *maskEntry {
	for _, token := range k.tokens {
		k.remove(token)
	}
	for i, token := range k.tokens {
		if token >= 0 && k.m.accepts(id, symbolBase+i) {
			k.ids = append(k.ids, token)
		}
	}
	if done {
		k.ids = append(k.ids, k.v.EOG()...)
	}
	if !k.used {
		if len(k.ids) <= vocab.SortedIDs {
			return &maskEntry{Mask: vocab.SparseMask(k.ids, k.v.Len()), config: id}
		}
		k.set = slices.Grow(k.set[:0], (k.v.Len()+63)/64)[:(k.v.Len()+63)/64]
		clear(k.set)
	}
	addTokens(k.set, k.ids)
	shared := k.equalTo(k.set)
	return &maskEntry{shared.Mask, id, shared}
}

// remove takes a token out that was added for its text.
func (k *collector) remove(token int32) {
	if token < 0 {
		return
	}
	if k.used {
		k.set[token>>6] &^= 1 << (token & 63)
	}
	for i := 0; i < len(k.ids); {
		if k.ids[i] == token {
			k.ids[i] = k.ids[len(k.ids)-1]
			k.ids = k.ids[:len(k.ids)-1]
			continue
		}
		i++
	}
}

// addSet adds a bitset of tokens.
func (k *collector) addSet(set []uint64) {
	if !k.used {
		k.set = append(k.set[:0], set...)
		k.used = true
		return
	}
	for i, w := range set {
		k.set[i] |= w
	}
}

// addBoth adds the tokens that are in two bitsets.
func (k *collector) addBoth(x, y []uint64) {
	if !k.used {
		k.set = append(k.set[:0], x...)
		for i, w := range y {
			k.set[i] &= w
		}
		k.used = true
		return
	}
	for i, w := range x {
		k.set[i] |= w & y[i]
	}
}

// add adds the tokens of one node of the tree.
func (k *collector) add(token int32) {
	if k.grouped {
		k.found = append(k.found, token)
		return
	}
	k.ids = append(k.ids, token)
	if t := k.v.Trie(); t.Same != nil {
		for token = t.Next(token); token >= 0; token = t.Next(token) {
			k.ids = append(k.ids, token)
		}
	}
}
