package machine

import (
	"bytes"
	"math/bits"
	"slices"
	"sort"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
	"tenon/grammar/vocab"
)

// stringSplit is the part of a mask that depends on the state of a string's
// automaton alone: tokens that stay inside of the string, and tokens that close
// it.
type stringSplit struct {
	inside  []uint64
	closing []uint64
	closers *closers
	rooms   *rooms // nil until a bounded string asks
}

// closers is the tokens that can close a string at all, by what follows the
// closing quote. It is made once per vocabulary.
type closers struct {
	tree    vocab.Trie // texts behind the closing quote; ids index groups
	bare    int32      // the group of tokens that end with the quote, or -1
	groups  []group
	whole   vocab.Trie // whole texts of all tokens that close
	keys    vocab.Trie // of those that must be looked at one by one in keys,
	inKeys  []uint64   // which this set leaves out
	escapes vocab.Trie // of all tokens that end in an escape
}

// group is the tokens that have the same text behind the closing quote, by the
// number of code points before it.
type group struct {
	tokens []int32
	before []int32
}

// rooms is the tokens that stay inside of a string by how many code points must
// still be admitted for them.
type rooms struct {
	within [][]uint64 // within[n]: those that need room for at most n
	long   []need     // those that need more than the last of within, shortest first
}

type need struct{ token, room int32 }

// nearRooms is how many exact bitsets of tokens by needed room are kept.
const nearRooms = 24

// denseState is the number of printable ASCII bytes that a state must accept for
// a split to pay.
const denseState = 16

// plainKey is the key of a plain string's split in a vocabulary's derived data.
type plainKey struct {
	escapes lex.Escapes
	escaped bool // behind a backslash
}

type stringState struct {
	unit  *Unit
	state lex.StringState
}

// stringSplitOf returns the split of a state of a string's automaton, or nil
// where walking the tree is as good.
func (k *Masks) stringSplitOf(u *Unit, s lex.StringState) *stringSplit {
	key := stringState{u, s}
	if x, ok := k.strings[key]; ok {
		return x
	}
	var x *stringSplit
	switch a := u.arena; {
	case s == u.plainString:
		x = k.plainSplit(u, s, plainKey{u.escapes, false})
	case s == a.StepString(u.plainString, '\\'):
		x = k.plainSplit(u, s, plainKey{u.escapes, true})
	case pays(a, s):
		plain := k.stringSplitOf(u, u.plainString)
		x = &stringSplit{closers: plain.closers}
		k.splitString(u, s, x)
	}
	k.strings[key] = x
	return x
}

func (k *Masks) plainSplit(u *Unit, s lex.StringState, key plainKey) *stringSplit {
	return k.v.Derived(key, func() any {
		x := &stringSplit{closers: k.closersOf(u, s)}
		k.splitString(u, s, x)
		k.roomsOf(u, s, x)
		return x
	}).(*stringSplit)
}

// pays says whether a state is outside of escapes and accepts many bytes.
func pays(a *lex.Arena, s lex.StringState) bool {
	if _, raw := a.Decoded(s); !raw {
		return false
	}
	n := 0
	for _, next := range a.StringRow(s)[0x20:0x7F] {
		if next != lex.StringDead {
			n++
		}
	}
	return n >= denseState
}

// splitString walks the tree with a string's automaton alone. Subtrees whose bytes
// all lead from a state back to itself are taken as a whole.
func (k *Masks) splitString(u *Unit, start lex.StringState, x *stringSplit) {
	words := (k.v.Len() + 63) / 64
	x.inside, x.closing = make([]uint64, words), make([]uint64, words)
	tree, a := k.v.Trie(), u.arena
	var at [vocab.MaxPiece + 2]*stringPlace
	at[0] = k.place(a, start)
	for i := 0; i < len(tree.Nodes); {
		k.Stats.Nodes++
		n := &tree.Nodes[i]
		p := at[n.Depth-1]
		next := p.row[n.Byte]
		set := x.inside
		switch {
		case next == lex.StringDead:
			i += int(n.Size)
			continue
		case next == lex.StringClosed:
			set = x.closing
		case next != p.state:
			if p.last == nil || p.last.state != next {
				p.last = k.place(a, next)
			}
			p = p.last
			fallthrough
		default:
			if tree.Groups[i]&^p.loops != 0 {
				if n.Token >= 0 {
					for id := n.Token; id >= 0; id = tree.Next(id) {
						set[id>>6] |= 1 << (id & 63)
					}
				}
				at[n.Depth] = p
				i++
				continue
			}
		}
		end := i + int(n.Size)
		for _, id := range tree.Tokens[tree.Before[i]:tree.Before[end]] {
			set[id>>6] |= 1 << (id & 63)
		}
		i = end
	}
	clear(k.placeIDs)
}

