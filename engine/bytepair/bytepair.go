// Package bytepair joins neighbours in a sequence, the best pair first. So a word's bytes or
// characters become tokens, in vocabularies of byte pairs and in SentencePiece's.
package bytepair

import "container/heap"

// Join joins neighbours until no pair can be joined: of all pairs the one of the lowest cost, of
// equal ones the first. both says what a pair becomes, if anything. It changes parts and returns
// what is left of them, and takes time by their number times its logarithm.
func Join[T comparable](parts []T, both func(left, right T) (joined T, cost float32, ok bool)) []T {
	w := word[T]{parts: parts, prev: make([]int32, len(parts)), next: make([]int32, len(parts)), both: both}
	for i := range parts {
		w.prev[i], w.next[i] = int32(i)-1, int32(i)+1
		if i+1 == len(parts) {
			w.next[i] = none
		}
		w.find(int32(i))
	}
	heap.Init(&w.queue)
	for len(w.queue) > 0 {
		c := w.queue[0]
		heap.Pop(&w.queue)
		w.join(c)
	}
	left := parts[:0]
	for i := int32(0); i >= 0 && len(parts) > 0; i = w.next[i] {
		left = append(left, parts[i])
	}
	return left
}

// none says that no part stands there.
const none int32 = -1

// word is a sequence while it is joined: a part is linked with those beside it, one that was
// joined to another with none behind it.
type word[T comparable] struct {
	parts      []T
	prev, next []int32
	both       func(left, right T) (T, float32, bool)
	queue      queue[T]
}

// find queues the pair that begins at a place, if it can be joined.
func (w *word[T]) find(at int32) bool {
	if at < 0 || w.next[at] < 0 {
		return false
	}
	left, right := w.parts[at], w.parts[w.next[at]]
	joined, cost, ok := w.both(left, right)
	if ok {
		w.queue = append(w.queue, pair[T]{left, right, joined, cost, at})
	}
	return ok
}

// join joins a pair, unless one of it was joined to another meanwhile, and queues those that come
// of it.
func (w *word[T]) join(p pair[T]) {
	right := w.next[p.at]
	if right < 0 || w.parts[p.at] != p.left || w.parts[right] != p.right {
		return
	}
	w.parts[p.at], w.next[p.at] = p.joined, w.next[right]
	w.next[right] = none
	if next := w.next[p.at]; next >= 0 {
		w.prev[next] = p.at
	}
	for _, at := range []int32{w.prev[p.at], p.at} {
		if n := len(w.queue); w.find(at) {
			heap.Fix(&w.queue, n)
		}
	}
}

// pair is two neighbours as they were when they were queued.
type pair[T any] struct {
	left, right, joined T
	cost                float32
	at                  int32 // of the left one
}

type queue[T any] []pair[T]

func (q queue[T]) Len() int      { return len(q) }
func (q queue[T]) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q queue[T]) Less(a, b int) bool {
	return q[a].cost < q[b].cost || q[a].cost == q[b].cost && q[a].at < q[b].at
}

// Push is not called: a pair is appended and sifted up.
func (q *queue[T]) Push(x any) { *q = append(*q, x.(pair[T])) }

func (q *queue[T]) Pop() any {
	*q = (*q)[:len(*q)-1]
	return nil // the caller has read it
}
