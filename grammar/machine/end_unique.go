package machine

import (
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Where elements must differ, the shortest value may be there already. What is left of a set is
// known of the next element alone: later ones are taken to cost a little more than the shortest.

// longElement is what an element is taken to cost beyond its shortest form so that it differs from
// others, of which numbers and short texts tell thousands apart.
const longElement = 8

// nextCost is what the next element of an array costs, without those that are used up.
func (m *Machine) nextCost(a *array, reg int32) int32 {
	best := int32(unreachable)
	for _, x := range m.optionsOf(a, reg, 0) {
		d := m.valueDistance(x.value)
		if len(a.regs[reg].seen) > 0 {
			d = add(d, m.detour(x.value))
		}
		best = min(best, d)
	}
	return best
}

// detour is how much longer an element that has begun may become so that it differs from others.
func (m *Machine) detour(i int32) int32 {
	v := m.load(i)
	if len(v.objects)+len(v.arrays) > 0 {
		return longElement
	}
	return 2
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