// stringPlace is what a walk needs to know about a state.
type stringPlace struct {
	state lex.StringState
	row   *lex.StringRow
	loops uint16       // groups of bytes all of which lead back to the state
	last  *stringPlace // where the walk went from here before
}

// allGroups lists the bytes of each group.
var allGroups = func() (groups [16][]byte) {
	for b := range 256 {
		g := bits.TrailingZeros16(vocab.ByteGroup(byte(b)))
		groups[g] = append(groups[g], byte(b))
	}
	return groups
}()

func (k *Masks) place(a *lex.Arena, s lex.StringState) *stringPlace {
	if p := k.placeIDs[s]; p != nil {
		return p
	}
	if len(k.places) == cap(k.places) {
		k.places = make([]stringPlace, 0, 64)
	}
	k.places = append(k.places, stringPlace{state: s, row: a.StringRow(s)})
	p := &k.places[len(k.places)-1]

	for g, list := range allGroups {
		loops := true
		for _, b := range list {
			if p.row[b] != s {
				loops = false
				break
			}
		}
		if loops {
			p.loops |= 1 << g
		}
	}
	k.placeIDs[s] = p
	return p
}

// counted walks the tree as splitString does, and calls stay for tokens that stay
// inside, with the code points they hold and the state in which they end, and
// shut for the closing quotes of those that do not.
type counted struct {
	stay func(id int32, n int32, s lex.StringState, path []byte)
	shut func(node int, n int32, path []byte)
}

func (k *Masks) countPoints(a *lex.Arena, start lex.StringState, f counted) {
	tree := k.v.Trie()
	var states [vocab.MaxPiece + 2]lex.StringState
	var counts [vocab.MaxPiece + 2]int32
	var path [vocab.MaxPiece + 2]byte
	states[0] = start
	for i := 0; i < len(tree.Nodes); {
		k.Stats.Nodes++
		n := &tree.Nodes[i]
		d := int(n.Depth)
		s := states[d-1]
		next := a.StepString(s, n.Byte)
		path[d-1] = n.Byte
		if next == lex.StringDead || next == lex.StringClosed {
			if next == lex.StringClosed && f.shut != nil {
				f.shut(i, counts[d-1], path[:d])
			}
			i += int(n.Size)
			continue
		}
		_, was := a.Decoded(s)
		_, raw := a.Decoded(next)
		states[d], counts[d] = next, counts[d-1]
		if raw && (!was || n.Byte&0xC0 != 0x80) {
			counts[d]++
		}
		for id := n.Token; id >= 0; id = tree.Next(id) {
			f.stay(id, counts[d], next, path[:d])
		}
		i++
	}
}

// manyQuotes is the number of quotes behind the closing one from which a token
// may hold another whole key.
const manyQuotes = 2

