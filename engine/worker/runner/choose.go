package runner

import (
	"context"
	"errors"
	"fmt"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// choose takes a turn's next token from the logits of its last one.
func (l *loop) choose(t *turn, logits []float32) {
	mask := t.mask
	t.mask = nil
	if t.concluded() {
		l.end(t, t.natural())
		return
	}
	if t.thinksTooLong() || t.concluding && t.matcher != nil {
		nearest := t.matcher.MaskWithin(1)
		mask = &nearest
	}
	id, kind, err := t.pick(logits, mask)
	if err == nil && mask != nil && !t.fits(id, l.backend.Vocab()) {
		within := t.fitting(logits, mask, l.backend.Vocab())
		id, kind, err = t.pick(logits, &within)
		t.tight = min(t.tight, t.generated())
	}
	if err != nil {
		l.fail(t, fmt.Errorf("choose a token: %w", err))
		return
	}
	token := l.token(t, id, kind)
	if n := t.request.Logprobs; n >= 0 {
		l.addLogprobs(&token, logits, n)
	}
	if l.append(t, token) {
		l.advance(t)
	}
}

// thinksTooLong tells whether thinking has used its budget up: from then on only what ends it
// soonest is allowed.
func (t *turn) thinksTooLong() bool {
	return t.thinking != nil && t.thinking.inside >= t.request.Budget.Thinking && t.thinking.isOpen(thinkingCapture)
}

var errNothingAllowed = errors.New("the output grammar allows no token that the model has")

// pick samples among the tokens of mask, all if it is nil. Where there is only one it is not
// sampled.
func (t *turn) pick(logits []float32, mask *grammar.Mask) (int32, engine.Kind, error) {
	if mask != nil && mask.Len() == 0 {
		return 0, 0, errNothingAllowed
	}
	if mask != nil && mask.Len() == 1 && mask.Kind() == grammar.Sparse {
		return mask.IDs()[0], engine.Forced, nil
	}
	id, err := t.sampler.Sample(logits, mask)
	return id, engine.Sampled, err
}

// token is a token as the reader gets it. Under a grammar a token that text can spell is a symbol
// only where the grammar names it.
func (l *loop) token(t *turn, id int32, kind engine.Kind) engine.Token {
	v := l.backend.Vocab()
	symbol := v.Kind(id) == vocab.Control || v.IsEOG(id)
	if l.symbols[id] && !symbol {
		symbol = t.matcher == nil || t.matcher.Clone().AcceptSymbol(string(v.Piece(id))) == nil
	}
	if symbol {
		kind = engine.Symbol
	}
	return engine.Token{ID: id, Kind: kind, Bytes: v.Piece(id)}
}

func (l *loop) addLogprobs(token *engine.Token, logits []float32, n int) {
	own, top := l.backend.Logprobs(logits, token.ID, n)
	token.Logprob = finite(own)
	for _, p := range top {
		token.Top = append(token.Top, engine.Logprob{ID: p.ID, Bytes: l.backend.Vocab().Piece(p.ID), Logprob: finite(p.Value)})
	}
}

// impossible stands for the logarithm of 0, as in OpenAI's API: JSON has no infinity.
const impossible = -9999

func finite(logprob float32) float32 {
	if logprob > impossible { // not so for NaN
		return logprob
	}
	return impossible
}

// append adds a token to a turn's output. It is false if the turn does not go on: it has ended, or
// waits for a verdict.
func (l *loop) append(t *turn, token engine.Token) bool {
	t.tokens = append(t.tokens, token.ID)
	t.kinds = append(t.kinds, token.Kind)
	t.sampler.Accept(token.ID)
	l.counts.Generated++
	ends := l.backend.Vocab().IsEOG(token.ID)
	checked := false
	if t.matcher != nil && !ends {
		checked = t.checks && passes(t.matcher.Clone(), l.backend.Vocab().Piece(token.ID))
		if err := t.matcher.Accept(token.ID); err != nil {
			l.fail(t, fmt.Errorf("follow the output grammar: %w", err))
			return false
		}
		if t.thinking != nil {
			t.thinking.token(token.ID, token.Kind)
		}
	}
	var check *engine.Check
	if checked || t.matcher != nil && !ends && t.matcher.AtCheck() {
		check = l.park(t)
	}
	t.mail.put(func(m *mailbox) { m.tokens, m.check = append(m.tokens, token), check })
	if ends {
		l.end(t, t.natural())
	}
	return !ends && check == nil
}

// passes tells whether a token goes past a %check mark: what it says behind the mark is then
// judged along with the rest.
func passes(m *grammar.Matcher, text []byte) bool {
	for i := range max(len(text)-1, 0) {
		if m.AcceptBytes(text[i:i+1]) != nil {
			return false // it is a symbol, and ends where it began
		}
		if m.AtCheck() {
			return true
		}
	}
	return false
}

// natural is the reason of an end that the model or the grammar chose, unless only the budget led
// there.
func (t *turn) natural() engine.Reason {
	if t.tight != neverTight {
		return engine.Length
	}
	return engine.Stop
}

// advance ends a turn whose budget is spent or whose grammar is at its end, and appends what the
// grammar forces: those tokens are evaluated together with the one before them.
func (l *loop) advance(t *turn) {
	// the logits of a token that is not waited for cannot be told
	if t.matcher != nil && t.request.Logprobs < 0 {
		for _, id := range t.matcher.ForcedTokens(l.plainTokens) {
			if t.generated() >= t.limit {
				break
			}
			if !l.append(t, l.token(t, id, engine.Forced)) {
				return
			}
		}
	}
	switch {
	case t.concluded(), t.matcher != nil && t.matcher.Ended():
		l.end(t, t.natural())
	case t.generated() >= t.limit:
		l.end(t, engine.Length)
	}
}

// plainTokens is the model's tokenizer for text that a grammar forces. Text that it cannot read is
// not jumped over.
func (l *loop) plainTokens(text []byte) []int32 {
	ids, err := l.tokenizer.Plain(context.Background(), string(text))
	if err != nil {
		return nil
	}
	return ids
}

// park has a turn wait for a verdict. Its cells stay.
func (l *loop) park(t *turn) *engine.Check {
	t.state = parked
	c := checkedIn(t.grammar, l.backend.Vocab(), t.output(), t.kinds)
	return &engine.Check{Capture: c.name, Offset: c.begin}
}

// decide lets a parked turn go on or takes its output back.
func (l *loop) decide(t *turn, v engine.Verdict, g *grammar.Grammar) error {
	if t.state != parked {
		return errNotParked
	}
	if v.Rewind {
		return l.rewind(t, v.Offset, g)
	}
	if g != nil {
		return errors.New("a verdict that lets the turn go on cannot change its grammar")
	}
	l.resume(t)
	l.advance(t)
	return nil
}

var errNotParked = errors.New("the turn does not wait for a verdict")

// rewind takes a parked turn's output back from offset on.
func (l *loop) rewind(t *turn, offset int, g *grammar.Grammar) error {
	if offset < 0 || offset > t.generated() {
		return fmt.Errorf("the turn can go back to tokens 0 to %d of its output, not to %d", t.generated(), offset)
	}
	removed := t.generated() - offset
	matcher := t.matcher
	if g == nil {
		g = t.grammar
		matcher.Rollback(removed)
	} else if matcher = g.Matcher(l.backend.Vocab()); accept(matcher, t.output()[:offset]) != nil {
		return errors.New("the verdict's grammar does not match what is kept of the output")
	}
	t.tokens, t.kinds = t.tokens[:t.prompt+offset], t.kinds[:offset]
	if t.text != nil {
		t.text.Cut(len(t.tokens))
	}
	if t.tight >= offset {
		t.tight = neverTight
	}
	again, err := l.sampler(t, t.repeat+1)
	if err != nil {
		l.fail(t, err) // it was made the same way before
		return err
	}
	t.sampler.Close()
	t.sampler = again
	t.heed(g, matcher)
	t.repeat++
	t.usage.Rewound += removed
	t.reread(l.backend.Vocab())
	l.goBack(t)
	return nil
}

// accept takes the tokens of an output that is there already.
func accept(m *grammar.Matcher, ids []int32) error {
	for _, id := range ids {
		if err := m.Accept(id); err != nil {
			return err
		}
	}
	return nil
}

// reread follows the output anew after some of it was taken back.
func (t *turn) reread(v *grammar.Vocab) {
	if t.thinking == nil {
		return
	}
	t.thinking = newCaptures(t.grammar, v)
	for i, id := range t.output() {
		t.thinking.token(id, t.kinds[i])
	}
}

// conclude has a turn end as soon as its grammar lets it.
func (l *loop) conclude(t *turn) {
	t.concluding = true
	if t.state != ended && t.state != parked && t.generated() > 0 && t.concluded() {
		l.end(t, t.natural())
	}
}

// concluded tells whether a turn that is to end may.
func (t *turn) concluded() bool { return t.concluding && (t.matcher == nil || t.matcher.Done()) }
