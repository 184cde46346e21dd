package grammar

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
