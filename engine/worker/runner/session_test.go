package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

// Nobody looks at the single tokens of a whole answer, and to hand each over costs the threads
// that compute.
func TestMailbox_wholeAnswerWakesItsReaderForManyTokens(t *testing.T) {
	for whole, want := range map[bool][]int{false: {1, 1, 1, 1}, true: {1, wholeTokens, wholeTokens, 2}} {
		m := newMailbox(whole, func() {})
		var got []int
		wake := func() {
			select {
			case <-m.signal:
				if u, _, _ := m.take(); u.Tokens != nil {
					got = append(got, len(u.Tokens))
				}
			default:
			}
		}
		for range want[0] + want[1] + want[2] + want[3] {
			m.put(func(m *mailbox) { m.tokens = append(m.tokens, engine.Token{}) })
			wake()
		}
		m.put(func(m *mailbox) { m.finish = &engine.Finish{} })
		wake()
		if !cmp.Equal(want, got) {
			t.Errorf("whole %v: tokens handed over %v, want %v", whole, got, want)
		}
	}
}

// What waits for an answer of the reader cannot wait for more tokens.
func TestMailbox_wholeAnswerIsHandedOverAtACheck(t *testing.T) {
	m := newMailbox(true, func() {})
	m.begun = true
	m.put(func(m *mailbox) { m.tokens, m.check = append(m.tokens, engine.Token{}), &engine.Check{} })
	select {
	case <-m.signal:
	default:
		t.Error("the reader sleeps on")
	}
}
