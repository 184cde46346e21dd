// Package memo keeps what is costly to compute and asked for again and again: a server's clients
// send the same few hundred tools with every request.
package memo

import "sync"

// Memo holds the values of so many keys. It may be used from any goroutine.
type Memo[K comparable, V any] struct {
	most, mostBytes int

	mu    sync.Mutex // guards what follows
	of    map[K]V
	bytes int

	flights Flights[K, V]
}

// New makes a memo of so many keys, and of so many bytes that their values were computed from:
// what a client sends may be large. One more than that empties it: that is rare enough that
// finding the oldest is not worth keeping order. The latest is kept whatever its size.
func New[K comparable, V any](most, mostBytes int) *Memo[K, V] {
	return &Memo[K, V]{most: most, mostBytes: mostBytes, of: map[K]V{}}
}

// Get returns the value of a key, which compute makes, from so many bytes, if it is not there. Of
// an error nothing is kept. Two calls at once compute one value.
func (m *Memo[K, V]) Get(key K, size int, compute func() (V, error)) (V, error) {
	if v, ok := m.kept(key); ok {
		return v, nil
	}
	return m.flights.Do(key, func() (V, error) {
		if v, ok := m.kept(key); ok { // another call was faster
			return v, nil
		}
		v, err := compute()
		if err == nil {
			m.keep(key, size, v)
		}
		return v, err
	})
}

func (m *Memo[K, V]) kept(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.of[key]
	return v, ok
}

func (m *Memo[K, V]) keep(key K, size int, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.of) >= m.most || m.bytes+size > m.mostBytes {
		clear(m.of)
		m.bytes = 0
	}
	m.of[key] = v
	m.bytes += size
}
