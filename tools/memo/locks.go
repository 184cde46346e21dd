package memo

import "sync"

// Locks is a lock for each key: who wants what another is computing waits for that, and then finds
// it kept. The zero value is ready.
type Locks[K comparable] struct {
	mu sync.Mutex // guards what follows
	of map[K]*lock
}

type lock struct {
	sync.Mutex
	wanted int // by so many, who holds it among them
}

// Lock waits for a key's lock and returns what gives it back.
func (l *Locks[K]) Lock(key K) (unlock func()) {
	l.mu.Lock()
	if l.of == nil {
		l.of = map[K]*lock{}
	}
	one := l.of[key]
	if one == nil {
		one = &lock{}
		l.of[key] = one
	}
	one.wanted++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.wanted--; one.wanted == 0 {
			delete(l.of, key)
		}
	}
}
