package machine

import "strings"

// Where names the automata that a configuration's threads are in, each kind once.
func (m *Machine) Where(id ConfigID) string {
	var list []string
	seen := map[string]bool{}
	for _, t := range m.configs.lists[id] {
		name := kinds[t.def.kind()].name
		if t.def.kind() == kindString && m.strings[t.def.index()].counts() {
			name = "bounded string"
		}
		if !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// derived is how many derivatives lexical automata have taken.
func (m *Machine) derived() int {
	n := 0
	for _, a := range m.arenas {
		n += a.Derived()
	}
	return n
}

// States is how many states of lexical automata there are.
func (m *Machine) States() int {
	n := 0
	for _, a := range m.arenas {
		n += a.States()
	}
	return n
}
