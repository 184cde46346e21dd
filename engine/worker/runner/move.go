package runner

import (
	"log/slog"
	"time"

	"tenon/engine/worker/schedule"
)

// This file moves what no turn runs on out of the KV cache into host memory, and back when a
// prompt begins with it.
//
// Attention reads all cells in use, whoever holds them: 5,000 kept tokens of finished turns halve
// the speed of Gemma 3 270M's prompts on two cores. To copy a cell out and back costs about as
// much as to attend to it five times.

// worthMoving is how many tokens are cheaper to copy than to evaluate again.
const worthMoving = 16

// mostCopied is how many tokens a copy has at most where memory can be cut. A stream waits as long
// as one takes.
const mostCopied = 1024

// The first prompt after a rest need not wait for the copies if they are made while nothing runs:
// not at once, because a client that calls tools comes back within milliseconds and goes on where
// it was; and no more of a sequence than takes a fraction of a second, because a prompt that comes
// meanwhile waits.
const (
	restBeforeCopies = 100 * time.Millisecond
	mostAtRest       = 2048 // tokens
)

// copies tells whether any are kept.
func (l *loop) copies() bool { return l.options.HostMemory > 0 }

// movable: copies of a part of a sequence can be kept.
func (l *loop) movable() bool { return l.rewindable() && l.copies() }

// makeWay moves kept sequences out of the way of what runs. A GPU attends to their cells in less
// time than it takes to copy them: there they go when cells run short. While a stream waits, a
// step copies one piece of what has been kept longest, which goes once all of it has been copied.
func (l *loop) makeWay() {
	switch {
	case l.options.GPU:
	case !l.watched():
		l.moveOut()
	default:
		for l.movable() {
			id, ok := l.cache.Oldest(schedule.Cells)
			if !ok || l.savePiece(id, l.cache.Shared(id)) {
				return
			}
			l.free(id)
		}
	}
}

// moveOut moves all kept sequences to host memory, as far as it does not hold their tokens
// already. It is false if there were none.
func (l *loop) moveOut() bool {
	moved := false
	for l.movable() {
		id, ok := l.cache.Oldest(schedule.Cells)
		if !ok {
			break
		}
		l.putAway(id)
		moved = true
	}
	return moved
}

// putAway moves a sequence to host memory, but for what others hold too.
func (l *loop) putAway(seq int) {
	l.save(seq, l.cache.Shared(seq))
	l.free(seq)
}

// nextCopies fires when nothing has run for a while and kept sequences are to be copied.
func (l *loop) nextCopies() (<-chan time.Time, func()) {
	if l.copied || l.options.GPU || !l.movable() || len(l.running)+len(l.queue) > 0 {
		return nil, func() {}
	}
	t := time.NewTimer(restBeforeCopies)
	return t.C, func() { t.Stop() }
}

// copyKept copies kept sequences to host memory, and leaves them in the cache: moveOut has nothing
// to copy then.
func (l *loop) copyKept() {
	// whether or not it succeeds: what is missing is copied when it has to make way
	l.copied = true
	for id := range l.backend.Sequences() {
		if !l.cache.IsKept(id) {
			continue
		}
		tokens := l.cache.Tokens(id)
		if len(tokens)-l.store.Covered(l.cache.Key(id), tokens, 0) <= mostAtRest {
			l.save(id, 0)
		}
	}
}

// save copies the tokens of a sequence that host memory does not hold, but for the first have.
func (l *loop) save(seq, have int) {
	for l.savePiece(seq, have) {
	}
}

