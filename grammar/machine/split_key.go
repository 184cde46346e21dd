package machine

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// collectExtra adds the tokens of a thread inside of a key that is not named. What
// follows such a key does not depend on which it is, except where it becomes one
// that is named or has been.
func (k *Masks) collectExtra(t thread, x *stringSplit) {
	m := k.m
	c := &m.classes[t.def.index()]
	o := m.objects[c.object]
	if !slices.ContainsFunc(k.together, t.sameKey) {
		k.addInside(t, x, schema.Unbounded)
	}
	if !k.closes(x) {
		return
	}
	if t.aux != 0 || len(o.exists) > 0 {
		k.walk.run(k, &x.whole, []thread{t})
		return
	}
	k.walk.run(k, &x.keys.tree, []thread{t})
	from := len(k.ids)
	k.collectClosers(x, x.keys.others, m.endExtraKey(nil, t, c, m.unusedKey(t, o)), bounds{0, schema.Unbounded})
	k.removeTaken(t, o, x, from)
}

// addTogether adds the tokens that stay inside of a key, whatever class it is of, if
// one of others is in the same key as t. Classes come of patterns and of what does not
// match them: any of them is often any text, and what each alone admits takes long to
// find.
func (k *Masks) addTogether(t thread, others []thread) {
	m := k.m
	o := m.objects[m.classes[t.def.index()].object]
	x, waiting := k.textOf(t), m.stacks.of(t.stack)
	if x == nil || len(waiting) != 1 || !slices.ContainsFunc(others, t.sameKey) || slices.ContainsFunc(k.together, t.sameKey) {
		return
	}
	s := m.rulesOf(o, waiting[0].aux).others
	m.buf = m.texts.appendSince(m.buf[:0], max(textID(t.aux), noText), t.rec)
	for _, b := range m.buf {
		s = o.unit.arena.StepString(s, b)
	}
	if s == lex.StringDead { // not known
		return
	}
	if x = k.stringSplitOf(o.unit, s); x == nil {
		return
	}
	k.together = append(k.together, t)
	if x.open {
		k.addWhole(x)
		return
	}
	k.addInside(t, x, schema.Unbounded)
}

// sameKey says whether two threads are in one key, maybe in different classes of keys.
func (t thread) sameKey(u thread) bool {
	return u.def.kind() == kindExtra && t.stack == u.stack && t.aux == u.aux && t.rec == u.rec
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
// key becomes one that is named or has been. Tokens with escapes are looked at
// elsewhere.
func (k *Masks) removeTaken(t thread, o *object, x *stringSplit, from int) {
	m := k.m
	taken := takenTexts{x: x, prefix: string(decodeString(m.texts.appendSince(nil, noText, t.rec))), tokens: k.found[:0]}
	for i := sort.SearchStrings(o.names, taken.prefix); i < len(o.names) && strings.HasPrefix(o.names[i], taken.prefix); i++ {
		taken.add(o.names[i])
	}
	for _, e := range m.stacks.of(t.stack) {
		for _, key := range m.decodedTexts(o.regs[e.aux].extras) {
			taken.add(key)
		}
	}
	k.found = taken.tokens
	k.removeFrom(from, taken.tokens)
}

// takenTexts collects the tokens that end a string of which a prefix has been read
// as one of some texts.
type takenTexts struct {
	x      *stringSplit
	prefix string
	tokens []int32
}

func (s *takenTexts) add(text string) {
	if rest, ok := strings.CutPrefix(text, s.prefix); ok && utf8.ValidString(text) {
		s.tokens = append(s.tokens, s.x.heads[rest]...)
	}
}

// removeFrom takes tokens out of those added from an index on.
func (k *Masks) removeFrom(from int, gone []int32) {
	if len(gone) == 0 {
		return
	}
	if k.gone == nil {
		k.gone = make([]uint64, (k.v.Len()+63)/64)
	}
	addTokens(k.gone, gone)
	ids := k.ids[:from]
	for _, id := range k.ids[from:] {
		if !hasToken(k.gone, id) {
			ids = append(ids, id)
		}
	}
	k.ids = ids
	for _, id := range gone {
		k.gone[id>>6] = 0
	}
}
