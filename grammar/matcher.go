package grammar

import (
	"fmt"
	"slices"

	"tenon/grammar/machine"
)

// Matcher follows one output through a grammar. It is cheap to make and to clone; it is not safe
// for concurrent use, its Grammar and Vocab are.
type Matcher struct {
	g     *Grammar
	e     *workspace
	v     *Vocab
	state machine.ConfigID
	past  []accepted
	texts []byte // of what was accepted and is no token

	renewed int    // how often: see renew.go
	pieces  int    // of masks, see maxPieces
	pause   func() // see MaskInSteps; nil outside of it
}

// Matcher starts following an output. Without a vocabulary (v is nil) it takes text and symbols,
// but no tokens, and its masks are empty.
func (g *Grammar) Matcher(v *Vocab) *Matcher {
	e := g.workspace(v)
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Matcher{g: g, e: e, v: v, state: e.m.Start()}
}

// Mask returns the tokens that may come next. It is never empty before the end; end tokens are in
// it exactly when Done.
func (m *Matcher) Mask() (mask Mask) { return m.MaskInSteps(nil) }

// MaskInSteps is Mask, but calls pause after each step: a bounded amount of work, counted. What
// other matchers of the grammar do meanwhile does not wait for this mask; this matcher must not
// accept anything before the mask is whole.
func (m *Matcher) MaskInSteps(pause func()) (mask Mask) {
	if m.v == nil {
		return Mask{}
	}
	m.pause = pause
	m.masking(func() {
		mask = m.e.masks.Mask(m.state, m.unlocked())
		m.e.grown()
	})
	m.pause = nil
	return mask
}

// unlocked is pause for a caller that has the workspace's lock, which is free meanwhile.
func (m *Matcher) unlocked() func() {
	pause, e := m.pause, m.e
	if pause == nil {
		return nil
	}
	return func() {
		e.mu.Unlock()
		defer e.mu.Lock()
		pause()
	}
}

// MaskWithin returns the tokens of Mask after which the shortest legal end still fits into budget
// tokens, the token itself included and one token a byte counted for what follows. Where that
// leaves none, it is the tokens that come closest to an end. Of a large mask not all tokens are
// looked at, but always those of one byte: a next step on the shortest way is among them.
func (m *Matcher) MaskWithin(budget int) (mask Mask) {
	if m.v == nil {
		return Mask{}
	}
	m.masking(func() {
		mask = m.e.masks.Within(m.state, budget)
		m.e.grown()
	})
	return mask
}

func (m *Matcher) step(token int32) (next machine.ConfigID) {
	m.with(func() { next = m.e.masks.Step(m.state, token) })
	return next
}

// Accept takes a token. End tokens are accepted where Done and change nothing. An error leaves the
// matcher as it was.
func (m *Matcher) Accept(token int32) error {
	if m.v == nil || token < 0 || int(token) >= m.v.Len() {
		return fmt.Errorf("token %d is not in the vocabulary", token)
	}
	if m.v.IsEOG(token) {
		if !m.Done() {
			return fmt.Errorf("end token %d: %w", token, machine.ErrEndsEarly)
		}
		m.move(m.state, token, nil)
		return nil
	}
	next := m.step(token)
	if next == machine.Stuck {
		return m.refused(fmt.Sprintf("token %d %q", token, m.v.Piece(token)))
	}
	m.move(next, token, nil)
	return nil
}

// AcceptBytes takes text. An error leaves the matcher as it was and says how far the text was
// acceptable.
func (m *Matcher) AcceptBytes(text []byte) error {
	var next machine.ConfigID
	var n int
	m.with(func() { next, n = m.e.m.Walk(m.state, text) })
	if next == machine.Stuck {
		return m.refused(fmt.Sprintf("byte %d of %q", n, text))
	}
	m.move(next, noToken, text)
	return nil
}

// AcceptSymbol takes the special token with this text.
func (m *Matcher) AcceptSymbol(name string) error {
	var next machine.ConfigID
	m.with(func() { next = m.e.m.StepSymbol(m.state, name) })
	if next == machine.Stuck {
		return m.refused(fmt.Sprintf("symbol %q", name))
	}
	m.move(next, noText, []byte(name))
	return nil
}

// refused explains a step that led nowhere.
func (m *Matcher) refused(what string) error {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	if err := m.e.m.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := m.e.m.Lost(); err != nil {
		return fmt.Errorf("%s: %w, perhaps because of a limit: %w", what, machine.ErrRefused, err)
	}
	return fmt.Errorf("%s: %w", what, machine.ErrRefused)
}

func (m *Matcher) move(next machine.ConfigID, token int32, text []byte) {
	m.past = append(m.past, accepted{before: m.state, token: token, text: int32(len(m.texts))})
	m.texts = append(m.texts, text...)
	m.state = next
}

// Rollback takes back the last n things accepted: tokens, texts or symbols, each one call of
// Accept, AcceptBytes or AcceptSymbol. It goes back at most to the start.
func (m *Matcher) Rollback(n int) {
	n = min(n, len(m.past))
	if n <= 0 {
		return
	}
	first := m.past[len(m.past)-n]
	m.state, m.texts = first.before, m.texts[:first.text]
	m.past = m.past[:len(m.past)-n]
}

// Clone returns an independent matcher in the same state.
func (m *Matcher) Clone() *Matcher {
	c := *m
	c.past, c.texts, c.pause = slices.Clone(m.past), slices.Clone(m.texts), nil
	return &c
}

// Done says whether the output may end here.
func (m *Matcher) Done() bool {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.m.Done(m.state)
}

// Ended says whether nothing may come any more but the end.
func (m *Matcher) Ended() bool {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.m.Ended(m.state)
}

// AtCheck says whether a %check mark has just been reached: what was generated is to be validated
// before more is.
func (m *Matcher) AtCheck() bool {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.m.AtCheck(m.state)
}

// Forced returns the bytes that must come next, up to the first choice; none where there is one at
// once, or where the output may end.
func (m *Matcher) Forced() (text []byte) {
	m.with(func() { text = m.e.m.Forced(nil, m.state) })
	return text
}

// maxForcedText is how many bytes ForcedTokens cuts at once: it does so several times.
const maxForcedText = 512

// ForcedTokens is the beginning of Forced in the tokens that the model itself would write:
// tokenize turns text into tokens as the model's tokenizer does. Tokens at the end are left out
// where what follows could change how the text before it is cut.
func (m *Matcher) ForcedTokens(tokenize func([]byte) []int32) []int32 {
	text := m.Forced()
	if len(text) == 0 {
		return nil
	}
	text = text[:min(len(text), maxForcedText)]
	return heal(m.v, text, tokenize)
}

// Distance is the number of bytes that are at least missing to a legal end: 0 where Done.
func (m *Matcher) Distance() (bytes int) {
	m.with(func() { bytes = m.e.m.Distance(m.state) })
	return bytes
}

// Expected says for people what may come next, such as '{', '"' or the end.
func (m *Matcher) Expected() string {
	m.e.mu.Lock()
	defer m.e.mu.Unlock()
	return m.e.m.Expected(m.state)
}
