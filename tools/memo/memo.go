// Package memo keeps what is costly to compute and asked for again and again: a server's clients send the same few hundred tools with
// every request.
package memo

import "sync"

// Memo holds the values of so many keys. It may be used from any goroutine.
type Memo[K comparable, V any] struct {
	most int

	mu sync.Mutex // guards of
	of map[K]V
}

// New makes a memo of so many keys. One more than that empties it: that is rare enough that finding the oldest is not worth keeping
// order.
func New[K comparable, V any](most int) *Memo[K, V] {
	return &Memo[K, V]{most: most, of: map[K]V{}}
}

// Get returns the value of a key, which compute makes if it is not there. Of an error nothing is kept. Two calls at once may both
// compute; the values are equal.
func (m *Memo[K, V]) Get(key K, compute func() (V, error)) (V, error) {
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
	if len(m.of) >= m.most {
		clear(m.of)
	}
	m.of[key] = v
	return v, nil
}
