package machine

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Where elements must differ, the shortest value may be there already. With as many elements
// before it as rank says, one of the rank+1 shortest values is still free: the longest of these is
// a bound on what the next element costs.

// ranked are the lengths of some values of a set, the shortest among them.
type ranked struct {
	lengths []int32 // sorted
	endless int32   // there are any number of that length; 0: not known
	whole   bool    // there are no others
}

// maxRanked is how many values are told apart.
const maxRanked = 24

// freeLength is how long an element at most is that differs from rank others, and false if that is
// not known.
func (m *Machine) freeLength(i int32, rank int) (int32, bool) {
	r := m.ranks[i]
	if r == nil {
		r = m.rank(i)
		m.ranks[i] = r
	}
	switch {
	case rank < len(r.lengths) && (r.endless == 0 || r.lengths[rank] < r.endless):
		return r.lengths[rank], true
	case r.endless > 0:
		return r.endless, true
	case r.whole && len(r.lengths) > 0:
		return r.lengths[len(r.lengths)-1], true
	}
	return 0, false
}

// rank lists lengths of values that are no arrays and no objects.
func (m *Machine) rank(i int32) *ranked {
	v := *m.load(i)
	r := &ranked{whole: len(v.objects)+len(v.arrays) == 0}
	m.rankWords(r, &v)
	for _, s := range v.strings {
		m.rankStrings(r, &m.strings[s])
	}
	slices.Sort(r.lengths)
	return r
}

// longElement is what an array or object is taken to cost beyond its shortest form so that it
// differs from others.
const longElement = 8

// maxTried bounds the beginnings of words that are looked at.
const maxTried = 4096

// rankWords walks the automaton of words breadth first.
func (m *Machine) rankWords(r *ranked, v *value) {
	type beginning struct {
		state lex.State
		text  string
	}
	a := v.unit.arena
	known := map[string]bool{}
	list := []beginning{{v.words, ""}}
	for i := 0; i < len(list) && len(known) < maxRanked; i++ {
		x := list[i]
		if text := x.text; a.Accepting(x.state) && !known[string(canonical([]byte(text)))] {
			known[string(canonical([]byte(text)))] = true
			r.lengths = append(r.lengths, int32(len(text)))
		}
		if len(list) > maxTried {
			m.rankFar(r, v)
			return
		}
		for b, next := range a.Row(x.state) {
			if next != lex.Dead {
				list = append(list, beginning{next, x.text + string(rune(b))})
			}
		}
	}
	r.whole = r.whole && len(known) < maxRanked
}

// rankFar finds two values of a set of long numbers, of which those that follow are taken to have
// as many digits, or one more.
func (m *Machine) rankFar(r *ranked, v *value) {
	r.whole = false
	a := v.unit.arena
	first := string(canonical(a.Shortest(v.words)))
	rest := a.Start(a.WithoutNumbers(a.Expr(v.words), []string{first}))
	if rest != lex.Dead {
		r.endless = int32(a.MinBytes(rest)) + 1
	}
}

// otherStrings is what a string of any text costs beyond its shortest form, so that it differs
// from all that are there: two characters tell 8,000 apart.
const otherStrings = 2

func (m *Machine) rankStrings(r *ranked, d *jsonString) {
	a := d.unit.arena
	if d.any && (d.max == schema.Unbounded || d.max >= d.min+otherStrings) {
		r.endless = d.min + 2 + otherStrings
		return
	}
	inner, _ := a.Decoded(d.start)
	left := a.Expr(inner)
	if d.min > 0 || d.max != schema.Unbounded && d.max < maxMultiplied {
		left = a.Intersect(left, a.Repeat(a.AnyRune(), int(d.min), int(d.max)))
	}
	for range maxRanked {
		s := a.Start(left)
		if s == lex.Dead {
			return
		}
		text := string(a.Shortest(s))
		r.lengths = append(r.lengths, 2+quotedLength(text))
		left = a.Intersect(left, a.Complement(a.Literal(text)))
	}
	r.whole = false
}

// freeCost bounds what the element with an index costs, given how many elements it must differ
// from.
func (m *Machine) freeCost(a *array, item *schema.Node, rank int) int32 {
	i := m.valueIndex(a.unit, item)
	d := m.valueDistance(i)
	if rank == 0 {
		return d
	}
	if n, ok := m.freeLength(i, rank); ok {
		d = max(d, n)
	} else {
		d = add(d, longElement)
	}
	return add(d, m.detour(i))
}

// detour is how much longer an element that has begun may become so that it differs from others:
// those whose values are few are known to do so.
func (m *Machine) detour(i int32) int32 {
	if r := m.ranks[i]; r != nil && r.whole {
		return 0
	}
	v := m.load(i)
	if len(v.objects)+len(v.arrays) > 0 {
		return longElement
	}
	for _, s := range v.strings {
		if m.strings[s].any {
			return otherStrings
		}
	}
	return 1 // of numbers it takes too long to know the shortest that is not there
}

// textsBefore are the strings that a thread inside of a string must not equal: the elements before
// it of an array whose elements must differ.
func (m *Machine) textsBefore(t thread) []string {
	if t.rec == 0 || t.stack == noStack {
		return nil
	}
	e := m.stacks.of(t.stack)[0]
	if e.def.kind() != kindArray || e.st != phaseElement || !m.arrays[e.def.index()].alt.Unique {
		return nil
	}
	var texts []string
	for _, text := range m.decodedTexts(m.arrays[e.def.index()].regs[e.aux].seen) {
		if text[0] == '"' {
			texts = append(texts, string(decodeString([]byte(text[1:len(text)-1]))))
		}
	}
	return texts
}

// maxEscape is how many bytes an escape has behind its backslash.
const maxEscape = 11

// otherDistance is how far a thread inside of a string is from the end of one that is none of some
// texts. Within an escape or a code point, the first byte that leads to one is taken.
func (m *Machine) otherDistance(t thread, texts []string, depth int) int32 {
	d := &m.strings[t.def.index()]
	a := d.unit.arena
	inner, raw := a.Decoded(lex.StringState(t.st))
	if read := m.readOf(t); raw && utf8.ValidString(read) {
		left := m.without(a, a.Expr(inner), read, texts)
		if lo, hi := max(d.min-t.aux, 0), d.max; lo > 0 || hi != schema.Unbounded {
			left = a.Intersect(left, a.Repeat(a.AnyRune(), int(lo), int(max(hi-t.aux, -1))))
		}
		if s := a.StartString(left, d.unit.escapes); s != lex.StringDead {
			return int32(a.StringDistance(s))
		}
		return unreachable
	}
	for b, next := range a.StringRow(lex.StringState(t.st)) {
		if next == lex.StringDead || depth > maxEscape {
			continue
		}
		for _, u := range m.stepString(nil, t, byte(b)) {
			if d := m.otherDistance(u, texts, depth+1); d < unreachable {
				return d + 1
			}
		}
	}
	return unreachable
}

// readOf is the decoded text of the element that a thread is inside of.
func (m *Machine) readOf(t thread) string {
	e := m.stacks.of(t.stack)[0]
	r := &m.arrays[e.def.index()].regs[e.aux]
	return string(decodeString(m.texts.appendSince(nil, m.texts.add(r.from, '"'), t.rec)))
}

// without is what may follow a prefix so that none of some texts results.
func (m *Machine) without(a *lex.Arena, e lex.Expr, prefix string, texts []string) lex.Expr {
	var rests []string
	for _, text := range texts {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			rests = append(rests, rest)
		}
	}
	if len(rests) == 0 {
		return e
	}
	return a.Intersect(e, a.Complement(a.Literals(rests...)))
}
