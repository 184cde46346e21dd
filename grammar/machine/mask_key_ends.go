package machine

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"tenon/grammar/schema"
)

// A value that may be one of many objects has as many threads in a key, and what follows the key
// is much the same for all of them: what ends a key is looked for once for all that stand alike in
// it.

// keyEnds is the threads of a mask that are in keys which a token may end.
type keyEnds struct {
	lexicon *lexicon        // of named
	named   []thread        // threads behind the closing quotes of named keys
	unnamed []unnamedKeyEnd // threads in keys that are not named
}

// unnamedKeyEnd is a thread in a key that is not named, with its slice.
type unnamedKeyEnd struct {
	thread thread
	slice  *stringSlice
}

// addNamed adds a thread that has read all of a named key.
func (e *keyEnds) addNamed(k *collector, x *lexicon, t thread) {
	if e.lexicon != x { // of another policy of escapes
		k.collectNamed()
		e.lexicon = x
	}
	e.named = k.m.step(e.named, t, '"')
}

// collectKeyEnds adds the tokens that end keys.
func (k *collector) collectKeyEnds() {
	k.collectNamed()
	for all := k.ends.unnamed; len(all) > 0; {
		x := all[0].slice
		var group []thread
		rest := all[:0]
		for _, e := range all {
			if e.slice == x {
				group = append(group, e.thread)
			} else {
				rest = append(rest, e)
			}
		}
		k.collectUnnamedKeyEnds(x, group)
		all = rest
	}
	k.ends.unnamed = k.ends.unnamed[:0]
}

// collectNamed adds the tokens that begin with the closing quote of a named key.
func (k *collector) collectNamed() {
	x := k.ends.lexicon
	if len(k.ends.named) == 0 {
		return
	}
	for _, i := range k.readable(x, k.m.normalise(k.ends.named)) {
		g := &x.groups[i]
		for j, id := range g.tokens {
			if g.before[j] == 0 {
				k.ids = append(k.ids, id)
			}
		}
	}
	k.ends.named = k.ends.named[:0]
}

// collectUnnamedKeyEnds adds the tokens that end a key in a state, for threads that are in it.
func (k *collector) collectUnnamedKeyEnds(x *stringSlice, all []thread) {
	apart := &x.keys
	if slices.ContainsFunc(all, func(t thread) bool { return t.aux != 0 }) {
		apart = &x.partKeys
	}
	k.walk.run(k, &apart.tree, all)
	var after []thread
	for _, t := range all {
		c := &k.m.classes[t.def.index()]
		after = k.m.endUnnamedKey(after, t, c, k.m.unusedKey(t))
	}
	from := len(k.ids)
	k.collectClosers(x, apart.others, k.m.normalise(after), bounds{0, schema.Unbounded})
	k.correctTaken(x, all, from)
}

// unusedKey is a key that none of the objects that wait has or names.
func (m *Machine) unusedKey(t thread) []byte {
	for key := []byte{fillerByte}; ; key = append(key, fillerByte) {
		id := m.texts.of(key)
		if !slices.ContainsFunc(m.stacks.of(t.stack), func(e entry) bool {
			_, named := m.objects[e.def.index()].rank(string(key))
			return named || m.keys.has(keysOf(e.st), id)
		}) {
			return key
		}
	}
}

// correctTaken looks again at those of the tokens added from an index on by which the key becomes
// one that an object names or has. Tokens with escapes are looked at elsewhere.
func (k *collector) correctTaken(x *stringSlice, all []thread, from int) {
	taken := takenTexts{x: x, tokens: k.found[:0]}
	for _, t := range all {
		taken.addOf(k.m, t)
	}
	k.found = taken.tokens
	for _, id := range k.removeFrom(from, taken.tokens) {
		if k.m.reads(k.v.Piece(id), all...) {
			k.ids = append(k.ids, id)
		}
	}
}

// takenTexts collects the tokens that end a string of which a prefix has been read as one of some
// texts.
type takenTexts struct {
	x      *stringSlice
	prefix string
	tokens []int32
}

// addOf adds those for the keys that the objects which wait for a thread name or have.
func (s *takenTexts) addOf(m *Machine, t thread) {
	s.prefix = string(decodeString(m.texts.appendSince(nil, max(textID(t.aux), noText), t.rec)))
	list, keys := int32(-1), noKeys
	for _, e := range m.stacks.of(t.stack) {
		o := m.objects[e.def.index()]
		if o.nameList != list { // else it names what the one before does
			list = o.nameList
			for i := sort.SearchStrings(o.names, s.prefix); i < len(o.names) && strings.HasPrefix(o.names[i], s.prefix); i++ {
				s.add(o.names[i])
			}
		}
		if has := keysOf(e.st); has != keys {
			keys = has
			read := m.texts.of([]byte(s.prefix))
			for _, key := range m.keys.appendKeys(nil, has) {
				if m.texts.begins(key, read) {
					s.add(string(m.texts.appendSince(nil, noText, key)))
				}
			}
		}
	}
}

func (s *takenTexts) add(text string) {
	if rest, ok := strings.CutPrefix(text, s.prefix); ok && utf8.ValidString(text) {
		s.tokens = append(s.tokens, s.x.heads[rest]...)
	}
}

// removeFrom takes tokens out of those added from an index on, and returns those that were there.
func (k *collector) removeFrom(from int, gone []int32) []int32 {
	if len(gone) == 0 {
		return nil
	}
	if k.gone == nil {
		k.gone = make([]uint64, (k.v.Len()+63)/64)
	}
	addTokens(k.gone, gone)
	ids := k.ids[:from]
	var removed []int32
	for _, id := range k.ids[from:] {
		if hasToken(k.gone, id) {
			removed = append(removed, id)
		} else {
			ids = append(ids, id)
		}
	}
	k.ids = ids
	for _, id := range gone {
		k.gone[id>>6] = 0
	}
	slices.Sort(removed)
	return slices.Compact(removed)
}