// savePiece copies the first piece of them. Where memory cannot be cut that is all of them. It is
// false if there is none, or no room for it behind what comes before it.
func (l *loop) savePiece(seq, have int) bool {
	if !l.copies() {
		return false
	}
	c := &schedule.Copy{Key: l.cache.Key(seq), Tokens: l.cache.Tokens(seq), Whole: !l.rewindable()}
	c.Written = l.disk == nil || leavesNothing(c.Key)
	if !c.Whole {
		c.Start = l.store.Covered(c.Key, c.Tokens, have)
	} else if l.store.Twin(c) != nil {
		return false
	}
	rest := len(c.Tokens) - c.Start
	if rest < worthMoving {
		return false
	}
	if !c.Whole {
		// as long as each other: none is too short to be worth it
		pieces := (rest + mostCopied - 1) / mostCopied
		c.Tokens = c.Tokens[:c.Start+(rest+pieces-1)/pieces]
	}
	begin := time.Now()
	data, err := l.backend.Save(seq, c.Start, len(c.Tokens))
	l.spend(begin)
	if err != nil {
		slog.Warn("copy a sequence to host memory", "error", err, "tokens", len(c.Tokens)-c.Start)
		return false
	}
	c.Data = data
	l.store.Add(c)
	l.writeAhead()
	return l.store.Holds(c)
}

// bringBack appends to a turn's sequence what host memory holds of its tokens. While a stream
// waits, the steps do it (goOnBringing). Memory that cannot be cut comes back whole.
func (l *loop) bringBack(t *turn) {
	key, tokens := t.request.CacheKey, t.tokens[:len(t.tokens)-1]
	t.returning = l.copies() && l.store.Use(key, tokens, t.done)-t.done >= worthMoving
	for t.returning && !(l.rewindable() && l.watched()) {
		l.bringPiece(t)
	}
	l.countLost(t)
}

// goOnBringing brings a piece back for the oldest of the turns that want some; or all, if no
// stream waits for it. One that has all of its own may find that another evaluates what comes
// next.
func (l *loop) goOnBringing() {
	for _, t := range l.running {
		for t.returning && t.state == prompting {
			brought := l.bringPiece(t)
			if t.lost == 0 {
				l.countCached(t)
			}
			if !t.returning {
				l.countLost(t)
				l.follow(t)
			}
			if brought && l.watched() {
				return
			}
		}
	}
}

// countLost counts what a turn that has lost its cells has to evaluate again.
func (l *loop) countLost(t *turn) {
	if !t.returning {
		l.counts.Repeated += int64(max(0, t.lost-t.done))
		t.lost = 0
	}
}

// bringPiece appends the next copy to a turn's sequence, if there is one and room for it, and
// tells whether it did.
func (l *loop) bringPiece(t *turn) bool {
	// the last one is evaluated in any case
	key, tokens := t.request.CacheKey, t.tokens[:len(t.tokens)-1]
	for {
		c, n := l.store.Find(key, tokens, t.done)
		if t.returning = c != nil && l.makeRoom(len(c.Tokens)-c.Start); !t.returning {
			return false
		}
		if !l.store.Holds(c) {
			continue // it made way for what was moved to make room for it
		}
		if c.Whole {
			l.cutTo(t, 0)
		}
		saved := Saved{Data: c.Data, First: c.Start, Last: len(c.Tokens), From: t.done, To: n}
		begin := time.Now()
		err := l.backend.Restore(t.seq, saved)
		l.spend(begin)
		if err != nil {
			slog.Warn("a copy of a sequence is of no use and forgotten", "error", err, "tokens", n-t.done)
			l.cutTo(t, t.done)
			l.forgetCopy(c)
			t.returning = false
			return false
		}
		l.cache.Extend(t.seq, tokens[t.done:n]...)
		t.done = n
		t.returning = l.store.Covered(key, tokens, n) > n
		return true
	}
}

// spend takes note of the time that a copy took: a stream waits for it as for the step.
func (l *loop) spend(begin time.Time) {
	if l.options.took == nil {
		l.moved += time.Since(begin)
	}
}

// cutTo shortens a turn's sequence, also where the memory holds more of it than the cache knows.
func (l *loop) cutTo(t *turn, n int) {
	if !l.backend.Cut(t.seq, n) {
		n = 0
		l.backend.Cut(t.seq, n)
	}
	l.cache.Cut(t.seq, n)
	t.done = n
}
