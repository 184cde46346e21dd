package runner

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"tenon/engine/worker/draft"
	"tenon/grammar"
)

// This file has a draft model, a smaller one of the same vocabulary, say how turns may go on about
// which the text says little. It says the likeliest token that the grammar allows, for all turns
// in one batch, and then the next: package draft decides how many, and switches it off where it
// does not pay.
//
// It is shown the first token of a turn, which many models need, and those from shortly before the
// place where it was first asked: more helps little (what is farther back the text is searched
// for), and running streams would wait for it. What it has read of a turn is dropped with it.

const (
	// DraftRoom is how many tokens of each turn a draft model's memory should hold. When they
	// are full it begins anew, with the latest.
	DraftRoom   = 1024
	draftWindow = 256 // tokens that it is shown at first
	draftRead   = 64  // that it reads in a step, at most
)

// likely is how likely a guess from the text must be so that the draft model is not asked.
const likely = 0.6

// unlikely is how likely all that the draft model has said must be so that it says more.
const unlikely = 0.3

// mostTried is how many of the likeliest tokens the grammar is asked about.
const mostTried = 8

// drafter is the draft model, and what its memory holds.
type drafter struct {
	Evaluator
	draft.Model
	asked bool   // for this step
	views []view // of its sequences
}

// view is what the draft model knows of a turn: the first token, and what there is from start on.
type view struct {
	turn  *turn
	start int
	held  []int32
}

func newDrafter(o Options) *drafter {
	if o.Draft == nil || o.NoDrafts {
		return nil
	}
	return &drafter{Evaluator: o.Draft, views: make([]view, o.Draft.Sequences())}
}

// speech is what the draft model says in a turn.
type speech struct {
	turn     *turn
	matcher  *grammar.Matcher // ahead of the turn's; nil without a grammar
	sequence int
	unread   []int32
	entry    int // in the batch, of the last unread; -1: not all are read yet
	guess    draft.Guess
	chance   float64 // that all of it comes true
}

// propose has the draft model guess how turns go on, and puts in chances how likely that is.
func (l *loop) propose(works []work, tokens int, chances [][]float64, most int) {
	d := l.drafter
	if d == nil {
		return
	}
	var waiting []int
	for i, w := range works {
		if w.trial != nil && w.turn.mostDrafted() > 0 && (len(chances[i]) == 0 || chances[i][0] < likely) {
			waiting = append(waiting, i)
		}
	}
	rounds := d.Rounds(len(works), tokens, chances, waiting, &l.cost, most)
	if d.asked = rounds > 0; !d.asked {
		return
	}
	speeches := make([]*speech, len(waiting))
	for n, i := range waiting {
		speeches[n] = l.speechOf(works[i].turn)
	}
	for left := slices.Clone(speeches); rounds > 0 && len(left) > 0; rounds-- {
		if err := l.read(left); err != nil {
			slog.Warn("the draft model fails; it is not asked again", "error", err)
			l.drafter = nil
			return
		}
		left = slices.DeleteFunc(left, func(s *speech) bool { return !l.say(s) })
	}
	for n, i := range waiting {
		w, said := works[i], speeches[n].guess
		likely := w.turn.acceptance.Of(said)
		switch {
		case sum(likely) > sum(chances[i]):
			w.trial.said, w.trial.worth, chances[i] = said, l.cost.Of(len(works))/float64(len(works)), likely
		case len(said.Tokens) == 0 && speeches[n].entry >= 0:
			d.Note(said, 0, true)
		}
	}
}

func sum(all []float64) (s float64) {
	for _, v := range all {
		s += v
	}
	return s
}

// speechOf begins to speak in a turn: it looks what the draft model has not read of it, and has it
// forget what the turn does not say after all.
func (l *loop) speechOf(t *turn) *speech {
	d := l.drafter
	i := slices.IndexFunc(d.views, func(v view) bool { return v.turn == t })
	if i < 0 { // there are as many as slots
		i = slices.IndexFunc(d.views, func(v view) bool { return !slices.Contains(l.running, v.turn) })
	}
	v, room := &d.views[i], d.Cells()/len(d.views)-mostDrafted
	if v.turn != t || v.start >= len(t.tokens) || 1+len(t.tokens)-v.start > room {
		v.turn, v.start = t, max(1, len(t.tokens)-min(draftWindow, room/2))
	}
	seen := append([]int32{t.tokens[0]}, t.tokens[v.start:]...)
	n := min(common(v.held, seen), len(seen)-1)
	d.Cut(i, n)
	v.held = v.held[:n]
	s := &speech{turn: t, sequence: i, unread: seen[n:], chance: 1}
	if t.matcher != nil {
		s.matcher = t.matcher.Clone()
	}
	return s
}

// read has the draft model evaluate what it has not read of all speeches, or a part.
func (l *loop) read(all []*speech) error {
	d, start := l.drafter, time.Now()
	var batch []Entry
	for _, s := range all {
		v := &d.views[s.sequence]
		read := s.unread[:min(len(s.unread), draftRead-len(batch))]
		for _, id := range read {
			batch = append(batch, Entry{Token: id, Position: len(v.held), Sequence: s.sequence})
			v.held = append(v.held, id)
		}
		if s.entry, s.unread = -1, s.unread[len(read):]; len(s.unread) == 0 {
			s.entry = len(batch) - 1
			batch[s.entry].Logits = true
		}
	}
	if err := d.Decode(context.Background(), batch); err != nil {
		return err
	}
	took := time.Since(start)
	if l.options.tookDraft != nil {
		took = l.options.tookDraft(len(batch))
	}
	d.Took(len(batch), took.Seconds(), &l.cost)
	return nil
}

// say goes on with a speech by the likeliest token that is allowed, and what the grammar forces
// behind it. It is false if the speech ends there, or the turn is not read to its end.
func (l *loop) say(s *speech) bool {
	if s.entry < 0 {
		return false
	}
	id, p, ok := l.likeliest(s)
	if !ok {
		return false
	}
	before := len(s.guess.Tokens)
	s.guess.Say(id, p)
	goes := s.matcher == nil || !s.matcher.AtCheck()
	if s.matcher != nil && goes {
		forced := s.matcher.ForcedTokens(l.plainTokens)
		goes = accept(s.matcher, forced) == nil
		s.guess.Force(forced...)
	}
	s.unread = s.guess.Tokens[before:]
	chances := s.turn.acceptance.Of(s.guess)
	return goes && chances[len(chances)-1] > unlikely && len(chances) < s.turn.mostDrafted()
}

// likeliest is what the draft model would say next, and how likely that is among what is allowed.
func (l *loop) likeliest(s *speech) (id int32, p float64, ok bool) {
	_, best := l.drafter.Logprobs(l.drafter.Logits(s.entry), 0, mostTried)
	rest := 1.0 // of the probability, for what is allowed
	for _, b := range best {
		p := math.Exp(float64(b.Value))
		if s.matcher == nil || s.matcher.Accept(b.ID) == nil {
			return b.ID, min(p/rest, 1), !l.backend.Vocab().IsEOG(b.ID)
		}
		rest = max(rest-p, p)
	}
	return 0, 0, false
}

// pass tells of a step of the model's own. A step in which nothing was asked is one that repays.
func (d *drafter) pass(cost float64) {
	if d != nil {
		d.Pass(cost, d.asked)
		d.asked = false
	}
}

// leave has the draft model forget a turn.
func (d *drafter) leave(t *turn) {
	if d == nil {
		return
	}
	if i := slices.IndexFunc(d.views, func(v view) bool { return v.turn == t }); i >= 0 {
		d.Cut(i, 0)
		d.views[i] = view{}
	}
}
