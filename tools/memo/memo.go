// Package memo keeps what is costly to compute and asked for again and again: a server's clients
// send the same few hundred tools with every request.
package memo

import (
	"container/list"
	"sync"
)

// Memo holds the values of so many keys. It may be used from any goroutine.
type Memo[K comparable, V any] struct {
	most, mostBytes int

	mu    sync.Mutex // guards what follows
	of    map[K]*list.Element
	order list.List // of kept[K, V], the latest asked for first
	bytes int

	locks Locks[K]
}

type kept[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// New makes a memo of so many keys, and of so many bytes that their values were computed from:
// what a client sends may be large. What was asked for least lately goes first. The latest is kept
// whatever its size.
func New[K comparable, V any](most, mostBytes int) *Memo[K, V] {
	return &Memo[K, V]{most: most, mostBytes: mostBytes, of: map[K]*list.Element{}}
}

// Get returns the value of a key, which compute makes, from so many bytes, if it is not there. Of
// an error nothing is kept: it may be that one client left. Two calls at once compute one value.
// compute must not ask for its own key.
func (m *Memo[K, V]) Get(key K, size int, compute func() (V, error)) (V, error) {
	if v, ok := m.kept(key); ok {
		return v, nil
	}
	defer m.locks.Lock(key)()
	if v, ok := m.kept(key); ok { // another call was faster
		return v, nil
	}
	v, err := compute()
	if err == nil {
		m.keep(kept[K, V]{key, v, size})
	}
	return v, err
}

func (m *Memo[K, V]) kept(key K) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.of[key]
	if !ok {
		return v, false
	}
	m.order.MoveToFront(e)
	return e.Value.(kept[K, V]).value, true
}

func (m *Memo[K, V]) keep(k kept[K, V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.of) > 0 && (len(m.of) >= m.most || m.bytes+k.size > m.mostBytes) {
		last := m.order.Remove(m.order.Back()).(kept[K, V])
		delete(m.of, last.key)
		m.bytes -= last.size
	}
	m.of[k.key] = m.order.PushFront(k)
	m.bytes += k.size
}
