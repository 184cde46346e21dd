package runner

import (
	"fmt"
	"slices"
	"time"

	"tenon/engine"
	"tenon/engine/worker/disk"
	"tenon/engine/worker/draft"
	"tenon/engine/worker/schedule"
)

// loop owns the turns, the model and its memory.
type loop struct {
	*Runner
	queue   []*turn // oldest first
	running []*turn // in slots; oldest first
	cache   *schedule.Cache
	store   *schedule.Store
	disk    *schedule.Store // of what is on disk; nil: nothing is
	counts  engine.Stats
	closed  bool
	folder  *disk.Folder // where that is
	writing bool         // a copy is being written there
	reading int          // turns for which copies are read there
	// what is kept has been copied to host memory, as far as that is done at rest
	copied  bool
	pressed bool // a turn has made way, and no step was made since

	said map[string]*draft.Text // what was said, by key
	// the keys, that which spoke longest ago first; some may be forgotten
	speakers   []string
	acceptance draft.Acceptance
	cost       draft.Cost
	crowded    bool     // the latest step with drafts found no cells for them
	drafter    *drafter // nil: none, or it has failed

	masking []masking // that are not whole

	pace    schedule.Pace   // of prompts
	limits  schedule.Limits // of the latest step
	moved   time.Duration   // what copies have taken since the latest step was planned
	perTurn time.Duration   // in a slot, measured
}

func newLoop(r *Runner) *loop {
	l := &loop{Runner: r, cache: schedule.NewCache(r.backend.Sequences()), store: schedule.NewStore(r.options.HostMemory), said: map[string]*draft.Text{}, drafter: newDrafter(r.options)}
	l.openDisk()
	return l
}

func (l *loop) run() {
	defer close(l.done)
	for {
		l.listen()
		if l.closed {
			l.endAll()
			l.keepOnDisk()
			l.store.Close()
			return
		}
		l.settle()
		l.step()
		l.settle()
		l.publish()
	}
}

// settle gives to those who wait what has become free. It is also called after each step: nobody
// calls the loop when a step frees something, and it would wait for a call.
func (l *loop) settle() {
	l.expire(time.Now())
	l.admit()
	l.unfollow()
}

// listen makes the calls that others have posted, waiting for one if there is nothing else to do.
func (l *loop) listen() {
	if len(l.masking) == 0 && !l.pressed && !slices.ContainsFunc(l.running, (*turn).runnable) {
		timeout, stop := l.nextExpiry()
		defer stop()
		rest, stopRest := l.nextCopies()
		defer stopRest()
		select {
		case <-l.wake:
		case <-timeout:
		case <-rest:
			l.copyKept()
		}
	}
	for _, call := range l.take() {
		call(l)
	}
}

// nextExpiry fires when the oldest turn in the queue has waited long enough.
func (l *loop) nextExpiry() (<-chan time.Time, func()) {
	if len(l.queue) == 0 || l.options.QueueTimeout < 0 {
		return nil, func() {}
	}
	t := time.NewTimer(time.Until(l.queue[0].created.Add(l.options.QueueTimeout)))
	return t.C, func() { t.Stop() }
}

// expire refuses the turns that have waited too long for their first slot.
func (l *loop) expire(now time.Time) {
	for _, t := range slices.Clone(l.queue) {
		if wait := now.Sub(t.created); l.options.QueueTimeout >= 0 && wait >= l.options.QueueTimeout && t.slotted.IsZero() {
			l.fail(t, fmt.Errorf("%w (%s)", engine.ErrQueueTimeout, l.options.QueueTimeout))
		}
	}
}

// enqueue accepts a turn, or says that the queue is full.
func (l *loop) enqueue(t *turn) error {
	if l.closed {
		l.release(t)
		return engine.ErrClosed
	}
	if len(l.queue) >= l.options.Queue {
		l.admit() // several may have come at once
	}
	full := len(l.queue) >= l.options.Queue && !l.takePlace(t)
	l.queue = append(l.queue, t)
	if full && len(l.queue) > l.options.Queue {
		l.release(t)
		return l.busy()
	}
	return nil
}

