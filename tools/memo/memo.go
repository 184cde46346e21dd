// Package memo keeps what is costly to compute and asked for again and again: a server's clients send the same few hundred tools with
// every request.
package memo

import "sync"

// Memo holds the values of so many keys. It may be used from any goroutine.
type Memo[K comparable, V any] struct {
	most, mostBytes int

	mu    sync.Mutex // guards what follows
	of    map[K]V
	bytes int
}

// New makes a memo of so many keys, and of so many bytes that their values were computed from: what a client sends may be large. One more
// than that empties it: that is rare enough that finding the oldest is not worth keeping order. The latest is kept whatever its size.
func New[K comparable, V any](most, mostBytes int) *Memo[K, V] {
	return &Memo[K, V]{most: most, mostBytes: mostBytes, of: map[K]V{}}
}

// Get returns the value of a key, which compute makes, from so many bytes, if it is not there. Of an error nothing is kept. Two calls at
// once may both compute; the values are equal.
func (m *Memo[K, V]) Get(key K, size int, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.of[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.of[key]; there {
		return v, nil
	}
	if len(m.of) >= m.most || m.bytes+size > m.mostBytes {
		clear(m.of)
		m.bytes = 0
	}
	m.of[key] = v
	m.bytes += size
	return v, nil
}
