package machine

import (
	"bytes"
	"encoding/json"
	"slices"

	"tenon/grammar/schema"
)

// openArray is the register at the start of an array, whose opening bracket a thread
// has just read. An array that may always have one more element has no rivals.
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

// takenElements are what the last element of a register, which has been counted but not
// been compared, must differ from: other elements, and those behind which only rivals
// remain.
func (m *Machine) takenElements(a *array, r *elements) []textID {
	var taken []textID
	if a.alt.Unique {
		taken = r.seen
	}
	for i, rival := range r.rivals {
		items := m.itemsOf(rival)
		if len(items) < int(r.n) {
			continue
		}
		element := items[r.n-1]
		if slices.Contains(taken, element) || len(m.withElement(r.rivals[:i], int(r.n)-1, element)) > 0 {
			continue // it has been looked at
		}
		like := len(m.withElement(r.rivals, int(r.n)-1, element))
		if m.arrayWays(a, items[:r.n], like+1) <= like {
			taken = append(slices.Clip(taken), element)
		}
	}
	return taken
}

// withElement are those of some arrays that have an element in a place.
func (m *Machine) withElement(list []textID, i int, element textID) []textID {
	var have []textID
	for _, id := range list {
		if items := m.itemsOf(id); i < len(items) && items[i] == element {
			have = append(have, id)
		}
	}
	return have
}

// arrayWays counts, up to a limit, the arrays that begin with some elements.
func (m *Machine) arrayWays(a *array, begin []textID, limit int) (n int) {
	texts := make([][]byte, len(begin))
	for i, id := range begin {
		texts[i] = m.texts.appendSince(nil, noText, id)
	}
	a.unit.locked(func() { n = a.alt.Completions(texts, limit) })
	return n
}

// arrayUsedUp says whether all arrays of a set are among those there are.
func (m *Machine) arrayUsedUp(a *array, seen []textID) bool {
	if a.alt.Max == schema.Unbounded {
		return false
	}
	rivals := m.arraysAmong(a, seen)
	return len(rivals) > 0 && m.arrayWays(a, nil, len(rivals)+1) <= len(rivals)
}
