package grammar

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"sync"

	"tenon/grammar/gbnf"
	"tenon/grammar/machine"
)

// cache keeps the most recently used values within a bound on the text they were
// made from, because agents send the same tools with every request. What is
// compiled from a text takes some ten to fifty times as much memory.
type cache[V any] struct {
	mu    sync.Mutex // protects all below
	byKey map[[32]byte]*list.Element
	order list.List // of *cached[V], most recently used first
	bytes int
	limit int
}

type cached[V any] struct {
	key   [32]byte
	value V
	size  int
}

// units are compiled schemas, grammars whole grammars, both shared by everyone.
var (
	units    = cache[*machine.Unit]{limit: 4 << 20}
	grammars = cache[*Grammar]{limit: 8 << 20}
)

// DropCaches forgets all compiled schemas and grammars. Grammars in use stay
// valid. It is for measuring, and for giving memory back. The automata of formats,
// which all grammars share and which take some 10 MB at most, stay.
func DropCaches() {
	units.clear()
	grammars.clear()
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey, c.bytes = nil, 0
	c.order.Init()
}

func (c *cache[V]) get(key [32]byte) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[V]).value, true
}

// put keeps a value unless another goroutine was first, and returns the one kept.
func (c *cache[V]) put(key [32]byte, v V, size int) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		return e.Value.(*cached[V]).value
	}
	if c.byKey == nil {
		c.byKey = map[[32]byte]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(&cached[V]{key, v, size})
	for c.bytes += size; c.bytes > c.limit && c.order.Len() > 1; {
		old := c.order.Remove(c.order.Back()).(*cached[V])
		delete(c.byKey, old.key)
		c.bytes -= old.size
	}
	return v
}

// unitsOf compiles the schemas of all %json terminals of a grammar.
func unitsOf(tree *gbnf.Grammar, lenient bool) (map[*gbnf.Node]*machine.Unit, []Issue, error) {
	all := map[*gbnf.Node]*machine.Unit{}
	var issues []Issue
	var visit func(n *gbnf.Node) error
	visit = func(n *gbnf.Node) error {
		for _, k := range n.Kids {
			if err := visit(k); err != nil {
				return err
			}
		}
		if n.Op != gbnf.JSON && n.Op != gbnf.Plain {
			return nil
		}
		u, err := unitOf(n, lenient)
		if err != nil {
			return err
		}
		all[n] = u
		for _, x := range u.Issues() {
			issues = append(issues, Issue{Tool: n.Options.Tool, Pointer: x.Pointer, Keyword: x.Keyword, Action: Action(x.Action.String()), Why: x.Why})
		}
		return nil
	}
	for i := range tree.Rules {
		if err := visit(tree.Rules[i].Node); err != nil {
			return nil, nil, fmt.Errorf("compile schema: %w", err)
		}
	}
	return all, issues, nil
}

// unitOf returns the compiled schema of a terminal.
func unitOf(n *gbnf.Node, lenient bool) (*machine.Unit, error) {
	key := sha256.Sum256([]byte(n.Options.String() + fmt.Sprint(lenient) + n.Text))
	if u, ok := units.get(key); ok {
		return u, nil
	}
	u, err := machine.NewUnit(n, lenient)
	if err != nil {
		return nil, err
	}
	return units.put(key, u, len(n.Text)), nil
}
