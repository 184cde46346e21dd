package memo

import "sync"

// Flights has what several callers want at once computed by one of them. It keeps nothing. The
// zero value is ready, and may be used from any goroutine.
type Flights[K comparable, V any] struct {
	mu    sync.Mutex // guards what follows
	under map[K]*flight[V]
}

// flight is a value that is being computed.
type flight[V any] struct {
	landed chan struct{} // closed once it has been
	whole  bool          // compute returned a value; else the others try for themselves
	value  V
}

// Do returns what compute gives, or what it gives another caller who is computing the same key.
// Nobody gets another's error: it may be that his client left. compute must not ask for its own
// key.
func (f *Flights[K, V]) Do(key K, compute func() (V, error)) (V, error) {
	for {
		mine := &flight[V]{landed: make(chan struct{})}
		other := f.board(key, mine)
		if other == nil {
			return f.fly(key, mine, compute)
		}
		if <-other.landed; other.whole {
			return other.value, nil
		}
	}
}

// board registers a flight, unless there is one for the key, which it returns.
func (f *Flights[K, V]) board(key K, mine *flight[V]) *flight[V] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other, ok := f.under[key]; ok {
		return other
	}
	if f.under == nil {
		f.under = map[K]*flight[V]{}
	}
	f.under[key] = mine
	return nil
}

func (f *Flights[K, V]) fly(key K, mine *flight[V], compute func() (V, error)) (V, error) {
	defer func() {
		f.mu.Lock()
		delete(f.under, key)
		f.mu.Unlock()
		close(mine.landed)
	}()
	v, err := compute()
	mine.value, mine.whole = v, err == nil
	return v, err
}
