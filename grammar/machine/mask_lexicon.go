package machine

import (
	"bytes"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/vocab"
)

// lexicon is what the tokens of a vocabulary do inside of a JSON string that may hold any text. It
// is made once per vocabulary and policy of escapes; what a string of another language admits is a
// part of it.
type lexicon struct {
	inside   []uint64   // tokens that stay inside of the string
	closing  []uint64   // tokens that close it
	none     []uint64   // the empty set
	escaping []uint64   // those of inside that end within an escape
	special  vocab.Trie // tokens that have no shape
	specials []uint64   // those
	slashes  vocab.Trie // those of inside with a backslash
	points   *points

	// The tokens that close a string, by what follows the closing quote.
	behind  vocab.Trie // texts behind the closing quote; ids index groups
	bare    int32      // the group of tokens that end with the quote, or -1
	longest int32      // bytes before the closing quote, at most
	groups  []group
	whole   vocab.Trie // whole texts
	escaped vocab.Trie // of those with a backslash before that quote
	// Of those, the ones that must be read one by one where what follows a key, or an element
	// of an array, depends on which others there are; and where a key, or the value of one, is
	// part of an element that must differ, whose end they may hold.
	keys, elements, partKeys, parts apart

	// code points before the end of a token or the closing quote in it, at most
	most        int32
	long        longTokens // of those of inside
	longClosers longTokens // of those of closing, before the closing quote

	heads map[string][]int32 // those of closing but escaped, by what precedes the quote

	escapes vocab.Trie // of the tokens of escaping
}

// group is the tokens that have the same text behind the closing quote, by the number of code
// points before it.
type group struct {
	tokens []int32
	before []int32
}

// apart is closing tokens to be read one by one, and the set of all others.
type apart struct {
	tree   vocab.Trie
	others []uint64
	list   textList // of tree, while it is made
}

func (x *apart) add(alone bool, text []byte, id int32) {
	if alone {
		x.list.add(text, id)
	} else {
		addToken(x.others, id)
	}
}

// points is the tokens that stay inside of a string, and do not end in an escape, by the number of
// code points that they hold.
type points struct {
	within [][]uint64 // within[n]: those with at most n
	long   []length   // those with more than the last of within, shortest first
}

type length struct{ token, n int32 }

// lookaheadRunes is for how many code points states must agree to share a slice: few tokens are
// longer.
const lookaheadRunes = 25

// exactPoints is how many bitsets hold the tokens of exactly so many code points or fewer.
const exactPoints = 24

type lexiconKey struct {
	escapes lex.Escapes
	escaped bool
}

// lexiconOf returns the lexicon of a unit's strings; escaped is for the state behind a backslash.
func (k *Masks) lexiconOf(u *Unit, escaped bool) *lexicon {
	start := u.plainString
	if escaped {
		start = u.arena.StepString(start, '\\')
	}
	return k.v.Derived(lexiconKey{u.escapes, escaped}, func() any { return k.newLexicon(u, start) }).(*lexicon)
}

// slice is that of a string of any text.
func (x *lexicon) slice() *stringSlice {
	return &stringSlice{lexicon: x, open: true, inside: x.inside, closing: x.closing, needs: []need{{0, x.inside}}}
}

func (k *Masks) newLexicon(u *Unit, start lex.StringState) *lexicon {
	words := (k.v.Len() + 63) / 64
	x := &lexicon{bare: -1, heads: map[string][]int32{}, inside: make([]uint64, words), closing: make([]uint64, words), none: make([]uint64, max(1, words)), escaping: make([]uint64, words), specials: make([]uint64, words)}
	for _, apart := range x.aparts() {
		apart.others = make([]uint64, words)
	}
	x.long.set, x.longClosers.set = make([]uint64, words), make([]uint64, words)
	c := closers{lexicon: x, bySuffix: map[string]int32{}}
	var lengths lengthList
	var special, slashes, escapes textList
	k.countPoints(u.arena, start, counted{
		stay: func(id, n int32, raw bool, path []byte) {
			addToken(x.inside, id)
			x.most = max(x.most, n)
			if n >= lookaheadRunes {
				x.long.add(path, id)
			}
			if raw {
				lengths.add(id, n)
			} else {
				addToken(x.escaping, id)
				escapes.add(path, id)
			}
			if bytes.IndexByte(path, '\\') >= 0 {
				slashes.add(path, id)
			}
			if !vocab.HasShape(path) {
				special.add(path, id)
				addToken(x.specials, id)
			}
		},
		shut: func(id, n int32, quote int, text []byte) {
			addToken(x.closing, id)
			x.most = max(x.most, n)
			if n > lookaheadRunes {
				x.longClosers.add(text, id)
			}
			special.add(text, id)
			addToken(x.specials, id)
			c.add(id, n, quote, text)
		},
	})
	c.finish()
	x.long.finish()
	x.longClosers.finish()
	x.points = lengths.points(words)
	x.special, x.slashes, x.escapes = special.trie(), slashes.trie(), escapes.trie()
	return x
}

// counted is what countPoints calls: stay for tokens that stay inside, with the code points they
// hold and whether they end outside of an escape, and shut for those that close the string with
// the quote at an index.
type counted struct {
	stay func(id, n int32, raw bool, path []byte)
	shut func(id, n int32, quote int, text []byte)
}

