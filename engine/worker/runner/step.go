package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

// work is one turn's part of a step.
type work struct {
	turn  *turn
	count int    // tokens
	entry int    // index in the batch of the turn's last token, if it is in it; else -1
	trial *trial // what it may say next; nil if nothing is guessed
}

func (w work) prompts() bool { return w.turn.state == prompting }
func (w work) drafts() bool  { return w.trial != nil && len(w.trial.tokens) > 0 }

// wantsMask: a token will be chosen under a grammar.
func (w work) wantsMask() bool { return w.entry >= 0 && w.turn.matcher != nil }

// step is one call of the model, if there is anything to call it for.
func (l *loop) step() {
	l.goOnBringing()
	if !slices.ContainsFunc(l.running, (*turn).evaluates) {
		l.pressed = false
		l.masking = computeMasks(l.masking, func() bool { return false })
		l.chooseAwaited()
		return
	}
	// for the turns that have ended by now; one that waited for a slot may have gone on from
	// them
	l.makeWay()
	works, batch := l.plan()
	l.moved = 0
	if !l.makeRoom(len(batch)) {
		if !l.preempt() {
			l.fail(l.running[0], fmt.Errorf("evaluate %d tokens: %w", len(batch), ErrNoRoom))
		}
		return
	}
	start := time.Now()
	if err := l.decode(works, batch); err != nil {
		l.recover(works, err)
		return
	}
	took := time.Since(start)
	l.pressed = false
	if l.options.took != nil {
		took = l.options.took(batch)
	}
	l.measure(works, len(batch), took)
	for _, w := range works {
		l.evaluated(w)
	}
	l.chooseAwaited()
}

// plan shares the next call of the model out.
func (l *loop) plan() ([]work, []Entry) {
	var turns []*turn
	var slots []schedule.Slot
	for _, t := range l.running {
		if t.evaluates() {
			turns = append(turns, t)
			slots = append(slots, schedule.Slot{Pending: t.pending(), Stream: t.state == streaming, Each: l.pace.At(t.done)})
		}
	}
	l.limits = schedule.Limits{Batch: l.options.BatchSize, Chunk: l.options.UBatchSize, Time: l.promptTime()}
	var works []work
	var batch []Entry
	for i, n := range schedule.Share(slots, l.limits) {
		if n == 0 {
			continue
		}
		t := turns[i]
		w := work{turn: t, count: n, entry: -1}
		for pos := t.done; pos < t.done+n; pos++ {
			batch = append(batch, Entry{Token: t.tokens[pos], Position: pos, Sequence: t.seq})
		}
		if t.done+n == len(t.tokens) {
			w.entry = len(batch) - 1
			batch[w.entry].Logits = true
		}
		works = append(works, w)
	}
	return works, l.addDrafts(works, batch)
}

// alone is what streams take by themselves for so many tokens.
func (l *loop) alone(tokens int) time.Duration {
	return time.Duration(l.cost.Seconds(tokens) * float64(time.Second))
}

// watched: somebody waits for the next token of a stream, also of one that waits for its mask or a
// verdict. An answer that is wanted whole only gains by large pieces.
func (l *loop) watched() bool {
	return slices.ContainsFunc(l.running, func(t *turn) bool { return t.speaks() && !t.request.Whole && !t.mail.full() })
}

// promptTime is how long the next step may work on prompts: what copies leave of the longest pause
// of a stream; 0 is any time.
func (l *loop) promptTime() time.Duration {
	if !l.watched() {
		return 0
	}
	tokens := 0
	for _, t := range l.running {
		if t.state == streaming && t.runnable() {
			tokens += t.pending()
		}
	}
	return schedule.PromptTime(l.options.MaxPause-l.moved, l.alone(tokens))
}

// decode calls the model. Meanwhile the masks of the tokens to be chosen next are computed.
func (l *loop) decode(works []work, batch []Entry) error {
	l.beginMasks(works)
	l.backend.WantAll()
	var decoded atomic.Bool
	masks := make(chan []masking, 1)
	go func() {
		left := computeMasks(l.masking, func() bool { return !decoded.Load() })
		if few, ok := wanted(works); ok {
			l.backend.WantOnly(few...)
		}
		masks <- left
	}()
	ctx := context.Background()
	if len(works) == 1 {
		ctx = works[0].turn.ctx // nobody else's tokens are lost if the call is cut short
	}
	err := l.backend.Decode(ctx, batch)
	decoded.Store(true)
	l.masking = <-masks
	return err
}

// recover deals with a call of the model that evaluated nothing, or an unknown part.
func (l *loop) recover(works []work, err error) {
	if errors.Is(err, ErrNoRoom) {
		if l.crowded = slices.ContainsFunc(works, work.drafts); l.crowded {
			return
		}
		if !l.evict(l.options.BatchSize) && !l.preempt() {
			l.fail(l.running[0], err)
		}
		return
	}
	for _, w := range works {
		l.empty(w.turn)
		if w.turn.ctx.Err() != nil {
			l.end(w.turn, engine.Cancelled)
		} else {
			l.fail(w.turn, fmt.Errorf("evaluate tokens: %w", err))
		}
	}
}

func (l *loop) measure(works []work, tokens int, took time.Duration) {
	l.counts.Steps++
	l.counts.Evaluated += int64(tokens)
	prompts, depth := 0, 0
	for _, w := range works {
		if w.prompts() {
			prompts += w.count
			depth += w.count * w.turn.done
		}
	}
	if prompts == 0 {
		l.cost.Note(tokens, took.Seconds())
		l.drafter.pass(l.cost.Of(tokens))
	} else {
		l.pace.Note(prompts, depth/prompts, took-l.alone(tokens-prompts), l.limits)
	}
}

// evaluated takes note of what a step has done for a turn, and has its next token chosen.
func (l *loop) evaluated(w work) {
	t := w.turn
	l.cache.Extend(t.seq, t.tokens[t.done:t.done+w.count]...)
	t.done += w.count
	l.keepPlaces(t)
	if t.state == prompting && t.generated() == 0 {
		p := &engine.Progress{Total: t.prompt, Cached: t.usage.Cached, Evaluated: t.done - t.usage.Cached, Miss: t.miss}
		t.mail.put(func(m *mailbox) { m.progress = p })
	}
	if w.entry < 0 {
		return
	}
	t.state = streaming
	if t.first.IsZero() {
		t.first = time.Now()
	}
	if t.ahead = w.drafts(); t.ahead {
		l.counts.Drafted += int64(len(w.trial.tokens))
		t.usage.Drafted += len(w.trial.tokens)
	}
	if t.matcher != nil && t.mask == nil {
		l.await(t, l.backend.Logits(w.entry))
		return
	}
	l.choose(t, l.backend.Logits(w.entry))
	if w.drafts() {
		l.verify(t, w.trial)
	}
	if w.trial != nil {
		l.learn(t, w.trial)
	}
}
