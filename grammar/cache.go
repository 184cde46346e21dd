package grammar

import (
	"container/list"
	"sync"
	"sync/atomic"

	"tenon/grammar/machine"
)

// units are compiled schemas, grammars whole grammars, both shared by everyone.
var (
	units    = cache[*machine.Unit]{limit: maxUnits, size: sizeOfUnits}
	grammars = cache[*Grammar]{limit: maxGrammars, size: sizeOfAll}
)

// DropCaches forgets all compiled schemas and grammars. Grammars in use stay valid. It is for
// measuring, and for giving memory back. The automata of formats stay: they are as the program
// made them, whatever schemas there were.
func DropCaches() {
	units.clear()
	grammars.clear()
}

// cache keeps the most recently used values within a bound on the memory that they take. They grow
// while they are used: what they take is summed up when one is added, and when one has said that
// it grew.
type cache[V comparable] struct {
	limit int
	size  func(all []V) int // what several share counts once
	grew  atomic.Bool       // a value says so

	found, missed atomic.Int64 // values that were asked for

	mu    sync.Mutex // protects all below
	byKey map[[32]byte]*list.Element
	order list.List // of *cached[V], most recently used first
}

type cached[V comparable] struct {
	key   [32]byte
	value V
}

func (c *cache[V]) get(key [32]byte) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		c.missed.Add(1)
		return v, false
	}
	c.found.Add(1)
	c.order.MoveToFront(e)
	if c.grew.Swap(false) {
		c.trim()
	}
	return e.Value.(*cached[V]).value, true
}

// put keeps a value unless another goroutine was first, and returns the one kept.
func (c *cache[V]) put(key [32]byte, v V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		return e.Value.(*cached[V]).value
	}
	if c.byKey == nil {
		c.byKey = map[[32]byte]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(&cached[V]{key, v})
	c.trim()
	return v
}

// forget removes a value, unless another has taken its place.
func (c *cache[V]) forget(key [32]byte, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok && e.Value.(*cached[V]).value == v {
		c.order.Remove(e)
		delete(c.byKey, key)
	}
}

// trim forgets what is beyond the limit; the caller holds the lock.
func (c *cache[V]) trim() {
	for c.order.Len() > 1 && c.bytes() > c.limit {
		last := c.order.Remove(c.order.Back()).(*cached[V])
		delete(c.byKey, last.key)
	}
}

func (c *cache[V]) bytes() int {
	all := make([]V, 0, c.order.Len())
	for e := c.order.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*cached[V]).value)
	}
	return c.size(all)
}

func (c *cache[V]) total() (count, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len(), c.bytes()
}

func (c *cache[V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey = nil
	c.order.Init()
}
