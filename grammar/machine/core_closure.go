package machine

import "fmt"

// item is one way to consume something from a state: the rules called on the way there, innermost
// last, as the states in which they return, and the edge.
type item struct {
	frames []int32
	marks  []edge // captures that begin or end on the way
	edge
}

// closure is all that can happen next in a state of a rule.
type closure struct {
	items []item
	ends  bool // the rule may end
	marks []edge
}

// closureOf returns the closure of a state, computed on first use.
func (m *Machine) closureOf(s int32) *closure {
	if c := m.closures[s]; c != nil {
		return c
	}
	if m.limit != nil {
		// whatever is read from here on is refused, with the limit as the reason
		return &closure{}
	}
	b := closureBuilder{m: m, c: &closure{}, seen: map[int32]bool{}}
	b.visit(s, nil, nil)
	c := b.c
	m.closures[s] = c
	if m.closed += c.size(); m.closed > maxClosed {
		m.limit = m.tooComplex(s)
	}
	return c
}

// tooComplex says in which rule there are too many ways to go on.
func (m *Machine) tooComplex(s int32) error {
	of := 0 // the states of a rule begin with its start
	for i, r := range m.prog.rules {
		if start := m.prog.rules[of].start; r.start <= s && (start > s || r.start > start) {
			of = i
		}
	}
	return fmt.Errorf("rule %q: %w", m.prog.rules[of].name, ErrTooComplex)
}

// maxClosure bounds the states visited for one closure: rules that can all be empty and call each
// other twice would otherwise be visited without end.
const maxClosure = 200_000

// maxClosed bounds the bytes of all closures: a row of parts that may be left out has in each of
// its states a way to all behind.
const maxClosed = 64 << 20

type closureBuilder struct {
	visits int
	m      *Machine
	c      *closure
	seen   map[int32]bool // states visited in the rules now open
}

// visit follows the edges of s that consume nothing. Rules cannot be left recursive, so calls nest
// finitely; a loop within a rule is cut by seen.
func (b *closureBuilder) visit(s int32, frames []int32, marks []edge) {
	if b.seen[s] {
		return
	}
	if b.visits++; b.visits > maxClosure {
		b.m.limit = b.m.tooComplex(s)
		return
	}
	b.seen[s] = true
	p := b.m.prog
	x := &p.states[s]
	for _, e := range x.edges {
		switch e.op {
		case opNone:
			b.visit(e.to, frames, marks)
		case opBegin, opEnd, opCheck:
			b.visit(e.to, frames, appendCopy(marks, e))
		case opCall:
			b.call(e, frames, marks)
		default:
			b.c.items = append(b.c.items, item{frames: frames, marks: marks, edge: e})
		}
	}
	if x.final && len(frames) == 0 && !b.c.ends {
		b.c.ends, b.c.marks = true, marks
	}
}

// call visits a rule's start. A frame that would only return is left out: that keeps right
// recursion from growing the stack.
func (b *closureBuilder) call(e edge, frames []int32, marks []edge) {
	p := b.m.prog
	inner := frames
	if !p.returns(e.to) {
		inner = appendCopy(frames, e.to)
	}
	r := p.rules[e.arg]
	saved := b.seen
	b.seen = map[int32]bool{}
	b.visitCallee(r.start, inner, marks)
	b.seen = saved
	if r.nullable {
		b.visit(e.to, frames, append(marks[:len(marks):len(marks)], b.m.emptyMarks(e.arg)...))
	}
}

// visitCallee is visit, but the end of the callee is not that of the caller: if the callee can be
// empty, call goes around it.
func (b *closureBuilder) visitCallee(s int32, frames []int32, marks []edge) {
	ends, endMarks := b.c.ends, b.c.marks
	b.visit(s, frames, marks)
	b.c.ends, b.c.marks = ends, endMarks
}

func appendCopy[T any](list []T, x T) []T {
	return append(list[:len(list):len(list)], x)
}

// maxEmptyMarks bounds the captures of a rule that reads nothing.
const maxEmptyMarks = 1000

// emptyMarks lists the captures on the preferred way through a rule that reads nothing.
func (m *Machine) emptyMarks(r int32) []edge {
	if !m.events {
		return nil
	}
	marks, ok := m.empties[r]
	if !ok {
		marks, _ = m.emptyPath(m.prog.rules[r].start, map[int32]bool{})
		if len(marks) > maxEmptyMarks {
			marks = nil // nobody means captures of nothing by the thousand
		}
		m.empties[r] = marks
	}
	return marks
}

func (m *Machine) emptyPath(s int32, seen map[int32]bool) ([]edge, bool) {
	x := &m.prog.states[s]
	if !seen[s] {
		seen[s] = true
		for _, e := range x.edges {
			if !m.prog.consumesNothing(e) {
				continue
			}
			rest, ok := m.emptyPath(e.to, seen)
			if !ok {
				continue
			}
			switch e.op {
			case opBegin, opEnd, opCheck:
				rest = append([]edge{e}, rest...)
			case opCall:
				rest = append(m.emptyMarks(e.arg), rest...)
			}
			return rest, true
		}
	}
	return nil, x.final
}
