package runner

import (
	"strings"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

// Callers share the slots and the queue. Of those that wait, the one with the fewest turns in
// slots goes first. While the queue is full, a caller who has less in it than another takes the
// place of the other's latest turn. So nobody can keep others out, however much he sends, and who
// is alone has everything.

// caller is whose turn it is. What is to leave nothing behind has a key of its own, behind a NUL.
func (t *turn) caller() string {
	key, _, _ := strings.Cut(t.request.CacheKey, "\x00")
	return key
}

// next is the place in the queue of the turn to be admitted next; there is one. What had a slot
// before and lost its cells comes first.
func (l *loop) next() int {
	if !l.queue[0].slotted.IsZero() {
		return 0
	}
	running := count(l.running)
	best := 0
	for i, t := range l.queue {
		if running[t.caller()] < running[l.queue[best].caller()] {
			best = i
		}
	}
	return best
}

// takePlace refuses the latest turn of the caller who has most in the queue, if a new turn's own
// caller has less.
func (l *loop) takePlace(newcomer *turn) bool {
	waiting := count(l.queue)
	var victim *turn
	for _, t := range l.queue {
		if n := waiting[t.caller()]; t.slotted.IsZero() && n > waiting[newcomer.caller()]+1 && (victim == nil || n >= waiting[victim.caller()]) {
			victim = t
		}
	}
	if victim == nil {
		return false
	}
	l.fail(victim, l.busy())
	return true
}

func (l *loop) busy() error {
	return &engine.BusyError{RetryAfter: schedule.RetryAfter(l.options.Slots, l.perTurn)}
}

func count(turns []*turn) map[string]int {
	n := map[string]int{}
	for _, t := range turns {
		n[t.caller()]++
	}
	return n
}
