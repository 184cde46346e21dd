package machine

import (
	"bytes"
	"encoding/json"
	"slices"

	"tenon/grammar/schema"
)

// openArray is the register at the start of an array, whose opening bracket a thread has just
// read. An array that may always have one more element has no rivals.
func (m *Machine) openArray(t thread, index int) int32 {
	a := m.arrays[index]
	if a.alt.Max == schema.Unbounded {
		return 0
	}
	rivals := m.arraysAmong(a, m.others(t))
	if len(rivals) == 0 {
		return 0
	}
	reg := a.regs[0]
	reg.rivals, reg.options, reg.derived = rivals, nil, false
	return a.intern(reg)
}

// arraysAmong are those of some values that belong to a set of arrays.
func (m *Machine) arraysAmong(a *array, texts []textID) []textID {
	var list []textID
	for _, id := range texts {
		if m.itemsOf(id) != nil {
			list = append(list, id)
		}
	}
	if a.holds == nil {
		a.holds = map[textID]bool{}
	}
	return m.belonging(a.unit, a.holds, a.alt, list)
}

// itemsOf are the elements of an array in canonical form; nil for what is none.
func (m *Machine) itemsOf(id textID) []textID {
	if x, ok := m.items[id]; ok {
		return x
	}
	var x []textID
	var items []json.RawMessage
	if text := m.texts.appendSince(nil, noText, id); bytes.HasPrefix(text, []byte("[")) && json.Unmarshal(text, &items) == nil {
		x = make([]textID, len(items))
		for i, item := range items {
			x[i] = m.texts.of(item)
		}
	}
	m.items[id] = x
	return x
}

// takenElements are what the last element of a register, which has been counted but not been
// compared, must differ from: other elements, and those behind which only rivals remain.
func (m *Machine) takenElements(a *array, r *elements) []textID {
	taken := m.arrayContest(a, r).taken
	if a.alt.Unique {
		taken = append(slices.Clip(r.seen), taken...)
	}
	return taken
}

// noContest is that of most elements: nothing is kept of it.
var noContest contest

func (m *Machine) contestOfElement(a *array, reg int32) *contest {
	if len(a.regs[reg].rivals) == 0 {
		return &noContest
	}
	c := a.contests[reg]
	if c == nil {
		c = m.arrayContest(a, &a.regs[reg])
		if a.contests == nil {
			a.contests = map[int32]*contest{}
		}
		a.contests[reg] = c
	}
	return c
}

func (m *Machine) arrayContest(a *array, r *elements) *contest {
	if len(r.rivals) == 0 {
		return &noContest
	}
	c := &contest{left: map[textID][]textID{}}
	for _, rival := range r.rivals {
		if items := m.itemsOf(rival); int(r.n) <= len(items) {
			c.left[items[r.n-1]] = append(c.left[items[r.n-1]], rival)
		}
	}
	for element, like := range c.left {
		if m.arrayWays(a, m.itemsOf(like[0])[:r.n], len(like)+1) <= len(like) {
			c.taken = append(c.taken, element)
		}
	}
	slices.Sort(c.taken)
	return c
}

// arrayWays counts, up to a limit, the arrays that begin with some elements. Where elements have
// nothing to do with each other, it matters only how many there are.
func (m *Machine) arrayWays(a *array, begin []textID, limit int) int {
	alike := len(a.alt.Contains) == 0 && !a.alt.Unique
	if known, ok := a.ways[len(begin)]; ok && alike && (known.n < known.limit || known.limit >= limit) {
		return min(known.n, limit)
	}
	texts := make([][]byte, len(begin))
	for i, id := range begin {
		texts[i] = m.texts.appendSince(nil, noText, id)
	}
	w := ways{limit: 2 * limit}
	a.unit.locked(func() { w.n = a.alt.Completions(texts, w.limit) })
	if a.ways == nil {
		a.ways = map[int]ways{}
	}
	a.ways[len(begin)] = w
	return min(w.n, limit)
}

// ways is a number of ways, counted up to a limit.
type ways struct{ n, limit int }

// arrayUsedUp says whether all arrays of a set are among those there are.
func (m *Machine) arrayUsedUp(a *array, seen []textID) bool {
	if a.alt.Max == schema.Unbounded {
		return false
	}
	rivals := m.arraysAmong(a, seen)
	return len(rivals) > 0 && m.arrayWays(a, nil, len(rivals)+1) <= len(rivals)
}
