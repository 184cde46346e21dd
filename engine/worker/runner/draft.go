package runner

import (
	"slices"

	"tenon/engine/worker/draft"
	"tenon/grammar"
)

// This file has streams go on by several tokens in a step. What a turn may say next is guessed
// from its own text and from what was said under its key (package draft), or by a smaller model
// (drafter.go), as far as the grammar allows it. The guess is evaluated in one step with the
// turn's last token. The sampler chooses each token all the same: only where it chooses what was
// guessed are the logits behind it those of the turn. So a draft changes neither what is said, but
// for the rounding of a longer step, nor how likely it is. Seeds, penalties, budgets and log
// probabilities stay what they are.
//
// What was guessed wrong is cut from the memory. Where that cannot be, there are no drafts.

// mostDrafted is how many tokens a step with drafts may have. The logits of each take the room of
// the vocabulary.
const mostDrafted = 16

// trial is a turn's guess in a step, and how much of it is tried.
type trial struct {
	guess draft.Guess // the text's
	// the draft model's; it is tried in the guess's place, if there is one
	said   draft.Guess
	worth  float64         // what a token of it saves, in steps of one token
	begin  int             // how many tokens the turn has
	tokens []int32         // to try
	entry  int             // of the first, in the batch
	masks  []*grammar.Mask // of what follows each; nil without a grammar
}

func (d *trial) tried() draft.Guess {
	if d.said.OfModel() {
		return d.said
	}
	return d.guess
}

// guesser is what a turn guesses from.
type guesser struct {
	text       *draft.Text // its own tokens
	latest     draft.Guess // as far as it came true
	from       *draft.Text // the text of that
	acceptance draft.Acceptance
}

// addDrafts adds drafts to a step that only brings streams on.
func (l *loop) addDrafts(works []work, batch []Entry) []Entry {
	crowded := l.crowded
	l.crowded = false
	if l.options.NoDrafts || !l.rewindable() || slices.ContainsFunc(works, work.prompts) {
		return batch
	}
	chances := make([][]float64, len(works))
	for i, w := range works {
		if w.entry >= 0 {
			works[i].trial = l.guess(w.turn)
			chances[i] = w.turn.acceptance.Of(works[i].trial.guess)
		}
	}
	free := l.backend.Cells() - l.cache.Cells()
	if crowded || free <= len(batch) {
		return batch // nothing is evicted for a guess
	}
	most := min(mostDrafted, free, l.options.BatchSize)
	l.propose(works, len(batch), chances, most)
	without := len(batch)
	for i, n := range draft.Lengths(len(works), len(batch), chances, &l.cost, most) {
		if n == 0 {
			continue
		}
		t, d := works[i].turn, works[i].trial
		d.tokens, d.entry = l.allowed(t, d.tried().Tokens, n), len(batch)
		for k, id := range d.tokens {
			batch = append(batch, Entry{Token: id, Position: d.begin + k, Sequence: t.seq, Logits: true})
		}
		if !d.said.OfModel() {
			without += len(d.tokens)
		}
	}
	if l.drafter != nil {
		l.drafter.Owe(l.cost.Of(len(batch)) - l.cost.Of(without))
	}
	return batch
}

// guess takes the longer of two guesses: from the turn's own text, and from what others have said.
func (l *loop) guess(t *turn) *trial {
	if t.text == nil {
		t.text, t.acceptance = draft.NewText(len(t.tokens)+min(t.limit, saidTokens)), l.acceptance.Begin()
	}
	t.text.Add(t.tokens[t.text.Len():]...)
	most := t.mostDrafted()
	best, from := draft.Guess{}, t.from
	for _, text := range []*draft.Text{t.text, l.said[t.request.CacheKey]} {
		if text == nil || most <= 0 {
			continue
		}
		hint := draft.Guess{}
		if text == t.from {
			hint = t.latest
		}
		if g := text.Continue(t.tokens, hint, most); g.Run > best.Run {
			best, from = g, text
		}
	}
	t.from = from
	return &trial{guess: best, begin: len(t.tokens)}
}

