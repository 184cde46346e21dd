// Package owned keeps what belongs to callers, within bounds that all callers share.
//
// Entries are found by their owner and a key: callers choose keys, so one key may name an entry of
// each of them. Where the room is short, whoever has most of it loses what he used least recently.
// So nobody drives out what is another's, however much he has kept, and who is alone has all the
// room.
package owned

import (
	"container/list"
	"maps"
	"slices"
	"sync"
)

// Table holds entries. Its methods may be called from any goroutine.
type Table[K comparable, V any] struct {
	most Size

	mu     sync.Mutex // guards what follows
	shares map[string]*share[K]
	size   Size
}

// Size is how much is kept, or may be.
type Size struct{ Entries, Bytes int }

// share is what belongs to an owner.
type share[K comparable] struct {
	owner string
	byKey map[K]*list.Element
	order *list.List // of *entry, the one that was used least recently first
	bytes int
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int
}

// New returns an empty table for at most so much.
func New[K comparable, V any](most Size) *Table[K, V] {
	return &Table[K, V]{most: most, shares: map[string]*share[K]{}}
}

// Put keeps a value of so many bytes in place of the owner's earlier one of the same key. What is
// larger than the table is not kept.
func (t *Table[K, V]) Put(owner string, key K, value V, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.shares[owner]; of != nil && of.byKey[key] != nil {
		t.remove(of, of.byKey[key])
	}
	if bytes > t.most.Bytes {
		return
	}
	of := t.shares[owner]
	if of == nil {
		of = &share[K]{owner: owner, byKey: map[K]*list.Element{}, order: list.New()}
		t.shares[owner] = of
	}
	of.byKey[key] = of.order.PushBack(&entry[K, V]{key, value, bytes})
	t.grow(of, 1, bytes)
	t.evict(of)
}

// Get returns an owner's value, which counts as used.
func (t *Table[K, V]) Get(owner string, key K) (value V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.shares[owner]
	if of == nil || of.byKey[key] == nil {
		return value, false
	}
	e := of.byKey[key]
	of.order.MoveToBack(e)
	return e.Value.(*entry[K, V]).value, true
}

// Take returns an owner's value and keeps it no longer.
func (t *Table[K, V]) Take(owner string, key K) (value V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.shares[owner]
	if of == nil || of.byKey[key] == nil {
		return value, false
	}
	e := of.byKey[key]
	value = e.Value.(*entry[K, V]).value
	t.remove(of, e)
	return value, true
}

// Keys are those of an owner's entries, in no order.
func (t *Table[K, V]) Keys(owner string) []K {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.shares[owner]; of != nil {
		return slices.Collect(maps.Keys(of.byKey))
	}
	return nil
}

// Size is how much is kept now.
func (t *Table[K, V]) Size() Size {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.size
}

// evict keeps to the bounds. Of owners who have the same, the one who has just put something in
// loses.
func (t *Table[K, V]) evict(last *share[K]) {
	for t.size.Entries > t.most.Entries || t.size.Bytes > t.most.Bytes {
		loser := last
		for _, of := range t.shares {
			tooMany := t.size.Entries > t.most.Entries
			if tooMany && of.order.Len() > loser.order.Len() || !tooMany && of.bytes > loser.bytes {
				loser = of
			}
		}
		t.remove(loser, loser.order.Front())
	}
}

func (t *Table[K, V]) remove(of *share[K], e *list.Element) {
	gone := of.order.Remove(e).(*entry[K, V])
	delete(of.byKey, gone.key)
	t.grow(of, -1, -gone.bytes)
	if of.order.Len() == 0 {
		delete(t.shares, of.owner)
	}
}

func (t *Table[K, V]) grow(of *share[K], entries, bytes int) {
	of.bytes += bytes
	t.size.Entries += entries
	t.size.Bytes += bytes
}