// closersOf collects the tokens that close a string.
func (k *Masks) closersOf(u *Unit, start lex.StringState) *closers {
	c := &closers{bare: -1}
	bySuffix := map[string]int32{}
	var suffixes, whole, keys, escapes textList
	c.inKeys = make([]uint64, (k.v.Len()+63)/64)
	tree := k.v.Trie()
	k.countPoints(u.arena, start, counted{
		stay: func(id, _ int32, s lex.StringState, path []byte) {
			if _, raw := u.arena.Decoded(s); !raw {
				escapes.add(path, id)
			}
		},
		shut: func(node int, n int32, path []byte) {
			quote := len(path) - 1
			text := bytes.Clone(path)
			for j := node; j < node+int(tree.Nodes[node].Size); j++ {
				text = append(text[:tree.Nodes[j].Depth-1], tree.Nodes[j].Byte)
				for id := tree.Nodes[j].Token; id >= 0; id = tree.Next(id) {
					whole.add(text, id)
					if bytes.IndexByte(text[:quote], '\\') >= 0 || bytes.Count(text[quote+1:], []byte{'"'}) >= manyQuotes {
						keys.add(text, id)
					} else {
						c.inKeys[id>>6] |= 1 << (id & 63)
					}
					suffix := string(text[quote+1:])
					g, ok := bySuffix[suffix]
					if !ok {
						g = int32(len(c.groups))
						bySuffix[suffix] = g
						c.groups = append(c.groups, group{})
						suffixes.add([]byte(suffix), g)
					}
					c.groups[g].tokens = append(c.groups[g].tokens, id)
					c.groups[g].before = append(c.groups[g].before, n)
				}
			}
		},
	})
	if g, ok := bySuffix[""]; ok {
		c.bare = g
	}
	c.tree, c.whole, c.keys, c.escapes = suffixes.trie(), whole.trie(), keys.trie(), escapes.trie()
	return c
}

// textList collects texts with ids for a tree.
type textList struct {
	texts [][]byte
	ids   []int32
}

func (x *textList) add(text []byte, id int32) {
	x.texts, x.ids = append(x.texts, bytes.Clone(text)), append(x.ids, id)
}

func (x *textList) trie() vocab.Trie { return vocab.BuildTrie(x.texts, x.ids) }

// roomsOf returns the tokens inside by the room they need: their code points, and
// those that must follow before the string can end.
func (k *Masks) roomsOf(u *Unit, start lex.StringState, x *stringSplit) *rooms {
	if x.rooms != nil {
		return x.rooms
	}
	r := &rooms{}
	runes := map[lex.State]int32{}
	buckets := map[int32][]int32{}
	k.countPoints(u.arena, start, counted{stay: func(id, n int32, s lex.StringState, _ []byte) {
		inner, raw := u.arena.Decoded(s)
		if !raw {
			return
		}
		least, ok := runes[inner]
		if !ok {
			least = int32(u.arena.MinRunes(inner))
			runes[inner] = least
		}
		buckets[n+least] = append(buckets[n+least], id)
	}})
	set := make([]uint64, len(x.inside))
	for n := range int32(nearRooms) {
		for _, id := range buckets[n] {
			set[id>>6] |= 1 << (id & 63)
		}
		r.within = append(r.within, slices.Clone(set))
		delete(buckets, n)
	}
	for n, ids := range buckets {
		for _, id := range ids {
			r.long = append(r.long, need{id, n})
		}
	}
	slices.SortFunc(r.long, func(a, b need) int { return int(a.room - b.room) })
	x.rooms = r
	return r
}

// addInside adds the tokens that stay inside, if room is enough for them;
// schema.Unbounded is room for all.
func (k *Masks) addInside(u *Unit, s lex.StringState, x *stringSplit, room int32) {
	if room == schema.Unbounded {
		k.addSet(x.inside)
		return
	}
	r := k.roomsOf(u, s, x)
	if int(room) < len(r.within) {
		k.addSet(r.within[room])
		return
	}
	k.addSet(r.within[len(r.within)-1])
	for _, n := range r.long {
		if n.room > room {
			break
		}
		k.ids = append(k.ids, n.token)
	}
}

// collectString adds the tokens of a thread inside of a string.
func (k *Masks) collectString(t thread, x *stringSplit) {
	d := &k.m.strings[t.def.index()]
	room, least := int32(schema.Unbounded), d.min-t.aux
	if d.max != schema.Unbounded {
		room = d.max - t.aux
	}
	k.addInside(d.unit, lex.StringState(t.st), x, room)
	if room != schema.Unbounded {
		k.walk.run(k, &x.closers.escapes, []thread{t})
	}
	if t.rec != 0 {
		k.walk.run(k, &x.closers.whole, []thread{t})
		return
	}
	k.collectClosers(x, x.closing, k.m.resume(nil, t), bounds{least, room})
}