// mostDrafted is how long a guess may be.
func (t *turn) mostDrafted() int { return min(mostDrafted-1, t.limit-t.generated()-1) }

// allowed is what the grammar lets a turn say of a guess, at most so many tokens. What the grammar
// forces in between is cut into tokens as advance will do it.
func (l *loop) allowed(t *turn, guess []int32, most int) []int32 {
	v := l.backend.Vocab()
	if end := slices.IndexFunc(guess, v.IsEOG); end >= 0 {
		guess = guess[:end]
	}
	if t.matcher == nil {
		return guess[:min(len(guess), most)]
	}
	var out []int32
	m := t.matcher.Clone()
	for len(guess) > 0 && len(out) < most && m.Accept(guess[0]) == nil {
		out, guess = append(out, guess[0]), guess[1:]
		if m.AtCheck() {
			break
		}
		forced := m.ForcedTokens(l.plainTokens)
		if accept(m, forced) != nil || !slices.Equal(forced, guess[:min(len(forced), len(guess))]) {
			out = append(out, forced...)
			break
		}
		out, guess = append(out, forced...), guess[len(forced):]
	}
	return out[:min(len(out), most)]
}

// verify goes on choosing while what is chosen is what was guessed, as far as there are masks.
func (l *loop) verify(t *turn, d *trial) {
	if t.matcher != nil {
		d.tokens = d.tokens[:len(d.masks)]
	}
	right := 0
	for t.state == streaming {
		n := common(t.tokens[t.done:], d.tokens[right:])
		l.cache.Extend(t.seq, d.tokens[right:right+n]...)
		right, t.done = right+n, t.done+n
		l.counts.Accepted += int64(n)
		t.usage.Accepted += n
		if t.done < len(t.tokens) {
			break
		}
		if t.matcher != nil {
			t.mask = d.masks[right-1]
		}
		l.choose(t, l.backend.Logits(d.entry+right-1))
	}
	l.dropAhead(t)
}

// learn takes note of what came of a turn's guesses, whether or not they were tried.
func (l *loop) learn(t *turn, d *trial) {
	said := t.tokens[d.begin:]
	for _, g := range []draft.Guess{d.said, d.guess} {
		right := common(said, g.Tokens)
		failed := right < len(said) && right < len(g.Tokens)
		for _, c := range []*draft.Acceptance{&t.acceptance, &l.acceptance} {
			c.Note(g, right, failed)
		}
		switch {
		case g.OfModel():
			l.drafter.Note(g, right, failed)
			l.drafter.Owe(-d.worth * float64(g.Chosen(min(right, len(d.tokens)))))
		case failed:
			t.latest = draft.Guess{}
		default:
			t.latest = g.After(len(said))
		}
	}
}

// dropAhead cuts from the memory what was evaluated and is not what the turn says.
func (l *loop) dropAhead(t *turn) {
	if t.ahead {
		// no step has drafts where that could fail
		l.backend.Cut(t.seq, l.cache.Len(t.seq))
		t.ahead = false
	}
}

// Bounds on what is remembered of outputs.
const (
	saidTokens = 16384 // under a key
	saidKeys   = 64
)

// remember keeps what a turn has said, for others under its key to guess from.
func (l *loop) remember(t *turn) {
	if l.options.NoDrafts || !l.rewindable() || t.request.Forget || t.generated() == 0 {
		return
	}
	key := t.request.CacheKey
	text := l.said[key]
	if text == nil || text.Len()+t.generated() > saidTokens {
		text = draft.NewText(saidTokens)
		l.said[key] = text
	}
	l.speakers = append(slices.DeleteFunc(l.speakers, func(k string) bool { return k == key }), key)
	if len(l.speakers) > saidKeys {
		delete(l.said, l.speakers[0])
		l.speakers = l.speakers[1:]
	}
	text.Add(t.output()[:min(t.generated(), saidTokens)]...)
}

// common is how many tokens two lists begin with alike.
func common(a, b []int32) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
