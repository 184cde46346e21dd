package runner

import (
	"log/slog"
	"slices"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

// This file keeps the model's memory and the cache that mirrors it in step.

// rewindable: the memory can be cut at any token.
func (l *loop) rewindable() bool { return l.model.Rewind == engine.RewindAny }

func (l *loop) floor(seq int) int { return l.backend.Floor(seq, l.cache.Len(seq)) }

// match finds the sequence to start a turn from. The last token is evaluated in any case: its
// logits are needed.
func (l *loop) match(t *turn) (from, n int) {
	return l.cache.Match(t.request.CacheKey, t.tokens[:len(t.tokens)-1], l.floor)
}

// place gives a turn a sequence with as much of its tokens as the cache holds.
func (l *loop) place(t *turn) {
	from, n := l.match(t)
	if n == 0 {
		from = -1
	}
	t.done = 0
	t.seq = l.takeSequence(t.request.CacheKey, from)
	if n > 0 && from != t.seq && l.share(from, t.seq, n) {
		t.done = n
	}
	l.bringBack(t)
	if l.rewindable() {
		return
	}
	if _, known := l.cache.Match(t.request.CacheKey, t.tokens[:len(t.tokens)-1], func(int) int { return 0 }); known > t.done {
		// where this prompt leaves another: the next one may leave it there too
		t.stopAt(known)
	}
	// likely the system prompt, which others begin with too
	t.stopAt(l.longestRun(t.tokens[:t.prompt]))
	// one before its end: the same prompt again needs the last token's logits
	t.stopAt(t.prompt - 1)
}

// worthKeeping is how long a run of tokens must be to be stopped at for itself.
const worthKeeping = 256

// longestRun is where the longest run without a marker ends, 0 if it is short.
func (l *loop) longestRun(tokens []int32) int {
	end, longest, start := 0, worthKeeping, 0
	for i, id := range tokens {
		if !l.symbols[id] {
			continue
		}
		if i-start > longest {
			end, longest = i, i-start
		}
		start = i + 1
	}
	return end
}

// takeSequence finds a free sequence, evicting a kept one if need be: keep, of which tokens are
// wanted, only if there is no other.
func (l *loop) takeSequence(key string, keep int) int {
	for {
		if id, ok := l.cache.Take(key); ok {
			return id
		}
		oldest, ok := l.cache.OldestBut(keep, schedule.Sequences)
		if !ok {
			oldest, ok = l.cache.Oldest(schedule.Sequences)
		}
		if !ok {
			// there are as many sequences as slots, and this turn holds a slot: it
			// cannot be
			return -1
		}
		l.putAway(oldest)
	}
}

func (l *loop) share(from, to, n int) bool {
	if err := l.backend.Share(from, to, n); err != nil {
		slog.Warn("share a prefix", "error", err, "tokens", n)
		return false
	}
	l.cache.Fork(from, to, n)
	return true
}

func (l *loop) free(seq int) {
	l.backend.Cut(seq, 0)
	l.cache.Free(seq)
}

// empty takes a turn's sequence away.
func (l *loop) empty(t *turn) {
	if t.seq >= 0 {
		l.free(t.seq)
	}
	t.seq, t.done, t.moving, t.ahead, t.returning = -1, 0, 0, false, false
}

// keep leaves a turn's sequence to later turns.
func (l *loop) keep(t *turn) {
	if t.seq < 0 {
		return
	}
	l.dropAhead(t)
	seq := t.seq
	t.seq = -1
	if l.cache.Len(seq) == 0 {
		l.free(seq)
		return
	}
	l.cache.Keep(seq)
	l.copied = false
	if l.rewindable() {
		l.dropRepeated()
	}
}

// forgetKey gives up all that is kept under a key, in the model's memory and the host's, unless a
// turn needs it.
func (l *loop) forgetKey(key string) {
	under := func(t *turn) bool { return t.request.CacheKey == key }
	if slices.ContainsFunc(l.running, under) || slices.ContainsFunc(l.queue, under) {
		return
	}
	for id := range l.backend.Sequences() {
		if l.cache.IsKept(id) && l.cache.Key(id) == key {
			l.free(id)
		}
	}
	l.store.Forget(key)
	if l.disk != nil {
		l.disk.Forget(key)
	}
	delete(l.said, key)
}

// dropRepeated frees kept sequences all of whose tokens another one holds too. Where memory cannot
// be cut they are places to come back to.
func (l *loop) dropRepeated() {
	for {
		id, ok := l.cache.Repeated()
		if !ok {
			return
		}
		l.free(id)
	}
}

// stopAt has prompt evaluation pause at a position, to keep a copy there.
func (t *turn) stopAt(n int) {
	if i, found := slices.BinarySearch(t.stops, n); !found && n > 0 && n > t.done {
		t.stops = slices.Insert(t.stops, i, n)
	}
}

// keepPlaces copies a sequence that cannot be cut, at each stop. Of a long prompt it keeps one
// more copy, moved forward, for later turns that part between stops.
func (l *loop) keepPlaces(t *turn) {
	if l.rewindable() {
		return
	}
	switch {
	case len(t.stops) > 0 && t.stops[0] <= t.done:
		t.stops = t.stops[1:]
		l.checkpoint(t)
	case t.state == prompting && t.done-max(t.moving, t.usage.Cached) >= l.options.UBatchSize:
		if l.checkpoint(t) {
			l.forget(t, t.moving)
			t.moving = t.done
		}
	}
}

// forget frees the kept copy of a turn's first n tokens.
func (l *loop) forget(t *turn, n int) {
	if n == 0 {
		return
	}
	if id, found := l.cache.Match(t.request.CacheKey, t.tokens[:n], l.keptFloor); found == n {
		l.free(id)
	}
}

// checkpoint keeps a copy of a turn's sequence as it stands. It is false if there was one, or no
// sequence for it.
func (l *loop) checkpoint(t *turn) bool {
	if _, n := l.cache.Match(t.request.CacheKey, t.tokens[:t.done], l.keptFloor); n == t.done {
		return false
	}
	if l.cache.Kept()+len(l.running) >= l.backend.Sequences() {
		oldest, ok := l.cache.Oldest(schedule.Sequences)
		if !ok {
			return false
		}
		l.putAway(oldest)
	}
	id, ok := l.cache.Take(t.request.CacheKey)
	if !ok {
		return false
	}
	if !l.share(t.seq, id, t.done) {
		l.cache.Free(id)
		return false
	}
	l.cache.Keep(id)
	return true
}

// keptFloor admits kept sequences only.
func (l *loop) keptFloor(seq int) int {
	if !l.cache.IsKept(seq) {
		return int(^uint(0) >> 1)
	}
	return l.floor(seq)
}

// evictAtOnce is how many cells are freed at least: a stream that runs on in a full cache would
// else evict at each token.
const evictAtOnce = 256

// makeRoom frees cells until so many are free, all at once: nothing goes on without them. It is
// false if no more can be had without taking a running turn's.
func (l *loop) makeRoom(cells int) bool {
	for {
		missing := cells - (l.backend.Cells() - l.cache.Cells())
		if missing <= 0 {
			return true
		}
		if l.moveOut() {
			continue
		}
		if !l.evict(max(missing, evictAtOnce)) {
			return false
		}
	}
}

func (l *loop) evict(cells int) bool {
	e, ok := l.cache.Evict(cells, l.floor)
	if !ok {
		return false
	}
	if e.Length > 0 && l.backend.Cut(e.Sequence, e.Length) {
		l.cache.Cut(e.Sequence, e.Length)
		return true
	}
	l.putAway(e.Sequence)
	return true
}

// preempt takes the cells of the youngest running turn, so that older ones can go on, and sends it
// back to the head of the queue. What it held waits for it in host memory; what does not fit there
// is evaluated again. A parked turn keeps its slot. It is false if nobody but the oldest holds
// anything.
func (l *loop) preempt() bool {
	for i := len(l.running) - 1; i > 0; i-- {
		t := l.running[i]
		if t.seq < 0 || t.done == 0 {
			continue
		}
		l.counts.Preempted++
		l.pressed = true
		l.dropAhead(t)
		l.save(t.seq, l.cache.Shared(t.seq))
		t.lost = t.done
		l.empty(t)
		if t.state != parked {
			t.state, t.leader, t.until, t.logits = queued, nil, 0, nil
			l.running = slices.Delete(l.running, i, i+1)
			l.queue = append([]*turn{t}, l.queue...)
		}
		return true
	}
	return false
}

// resume puts a parked turn to work again.
func (l *loop) resume(t *turn) {
	t.state = streaming
	if t.seq < 0 { // it was preempted meanwhile
		t.state = prompting
		l.place(t)
	}
}

// goBack shortens a turn's sequence to its tokens, less the last one: that is evaluated again for
// its logits.
func (l *loop) goBack(t *turn) {
	n := len(t.tokens) - 1
	t.stops = slices.DeleteFunc(t.stops, func(stop int) bool { return stop > n })
	if t.seq >= 0 && t.done > n {
		if !l.backend.Cut(t.seq, n) {
			l.empty(t) // the place to come back to may lie further back
		} else {
			l.cache.Cut(t.seq, n)
			t.done = n
		}
	}
	t.lost = 0
	l.resume(t)
	if t.done < n {
		t.state, t.lost = prompting, n
		l.countLost(t)
	}
}
