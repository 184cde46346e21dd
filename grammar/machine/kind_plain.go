package machine

import (
	"fmt"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
	"tenon/grammar/vocab"
)

// plain is the text of the strings of a schema, as it is, in which no marker occurs. Like those of
// a JSON string, its code points are counted beside the automaton.
type plain struct {
	arena    *lex.Arena
	start    lex.State
	min, max int32 // code points; max is schema.Unbounded if there is no bound
}

// plainOf compiles a %plain terminal over its unit's arena.
func (u *Unit) plainOf(n *gbnf.Node) (plain, error) {
	var alts []*schema.Alt
	u.locked(func() { alts = u.schema.Root.Alts() })
	var texts []*schema.StringAlt
	for _, a := range alts {
		if a.Kind == schema.String {
			texts = append(texts, &a.String)
		}
	}
	a := u.arena
	p := plain{arena: a, max: schema.Unbounded}
	all := a.Empty()
	if len(texts) == 1 {
		all, p.min, p.max = texts[0].Text, int32(texts[0].MinLen), int32(texts[0].MaxLen)
	} else {
		for _, t := range texts {
			all = a.Union(all, a.Intersect(t.Text, a.Repeat(a.AnyRune(), t.MinLen, t.MaxLen)))
		}
	}
	for _, m := range n.Markers {
		all = a.Intersect(all, a.Complement(a.Concat(a.AnyText(), a.Literal(m), a.AnyText())))
	}
	p.start = a.Start(a.Intersect(all, a.AnyText()))
	if err := a.Err(); err != nil {
		return p, fmt.Errorf("text of a schema's strings: %w", err)
	}
	return p, nil
}

// plainMayBeEmpty says whether a %plain terminal matches the empty text.
func (u *Unit) plainMayBeEmpty(n *gbnf.Node) bool {
	p, err := u.plainOf(n)
	return err == nil && p.min == 0 && p.arena.Accepting(p.start)
}

func (m *Machine) enterPlain(n *gbnf.Node) (thread, error) {
	p, err := m.units[n].plainOf(n)
	if err != nil {
		return thread{}, err
	}
	m.plains = append(m.plains, p)
	return thread{def: def(kindPlain, len(m.plains)-1), st: int32(p.start)}, nil
}

func (m *Machine) readPlain(dst []thread, t thread, b byte) []thread {
	p := &m.plains[t.def.index()]
	next := p.arena.Step(lex.State(t.st), b)
	if next == lex.Dead {
		return dst
	}
	if p.counts() && b&0xC0 != 0x80 && (p.max != schema.Unbounded || t.aux < p.min) {
		t.aux++
	}
	if p.max != schema.Unbounded && t.aux+int32(p.arena.MinRunes(next)) > p.max {
		return dst
	}
	t.st = int32(next)
	return append(dst, t)
}

func (p *plain) counts() bool { return p.min > 0 || p.max != schema.Unbounded }

func (m *Machine) plainEnds(t thread) bool {
	p := &m.plains[t.def.index()]
	return t.aux >= p.min && p.arena.Accepting(lex.State(t.st))
}

func (m *Machine) plainDistance(p plain, st lex.State, read int32) int32 {
	return max(int32(p.arena.MinBytes(st)), p.min-read)
}

// collectPlain adds the tokens that a thread in plain text allows. Those that stay inside are the
// same for every count, as long as any token fits under the bound.
func (k *collector) collectPlain(t thread) bool {
	p := &k.m.plains[t.def.index()]
	tight := p.max != schema.Unbounded && t.aux+2*vocab.MaxPiece+int32(p.arena.MinRunes(lex.State(t.st))) > p.max
	return !tight && k.collectText(t)
}

// enterQuoted begins text as it stands inside a JSON string.
func (m *Machine) enterQuoted(n *gbnf.Node) (thread, error) {
	e, err := m.arenas[0].Regex(anchored(n.Text))
	if err != nil {
		return thread{}, fmt.Errorf("regular expression %q: %w", n.Text, err)
	}
	return thread{def: def(kindQuoted, 0), st: int32(m.arenas[0].StartString(e, lex.EscapesCanonical))}, nil
}

func (m *Machine) readQuoted(dst []thread, t thread, b byte) []thread {
	if next := m.arenas[0].StepString(lex.StringState(t.st), b); next != lex.StringDead && next != lex.StringClosed {
		t.st = int32(next)
		dst = append(dst, t)
	}
	return dst
}

func (m *Machine) quotedEnds(t thread) bool {
	inner, raw := m.arenas[0].Decoded(lex.StringState(t.st))
	return raw && m.arenas[0].Accepting(inner)
}
