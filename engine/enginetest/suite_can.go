package enginetest

import (
	"encoding/json"
	"errors"
	"testing"

	"tenon/engine"
)

// What engines claim, and the tests of what they do not.

// capability is what a test needs an engine to claim.
type capability struct {
	name string
	held func(engine.Can) bool
}

func (c capability) lacking() capability {
	return capability{"to lack " + c.name, func(can engine.Can) bool { return !c.held(can) }}
}

// worded is a turn whose prompt is a conversation, where the engine wants one.
func worded(t *testing.T, e engine.Engine, turn engine.Turn) engine.Turn {
	t.Helper()
	if e.Model().Can.Chat == "" {
		return turn
	}
	message := map[string]any{"role": "user", "text": turn.Prompt.String()}
	text, err := json.Marshal(map[string]any{"messages": []any{message}})
	if err != nil {
		t.Fatal(err)
	}
	turn.Prompt = engine.Plain(string(text))
	return turn
}

func testNoTokenizer(t *testing.T, e engine.Engine) {
	if ids, err := e.Tokens(limited(t), engine.Plain("a text")); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("tokens: %v, %v; want ErrUnsupported", ids, err)
	}
	if text, err := e.Text(limited(t), []int32{1}, false); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("text: %q, %v; want ErrUnsupported", text, err)
	}
}

func testNoConversation(t *testing.T, e engine.Engine) {
	for _, text := range []string{sentences[0], "{}", `{"messages":[]}`} {
		if _, err := e.Open(limited(t), greedy(engine.Plain(text), 5)); !errors.Is(err, engine.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", text, err)
		}
	}
}

func testNoIDs(t *testing.T, e engine.Engine) {
	for _, token := range run(t, e, greedy(engine.Plain(sentences[0]), 5)).tokens {
		if token.ID != engine.NoID {
			t.Errorf("%q has the id %d", token.Bytes, token.ID)
		}
	}
}

// testInexact asks for what no printed grammar says: its automaton has millions of states.
func testInexact(t *testing.T, e engine.Engine) {
	turn := greedy(engine.Plain(sentences[0]), 5)
	turn.Grammar, turn.Exact = `root ::= %regex "(a|b)*a(a|b){24}"`, true
	if _, err := e.Open(limited(t), worded(t, e, turn)); !errors.Is(err, engine.ErrInexact) {
		t.Errorf("%v, want ErrInexact", err)
	}
}
