package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/engine"
)

// call is the grammar of a call between markers; order is one of its texts.
const (
	call  = `root ::= <[<call>]> %json{"type":"object","required":["to","items"],"additionalProperties":false,"properties":{"to":{"type":"string","minLength":3},"items":{"type":"array","minItems":1,"items":{"type":"object","required":["n"],"additionalProperties":false,"properties":{"n":{"type":"integer","minimum":10}}}}}} <[</call>]>`
	order = `{"to":"Ærø, \"the isle\"","items":[{"n":12},{"n":3456}]}`
)

// bytewise is an answer of llama-server's whose tokens are bytes, behind the call's marker.
func bytewise(text, stop string) string {
	var b strings.Builder
	event := func(in any) {
		data, _ := json.Marshal(in) // it is plain
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	event(map[string]any{"content": "<call>", "tokens": []int{256}})
	from := 0
	for i := range len(text) { // a character is told with its last byte
		said := ""
		if utf8.ValidString(text[from : i+1]) {
			said, from = text[from:i+1], i+1
		}
		event(map[string]any{"content": said, "tokens": []int{int(text[i])}})
	}
	if stop != "" {
		event(map[string]any{"content": "", "stop": true, "stop_type": stop, "tokens_predicted": 1 + len(text)})
	}
	return b.String()
}

// cutOff is a whole call, or tells what of it is none.
func cutOff(t *testing.T, got answer) {
	t.Helper()
	var args struct {
		To    string           `json:"to"`
		Items []map[string]int `json:"items"`
	}
	if got.err != nil || json.Unmarshal([]byte(got.text), &args) != nil || len([]rune(args.To)) < 3 || len(args.Items) == 0 || args.Items[0]["n"] < 10 {
		t.Fatalf("%q, %v", got.text, got.err)
	}
	first, last := got.tokens[0], got.tokens[len(got.tokens)-1]
	if first.Kind != engine.Symbol || last.Kind != engine.Symbol || string(last.Bytes) != "</call>" || got.finish.Usage.Generated != len(got.tokens) {
		t.Fatalf("%q of %d tokens, %+v, the last is %+v", got.text, len(got.tokens), got.finish, last)
	}
}

func oneThatCalls(t *testing.T, body func(r *http.Request) io.Reader) *Engine {
	f := newFar("a")
	f.hosts["a"].body = body
	return connectWith(t, f, vocabulary(), "http://a")
}

// Wherever an upstream cuts a call off at its limit, the call is ended as its grammar wants.
func TestConclusion_S1_18_aLimitInACall(t *testing.T) {
	var said string
	e := oneThatCalls(t, func(*http.Request) io.Reader { return strings.NewReader(bytewise(said, "limit")) })
	turn := plain()
	turn.Grammar = call
	for n := range len(order) + 1 {
		said = order[:n]
		got := ask(t, e, turn)
		cutOff(t, got)
		if !strings.HasPrefix(got.text, strings.ToValidUTF8(said, "")) || got.finish.Reason != engine.Length {
			t.Fatalf("%q after %q, %s", got.text, said, got.finish.Reason)
		}
	}
}

// A turn's budget holds what its call takes to end. An upstream that would have gone on is left.
func TestConclusion_aBudgetHoldsTheEnd(t *testing.T) {
	e := oneThatCalls(t, func(*http.Request) io.Reader {
		return io.MultiReader(strings.NewReader(bytewise(order, "")), readerOf(func([]byte) (int, error) { select {} }))
	})
	turn := plain()
	turn.Grammar = call
	for turn.Budget.Tokens = 20; turn.Budget.Tokens <= len(order); turn.Budget.Tokens++ {
		got := ask(t, e, turn)
		cutOff(t, got)
		if len(got.tokens) > turn.Budget.Tokens || got.finish.Reason != engine.Length {
			t.Fatalf("%d of %d tokens, %s", len(got.tokens), turn.Budget.Tokens, got.finish.Reason)
		}
	}
}

// What a token costs does not grow with the rest: a text of thousands of characters that must come
// is looked through once, at the end.
func TestConclusion_aLongRestIsWrittenOnce(t *testing.T) {
	said := `{"to":"` + strings.Repeat("a", 1200)
	e := oneThatCalls(t, func(*http.Request) io.Reader { return strings.NewReader(bytewise(said, "limit")) })
	turn := plain()
	turn.Grammar = strings.Replace(call, `"minLength":3`, `"minLength":3000`, 1)
	turn.Budget.Tokens = 1500
	got := ask(t, e, turn)
	cutOff(t, got)
	if n := len(got.tokens); n > 1500 || n < 900 || len(got.text) < 3000 {
		t.Errorf("%d tokens, %d bytes", n, len(got.text))
	}
}

// A turn that is told to end does so where its grammar lets it.
func TestConclusion_aToldTurn(t *testing.T) {
	e := oneThatCalls(t, func(r *http.Request) io.Reader {
		return io.MultiReader(strings.NewReader(bytewise(order[:20], "")), readerOf(func([]byte) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() }))
	})
	turn := plain()
	turn.Grammar = call
	s, err := e.Open(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var got answer
	for got.finish == nil {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range u.Tokens {
			if token.Kind != engine.Symbol {
				got.text += string(token.Bytes)
			}
			got.tokens = append(got.tokens, token)
		}
		if got.finish = u.Finish; len(got.tokens) == 12 {
			if err := s.Conclude(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if cutOff(t, got); got.finish.Reason != engine.Stop {
		t.Errorf("%s", got.finish.Reason)
	}
}

// What has left its grammar, as a printed one may let it, is not ended here.
func TestConclusion_whatIsNotKnown(t *testing.T) {
	e := oneThatCalls(t, func(*http.Request) io.Reader { return strings.NewReader(bytewise(`{"from":"`, "limit")) })
	turn := plain()
	turn.Grammar = call
	if got := ask(t, e, turn); got.err != nil || got.text != `{"from":"` || got.finish.Reason != engine.Length {
		t.Errorf("%q, %v", got.text, got.err)
	}
}
