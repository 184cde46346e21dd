package grammar

import (
	"slices"

	"tenon/grammar/machine"
)

// DropCaches forgets all compiled schemas and grammars. Grammars in use stay valid. The automata
// of formats stay: they are as the program made them, whatever schemas there were.
func DropCaches() {
	units.clear()
	grammars.clear()
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey = nil
	c.order.Init()
}

// Allowed says whether a token may come next. It costs less than a mask.
func (m *Matcher) Allowed(token int32) bool {
	if m.v == nil || token < 0 || int(token) >= m.v.Len() {
		return false
	}
	if m.v.IsEOG(token) {
		return m.Done()
	}
	return m.step(token) != machine.Stuck
}

// Size is roughly how many bytes the grammar takes, with its schemas and all that it has learned.
func (g *Grammar) Size() int {
	g.mu.Lock()
	workspaces := slices.Clone(g.workspaces)
	g.mu.Unlock()
	for _, w := range workspaces {
		w.weigh()
	}
	return sizeOfAll([]*Grammar{g})
}
