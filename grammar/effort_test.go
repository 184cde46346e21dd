package grammar

// Effort is what a grammar's masks over one vocabulary have cost so far, counted rather than
// timed, so that it does not depend on the machine.
type Effort struct {
	Nodes  int64 // nodes of vocabulary trees visited
	States int   // states of lexical automata made
}

// Effort tells what the matchers of this grammar and vocabulary have cost together; what one mask
// costs is the difference it makes.
func (m *Matcher) Effort() Effort {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	e := Effort{States: m.e.m.States()}
	if m.e.masks != nil {
		e.Nodes = m.e.masks.Stats.Nodes
	}
	return e
}

// Where names for people what the output is inside of: "bounded string", "other key", ….
func (m *Matcher) Where() string {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.m.Where(m.state)
}