// countPoints walks the tree with a string's automaton.
func (k *Masks) countPoints(a *lex.Arena, start lex.StringState, f counted) {
	tree := k.v.Trie()
	var rows [vocab.MaxPiece + 2]*lex.StringRow
	var states [vocab.MaxPiece + 2]lex.StringState
	var raws [vocab.MaxPiece + 2]bool
	var counts [vocab.MaxPiece + 2]int32
	var path [vocab.MaxPiece + 2]byte
	states[0], rows[0] = start, a.StringRow(start)
	_, raws[0] = a.Decoded(start)
	for i := 0; i < len(tree.Nodes); k.Stats.Nodes++ {
		n := &tree.Nodes[i]
		d := int(n.Depth)
		next := rows[d-1][n.Byte]
		path[d-1] = n.Byte
		if next == lex.StringDead || next == lex.StringClosed {
			end := i + int(n.Size)
			for j := i; j < end && next == lex.StringClosed; j++ {
				path[tree.Nodes[j].Depth-1] = tree.Nodes[j].Byte
				for id := tree.Nodes[j].Token; id >= 0; id = tree.Next(id) {
					f.shut(id, counts[d-1], d-1, path[:tree.Nodes[j].Depth])
				}
			}
			i = end
			continue
		}
		if next == states[d-1] {
			rows[d], raws[d] = rows[d-1], raws[d-1]
		} else {
			rows[d] = a.StringRow(next)
			_, raws[d] = a.Decoded(next)
		}
		states[d], counts[d] = next, counts[d-1]
		if raws[d] && (!raws[d-1] || n.Byte&0xC0 != 0x80) {
			counts[d]++
		}
		for id := n.Token; id >= 0; id = tree.Next(id) {
			f.stay(id, counts[d], raws[d], path[:d])
		}
		i++
	}
}

// closers collects the tokens that close a string.
type closers struct {
	*lexicon
	bySuffix        map[string]int32
	suffixes, texts textList
	escapedTexts    textList
}

// holdsAnother says whether what follows the closing quote of an element may hold some of another
// element that is a string.
func holdsAnother(behind []byte) bool {
	_, next, ok := bytes.Cut(behind, []byte{','})
	i := bytes.IndexByte(next, '"')
	return ok && i >= 0 && i < len(next)-1
}

// holdsAnotherKey says that of a key.
func holdsAnotherKey(behind []byte) bool {
	_, value, ok := bytes.Cut(behind, []byte{':'})
	return ok && holdsAnother(value)
}

func (c *closers) add(id, n int32, quote int, text []byte) {
	behind := text[quote+1:]
	escaped := bytes.IndexByte(text[:quote], '\\') >= 0
	c.texts.add(text, id)
	c.longest = max(c.longest, int32(quote))
	if escaped {
		c.escapedTexts.add(text, id)
	} else {
		c.heads[string(text[:quote])] = append(c.heads[string(text[:quote])], id)
	}
	ends := bytes.ContainsAny(behind, "}]")
	c.keys.add(escaped || holdsAnotherKey(behind), text, id)
	c.partKeys.add(escaped || holdsAnotherKey(behind) || ends, text, id)
	c.elements.add(escaped || holdsAnother(behind), text, id)
	c.parts.add(escaped || ends, text, id)
	g, ok := c.bySuffix[string(behind)]
	if !ok {
		g = int32(len(c.groups))
		c.bySuffix[string(behind)] = g
		c.groups = append(c.groups, group{})
		c.suffixes.add(behind, g)
	}
	c.groups[g].tokens = append(c.groups[g].tokens, id)
	c.groups[g].before = append(c.groups[g].before, n)
}

func (c *closers) finish() {
	if g, ok := c.bySuffix[""]; ok {
		c.bare = g
	}
	c.behind, c.whole, c.escaped = c.suffixes.trie(), c.texts.trie(), c.escapedTexts.trie()
	for _, apart := range c.aparts() {
		apart.tree, apart.list = apart.list.trie(), textList{}
	}
}

func (x *lexicon) aparts() []*apart { return []*apart{&x.keys, &x.elements, &x.partKeys, &x.parts} }

// textList collects texts with ids for a tree.
type textList struct {
	texts [][]byte
	ids   []int32
}

func (x *textList) add(text []byte, id int32) {
	x.texts, x.ids = append(x.texts, bytes.Clone(text)), append(x.ids, id)
}

func (x *textList) trie() vocab.Trie { return vocab.BuildTrie(x.texts, x.ids) }

// lengthList collects tokens by their number of code points.
type lengthList struct {
	short [exactPoints][]int32
	long  []length
}

func (x *lengthList) add(id, n int32) {
	if n < exactPoints {
		x.short[n] = append(x.short[n], id)
	} else {
		x.long = append(x.long, length{id, n})
	}
}

func (x *lengthList) points(words int) *points {
	p := &points{long: x.long}
	set := make([]uint64, words)
	for _, ids := range x.short {
		addTokens(set, ids)
		p.within = append(p.within, slices.Clone(set))
	}
	slices.SortFunc(p.long, func(a, b length) int { return int(a.n - b.n) })
	return p
}

func addToken(set []uint64, id int32)      { set[id>>6] |= 1 << (id & 63) }
func hasToken(set []uint64, id int32) bool { return set[id>>6]>>(id&63)&1 != 0 }

func addTokens(set []uint64, ids []int32) {
	for _, id := range ids {
		set[id>>6] |= 1 << (id & 63)
	}
}