// admit gives slots to the turns that are next in the queue. One that has made way waits until a
// step was made: it would take the cells again, and nobody would go on.
func (l *loop) admit() {
	for !l.pressed && len(l.queue) > 0 && len(l.running) < l.options.Slots {
		i := l.next()
		t := l.queue[i]
		if !schedule.Fits(l.waiting(t), l.room()) {
			return
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		l.running = append(l.running, t)
		slices.SortStableFunc(l.running, func(a, b *turn) int { return a.created.Compare(b.created) })
		l.begin(t)
	}
}

func (l *loop) waiting(t *turn) schedule.Waiting {
	w := schedule.Waiting{Tokens: len(t.tokens), Answer: t.limit - t.generated()}
	if from, n := l.match(t); n > 0 {
		w.Held = l.cache.Held(from, n)
	}
	return w
}

func (l *loop) room() schedule.Room {
	r := schedule.Room{
		Slots: l.options.Slots - len(l.running), Running: len(l.running),
		Cells: l.backend.Cells() - l.cache.Cells() + l.cache.Evictable(),
	}
	for _, t := range l.running {
		r.Owed += len(t.tokens) - max(t.done, t.until)
	}
	return r
}

// begin puts a turn that has just got a slot to work.
func (l *loop) begin(t *turn) {
	first := t.slotted.IsZero()
	if first {
		t.slotted = time.Now()
		t.timing.Queue = t.slotted.Sub(t.created)
		t.miss = l.miss(t)
	}
	start := func() {
		t.state = prompting
		l.place(t)
		if first {
			l.countCached(t)
		}
		l.follow(t)
	}
	if !l.fetch(t, start) {
		start()
	}
}

// follow has a turn wait for another that is evaluating the same prompt. A turn whose copies are
// being brought back does not wait for one that evaluates, but for one whose copies are brought
// back, too: so they are brought back once.
func (l *loop) follow(t *turn) {
	var others []*turn
	var prompts []schedule.Prompt
	for _, o := range l.running {
		if o.leads() && !o.follows(t) && (o.returning || !t.returning) {
			others = append(others, o)
			prompts = append(prompts, o.asPrompt())
		}
	}
	i, n := schedule.Follow(prompts, t.asPrompt())
	if i < 0 {
		return
	}
	t.state, t.leader, t.until = following, others[i], n
	if !l.rewindable() {
		t.leader.stopAt(n)
	}
}

func (t *turn) asPrompt() schedule.Prompt {
	return schedule.Prompt{Key: t.request.CacheKey, Tokens: t.tokens, Done: t.done}
}

// unfollow lets those go on whose leader has come far enough, or will not.
func (l *loop) unfollow() {
	for _, t := range l.running {
		if t.state != following || t.leader.leads() && t.leader.done < t.until {
			continue
		}
		t.state, t.leader, t.until = prompting, nil, 0
		if _, n := l.match(t); n > t.done {
			l.empty(t)
			l.place(t)
			l.countCached(t)
		}
		l.follow(t)
	}
}

// leads tells whether a turn is on its way through its prompt.
func (t *turn) leads() bool { return t.state == following || t.state == prompting && t.runnable() }

// follows tells whether a turn is o, or waits for it, or for one that does.
func (t *turn) follows(o *turn) bool {
	for ; t != nil; t = t.leader {
		if t == o {
			return true
		}
	}
	return false
}

// countCached counts what a turn need not evaluate of its prompt. What it has evaluated itself and
// finds again after it lost its slot does not count.
func (l *loop) countCached(t *turn) {
	if found := min(t.done, t.prompt); t.generated() == 0 && found > t.usage.Cached {
		l.counts.Cached += int64(found - t.usage.Cached)
		t.usage.Cached = found
	}
}

// end ends a turn, whatever its state.
func (l *loop) end(t *turn, why engine.Reason) {
	if t.state == ended {
		return
	}
	l.finishTiming(t)
	t.usage.Generated = t.generated()
	f := &engine.Finish{Reason: why, Usage: t.usage, Timing: t.timing}
	t.mail.put(func(m *mailbox) { m.finish = f })
	l.release(t)
}

func (l *loop) fail(t *turn, err error) {
	if t.state == ended {
		return
	}
	t.mail.put(func(m *mailbox) { m.err = err })
	l.release(t)
}

func (l *loop) finishTiming(t *turn) {
	now := time.Now()
	switch {
	case t.slotted.IsZero():
		t.timing.Queue = now.Sub(t.created)
	case t.first.IsZero():
		t.timing.Prompt = now.Sub(t.slotted)
	default:
		t.timing.Prompt, t.timing.Decode = t.first.Sub(t.slotted), now.Sub(t.first)
		l.perTurn = average(l.perTurn, now.Sub(t.slotted))
	}
}

// average moves an eighth of the way from old to latest.
func average(old, latest time.Duration) time.Duration {
	if old == 0 {
		return latest
	}
	return old + (latest-old)/8
}

// release takes a turn out of the loop. What it evaluated is kept for later ones, unless it shall
// be forgotten.
func (l *loop) release(t *turn) {
	t.state, t.leader = ended, nil
	same := func(o *turn) bool { return o == t }
	l.queue = slices.DeleteFunc(l.queue, same)
	l.running = slices.DeleteFunc(l.running, same)
	l.keep(t)
	l.drafter.leave(t)
	l.remember(t)
	if t.request.Forget {
		l.forgetKey(t.request.CacheKey)
	}
	t.sampler.Close()
	t.cancel()
}

func (l *loop) endAll() {
	for _, t := range slices.Concat(l.running, l.queue) {
		l.fail(t, engine.ErrClosed)
	}
	for len(l.masking) > 0 { // each is a goroutine
		l.masking = computeMasks(l.masking, func() bool { return true })
	}
}

func (l *loop) publish() {
	s := l.counts
	s.Running, s.Waiting, s.Cells, s.Kept = len(l.running), len(l.queue), l.cache.Cells(), l.cache.Kept()
	s.Capacity, s.Evictable = l.backend.Cells(), l.cache.Evictable()
	l.stats.Store(&s)
}
