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

// cache keeps the most recently used values within a bound on the memory that they take. They grow
// while they are used, and summing up takes time by how many there are: it is done when an eighth
// as many were added, or a sixteenth of the bound, and when one has said that it grew.
type cache[V comparable] struct {
	limit int
	size  func(all []V) int // what several share counts once
	grew  atomic.Bool       // a value says so

	found, missed atomic.Int64 // values that were asked for

	mu                sync.Mutex // protects all below
	byKey             map[cacheKey]*list.Element
	order             list.List // of *cached[V], most recently used first
	added, addedBytes int       // since they were summed up
}

// cacheKey is what a value was compiled from.
type cacheKey struct{ options, text string }

type cached[V comparable] struct {
	key   cacheKey
	value V
}

func (c *cache[V]) get(key cacheKey) (v V, ok bool) {
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
func (c *cache[V]) put(key cacheKey, v V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		return e.Value.(*cached[V]).value
	}
	if c.byKey == nil {
		c.byKey = map[cacheKey]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(&cached[V]{key, v})
	c.added++
	c.addedBytes += c.size([]V{v})
	if c.grew.Swap(false) || 8*c.added >= c.order.Len() || 16*c.addedBytes >= c.limit {
		c.trim()
	}
	return v
}

// forget removes a value, unless another has taken its place.
func (c *cache[V]) forget(key cacheKey, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok && e.Value.(*cached[V]).value == v {
		c.order.Remove(e)
		delete(c.byKey, key)
	}
}

// trim forgets what is beyond the limit, and if anything is, then a sixteenth more: the caller
// holds the lock.
func (c *cache[V]) trim() {
	c.added, c.addedBytes = 0, 0
	for room := c.limit; c.order.Len() > 1; room = c.limit - c.limit/16 {
		over := c.bytes() - room
		if over <= 0 {
			return
		}
		for over > 0 && c.order.Len() > 1 {
			last := c.order.Remove(c.order.Back()).(*cached[V])
			delete(c.byKey, last.key)
			over -= max(c.size([]V{last.value}), 1)
		}
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