// bounds are how many code points must and may still come in a string.
type bounds struct{ least, room int32 }

// collectClosers adds those of a set of tokens that close a string within bounds
// and that the threads behind it read.
func (k *Masks) collectClosers(x *stringSplit, of []uint64, after []thread, b bounds) {
	k.found = k.found[:0]
	if x.closers.bare >= 0 && len(after) > 0 {
		k.found = append(k.found, x.closers.bare)
	}
	k.grouped = true
	k.walk.run(k, &x.closers.tree, after)
	k.grouped = false
	for _, i := range k.found {
		g := &x.closers.groups[i]
		for j, id := range g.tokens {
			if x.closing[id>>6]&of[id>>6]>>(id&63)&1 == 0 {
				continue
			}
			if n := g.before[j]; n >= b.least && (b.room == schema.Unbounded || n <= b.room) {
				k.ids = append(k.ids, id)
			}
		}
	}
}

// collectExtra adds the tokens of a thread inside of a key that is not named. What
// follows such a key does not depend on which it is, except where it becomes one
// that is named or has been.
func (k *Masks) collectExtra(t thread, x *stringSplit) {
	m := k.m
	c := &m.classes[t.def.index()]
	o := m.objects[c.object]
	k.addInside(o.unit, lex.StringState(t.st), x, schema.Unbounded)
	if t.aux != 0 || len(o.exists) > 0 {
		k.walk.run(k, &x.closers.whole, []thread{t})
		return
	}
	k.walk.run(k, &x.closers.keys, []thread{t})
	from := len(k.ids)
	k.collectClosers(x, x.closers.inKeys, m.endExtraKey(nil, t, c, m.unusedKey(t, o)), bounds{0, schema.Unbounded})
	if c.keys == o.unit.anyText {
		k.removeTaken(t, o, from)
	}
}

// unusedKey is a key that none of the objects that wait has or names.
func (m *Machine) unusedKey(t thread, o *object) textID {
	for key := "\x7f"; ; key += "\x7f" {
		_, named := o.rank(key)
		id := m.texts.of([]byte(key))
		for _, e := range m.stacks.of(t.stack) {
			for _, x := range o.regs[e.aux].extras {
				named = named || x == id
			}
		}
		if !named {
			return id
		}
	}
}

// removeTaken takes out, of the tokens added from an index on, those by which the
// key becomes one that is named or has been.
func (k *Masks) removeTaken(t thread, o *object, from int) {
	m := k.m
	prefix := string(decodeString(m.texts.appendSince(nil, noText, t.rec)))
	taken := make([]string, 0, 16)
	lo := sort.SearchStrings(o.names, prefix)
	for ; lo < len(o.names) && len(o.names[lo]) >= len(prefix) && o.names[lo][:len(prefix)] == prefix; lo++ {
		taken = append(taken, o.names[lo])
	}
	for _, e := range m.stacks.of(t.stack) {
		taken = append(taken, m.decodedTexts(o.regs[e.aux].extras)...)
	}
	ids := k.ids[:from]
	for _, id := range k.ids[from:] {
		if !closesOneOf(taken, prefix, k.v.Piece(id)) {
			ids = append(ids, id)
		}
	}
	k.ids = ids
}

// closesOneOf says whether a token, read after prefix, completes one of the keys.
// Tokens with escapes are looked at elsewhere.
func closesOneOf(keys []string, prefix string, token []byte) bool {
	n := bytes.IndexByte(token, '"')
	if n < 0 || len(keys) == 0 {
		return false
	}
	for _, key := range keys {
		if len(key) == len(prefix)+n && key[:len(prefix)] == prefix && key[len(prefix):] == string(token[:n]) {
			return utf8.ValidString(key)
		}
	}
	return false
}
