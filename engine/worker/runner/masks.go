package runner

import (
	"iter"
	"slices"
	"time"

	"tenon/engine/worker/draft"
	"tenon/grammar"
)

// This file computes the masks of the tokens to be chosen next, while the model evaluates the
// tokens before them. A mask takes microseconds, as a rule; where it takes longer than the model,
// its turn sits out until it is whole, and the others run on.

// masking is the masks of a turn in the making.
type masking struct {
	turn *turn
	next func() (struct{}, bool)
}

// step goes on by a bounded amount of work, and tells whether the masks are whole.
func (m masking) step() bool {
	start := time.Now()
	_, more := m.next()
	m.turn.timing.Mask += time.Since(start)
	return !more
}

// maskSteps is how many steps each masking may make after the model is done, and others wait.
const maskSteps = 4

// computeMasks goes on with masks, in turns, until they are whole; but while busy is false each
// makes only a few steps. It returns those that are not whole.
func computeMasks(list []masking, busy func() bool) []masking {
	for left := maskSteps; len(list) > 0 && (left > 0 || busy()); left-- {
		list = slices.DeleteFunc(list, masking.step)
	}
	return list
}

// inSteps makes a turn's masks with f, which calls pause between its steps. It must be gone on
// with to the end: what f learns is for others too.
func inSteps(t *turn, f func(pause func())) masking {
	next, _ := iter.Pull(func(yield func(struct{}) bool) {
		f(func() { yield(struct{}{}) })
	})
	return masking{t, next}
}

// beginMasks begins the masks that works want. One of a turn that lost its cells meanwhile may be
// there, or in the making.
func (l *loop) beginMasks(works []work) {
	for _, w := range works {
		if t := w.turn; w.wantsMask() && t.mask == nil && !t.masking {
			t.masking = true
			l.masking = append(l.masking, inSteps(t, w.computeMasks))
		}
	}
}

// computeMasks computes the mask of a turn's next token, and those of what follows each token of
// its draft.
func (w work) computeMasks(pause func()) {
	t, m := w.turn, w.turn.matcher
	mask := m.MaskInSteps(pause)
	t.mask, t.masking = &mask, false
	if !w.drafts() {
		return
	}
	m = m.Clone()
	for _, id := range w.trial.tokens {
		if m.Accept(id) != nil {
			break // it cannot be: the draft was walked before
		}
		mask := m.MaskInSteps(pause)
		w.trial.masks = append(w.trial.masks, &mask)
	}
}

// wanted lists the tokens of which the step's logits are wanted, as far as its masks are there. It
// is false where one of them may be almost any, or somebody asked how likely all are.
func wanted(works []work) (lists [][]int32, ok bool) {
	for _, w := range works {
		if w.entry < 0 {
			continue
		}
		if w.turn.mask == nil || w.turn.request.Logprobs >= 0 {
			return nil, false
		}
		masks := []*grammar.Mask{w.turn.mask}
		if w.drafts() {
			masks = append(masks, w.trial.masks...)
		}
		for _, m := range masks {
			if m.Kind() != grammar.Sparse {
				return nil, false
			}
			lists = append(lists, m.IDs())
		}
	}
	return lists, true
}

// await has a turn wait for its mask. The logits are not there after the next step.
func (l *loop) await(t *turn, logits []float32) {
	t.state, t.logits, t.latest = masked, slices.Clone(logits), draft.Guess{}
	l.dropAhead(t)
}

// chooseAwaited chooses the tokens of the turns that waited for their masks and have them.
func (l *loop) chooseAwaited() {
	for _, t := range slices.Clone(l.running) {
		if t.state == masked && t.mask != nil {
			logits := t.logits
			t.state, t.logits = streaming, nil
			l.choose(t, logits)
		}
	}
}
