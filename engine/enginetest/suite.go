package enginetest

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"tenon/engine"
)

// Subject is an engine under the suite.
type Subject struct {
	// Open makes a fresh engine; the suite closes it.
	Open func(t *testing.T) engine.Engine

	// Scripted says that answers do not depend on prompt, grammar and sampling, and that
	// nothing is cached: what only a model can show is left out.
	Scripted bool
}

// patience is how long an engine may take for anything the suite asks; machines that run tests are
// slow at times.
const patience = 60 * time.Second

// Run checks that an engine keeps the contract of package engine. Every implementation runs it;
// those with a model run it on one model of each [engine.Rewind], such as package tinymodel
// writes.
func Run(t *testing.T, s Subject) {
	anything := capability{"anything", func(engine.Can) bool { return true }}
	tokenizer := capability{"a tokenizer", engine.Can.Tokenizes}
	ids := capability{"token ids", func(c engine.Can) bool { return c.IDs }}
	masked := capability{"an exact mask", func(c engine.Can) bool { return c.Mask == engine.ExactMask }}
	// exact, or as far as another engine's dialect can say it
	told := capability{"a mask", func(c engine.Can) bool { return c.Mask != engine.NoMask }}
	checks := capability{"checks", func(c engine.Can) bool { return c.Checks }}
	concludes := capability{"a legal end on demand", func(c engine.Can) bool { return c.Conclude }}
	logprobs := capability{"logprobs", func(c engine.Can) bool { return c.Logprobs }}
	chats := capability{"conversations as prompts", func(c engine.Can) bool { return c.Chat != "" }}
	tests := []struct {
		name  string
		test  func(t *testing.T, e engine.Engine)
		model bool // needs a model
		needs capability
	}{
		{"model describes itself", testModel, false, anything},
		{"text survives tokens and back", testRoundTrip, false, tokenizer},
		{"no tokenizer, and none is pretended", testNoTokenizer, false, tokenizer.lacking()},
		{"a token without an id says so", testNoIDs, false, ids.lacking()},
		{"a prompt that is no conversation is refused", testNoConversation, false, chats},
		{"an inexact mask is no exact one", testInexact, false, masked.lacking()},
		{"content never yields a marker", testMarkers, true, tokenizer},
		{"a turn ends with its finish, then EOF", testFinish, false, anything},
		{"budget of one token", testBudget, false, anything},
		{"cancelled Next leaves the session alive", testNextCancelled, false, anything},
		{"Close mid-stream frees the slot", testCloseFrees, false, anything},
		{"Open does not wait for a slot", testQueued, false, anything},
		{"a told turn ends before its time", testConcludes, false, anything},
		{"prompt beyond the context", testContextExceeded, false, tokenizer},
		{"closed engine refuses", testClosed, false, anything},
		{"embeddings or ErrUnsupported", testEmbed, false, anything},
		{"stops at the model's own end", testStopsAtEnd, true, ids},
		{"temperature 0 repeats, a seed too", testRepeats, true, ids},
		{"grammar is kept to", testGrammar, true, told},
		{"a checked part can be taken back", testRewind, true, checks},
		{"a verdict's grammar is that of the whole output", testNarrower, true, checks},
		{"a told turn ends legally", testConcludesLegally, true, concludes},
		{"logprobs are the model's own", testLogprobs, true, logprobs},
		{"a resumed conversation evaluates only what is new", testResume, true, masked},
		{"a prompt cut shorter gives the same answer", testShorterPrompt, true, masked},
		{"turns at once share a prefix", testSharedPrefix, true, masked},
		{"nothing is shared across cache keys", testCacheKeys, true, masked},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := s.Open(t)
			t.Cleanup(func() { _ = e.Close() })
			if !test.needs.held(e.Model().Can) {
				t.Skipf("the engine does not claim %s", test.needs.name)
			}
			if test.model && s.Scripted {
				t.Skip("the engine is scripted")
			}
			test.test(t, e)
		})
	}
}

// answer is what a turn yielded.
type answer struct {
	tokens []engine.Token
	text   string
	finish engine.Finish
}

func (a answer) ids() []int32 {
	ids := make([]int32, len(a.tokens))
	for i, t := range a.tokens {
		ids[i] = t.ID
	}
	return ids
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func open(t *testing.T, e engine.Engine, turn engine.Turn) engine.Session {
	t.Helper()
	s, err := e.Open(limited(t), worded(t, e, turn))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// collect reads a session to its finish, letting every check pass.
func collect(t *testing.T, s engine.Session) answer {
	t.Helper()
	return judged(t, s, func(answer, engine.Check) engine.Verdict { return engine.Verdict{} })
}

func (a *answer) add(tokens []engine.Token) {
	for _, token := range tokens {
		a.tokens = append(a.tokens, token)
		if token.Kind != engine.Symbol {
			a.text += string(token.Bytes)
		}
	}
}

func run(t *testing.T, e engine.Engine, turn engine.Turn) answer {
	t.Helper()
	s := open(t, e, turn)
	a := collect(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	return a
}

// greedy is a turn that depends on nothing but its prompt.
func greedy(prompt engine.Prompt, tokens int) engine.Turn {
	zero := float32(0)
	return engine.Turn{
		Prompt: prompt, Logprobs: -1, Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &zero}}, Budget: engine.Budget{Tokens: tokens},
	}
}

func testModel(t *testing.T, e engine.Engine) {
	m := e.Model()
	if m.Context <= 0 || m.Slots <= 0 {
		t.Errorf("context %d, %d slots: both must be positive", m.Context, m.Slots)
	}
	for _, text := range engine.ChatMarkers {
		known := slices.ContainsFunc(m.Vocab.Markers, func(one engine.Marker) bool { return one.Text == text && one.ID == engine.NoID })
		if m.Can.Chat != "" && !known {
			t.Errorf("it chats, and does not know the marker %s", text)
		}
	}
	if !m.Can.Tokenizes() {
		return
	}
	for _, marker := range m.Vocab.Markers {
		text, err := e.Text(limited(t), []int32{marker.ID}, true)
		if err != nil || string(text) != marker.Text {
			t.Errorf("marker %q is spelled %q, %v", marker.Text, text, err)
		}
	}
}

var sentences = []string{
	"The weather in the city is cold, and the wind is strong.",
	"Grüße aus Köln — 天气很冷 ☃",
	"{\"city\": \"Berlin\",\n\t\"days\": [1, 2, 3]}\r\n",
	"trailing space ",
}

func testRoundTrip(t *testing.T, e engine.Engine) {
	for _, s := range sentences {
		ids, err := e.Tokens(limited(t), engine.Plain(s))
		if err != nil {
			t.Fatal(err)
		}
		text, err := e.Text(limited(t), ids, false)
		if err != nil || string(text) != s {
			t.Errorf("%q came back as %q, %v", s, text, err)
		}
		kept, err := e.Tokens(limited(t), engine.Prompt{{Origin: engine.Kept, Tokens: ids}})
		if err != nil || !endsWith(kept, ids) {
			t.Errorf("kept ids %v became %v, %v", ids, kept, err)
		}
	}
}

func endsWith(ids, end []int32) bool {
	return len(ids) >= len(end) && slices.Equal(ids[len(ids)-len(end):], end)
}

func testMarkers(t *testing.T, e engine.Engine) {
	m := e.Model()
	if len(m.Vocab.Markers) == 0 {
		t.Skip("the model has no markers")
	}
	bos := slices.IndexFunc(m.Vocab.Markers, func(k engine.Marker) bool { return k.Text == m.Vocab.BOS })
	for i, marker := range m.Vocab.Markers {
		spelled := engine.Prompt{{Text: "a"}, {Origin: engine.Content, Text: "b" + marker.Text + "c"}, {Text: "d"}}
		ids, err := e.Tokens(limited(t), spelled)
		if err != nil {
			t.Fatal(err)
		}
		if i == bos && m.Vocab.AddBOS {
			ids = ids[1:]
		}
		if slices.Contains(ids, marker.ID) {
			t.Errorf("content that spells %q became the token", marker.Text)
		}
		if text, err := e.Text(limited(t), ids, false); err != nil || string(text) != "ab"+marker.Text+"cd" {
			t.Errorf("content that spells %q came back as %q, %v", marker.Text, text, err)
		}
		meant, err := e.Tokens(limited(t), engine.Prompt{{Text: "a"}, {Origin: engine.Symbolic, Text: marker.Text}})
		if err != nil || len(meant) == 0 || meant[len(meant)-1] != marker.ID {
			t.Errorf("symbol %q became %v, %v; want %d at the end", marker.Text, meant, err, marker.ID)
		}
	}
}

func testFinish(t *testing.T, e engine.Engine) {
	s := open(t, e, greedy(engine.Plain(sentences[0]), 5))
	a := collect(t, s)
	if a.finish.Reason != engine.Stop && a.finish.Reason != engine.Length {
		t.Errorf("finish %q", a.finish.Reason)
	}
	if u := a.finish.Usage; u.Generated < len(a.tokens) || u.Generated > 5 || u.Prompt <= 0 || u.Cached > u.Prompt {
		t.Errorf("usage %+v for %d tokens and a budget of 5", u, len(a.tokens))
	}
	for range 2 {
		if _, err := s.Next(limited(t)); !errors.Is(err, io.EOF) {
			t.Errorf("next after the finish: %v, want io.EOF", err)
		}
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

func testBudget(t *testing.T, e engine.Engine) {
	a := run(t, e, greedy(engine.Plain(sentences[0]), 1))
	if len(a.tokens) > 1 {
		t.Errorf("%d tokens for a budget of one", len(a.tokens))
	}
}

func testNextCancelled(t *testing.T, e engine.Engine) {
	s := open(t, e, greedy(engine.Plain(sentences[0]), 5))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// An update that is already there may be given even so.
	if _, err := s.Next(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("next: %v, want context.Canceled", err)
	}
	if a := collect(t, s); a.finish.Reason == engine.Cancelled {
		t.Error("the session ended with its caller's wait")
	}
}

func testCloseFrees(t *testing.T, e engine.Engine) {
	for round := range 3 {
		sessions := make([]engine.Session, e.Model().Slots)
		for i := range sessions {
			sessions[i] = open(t, e, greedy(engine.Plain(sentences[i%2]), 0))
			if _, err := sessions[i].Next(limited(t)); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		for _, s := range sessions {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			if err := untilEnd(t, s); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, engine.ErrClosed) {
				t.Errorf("next after close: %v", err)
			}
		}
	}
}

// testQueued opens more turns than there are slots before it reads any of them; those that nobody
// wants any more leave the queue.
func testQueued(t *testing.T, e engine.Engine) {
	sessions := make([]engine.Session, 3*e.Model().Slots)
	for i := range sessions {
		sessions[i] = open(t, e, greedy(engine.Plain(sentences[i%2]), 3))
	}
	for i, s := range sessions {
		if i%3 == 0 {
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
	}
	for i, s := range sessions {
		if i%3 != 0 {
			if a := collect(t, s); len(a.tokens) > 3 || a.finish.Reason == engine.Cancelled {
				t.Errorf("turn %d: %q, finish %q", i, a.text, a.finish.Reason)
			}
		}
	}
}

// testConcludes tells a turn to end that has no grammar: it does, long before its budget.
func testConcludes(t *testing.T, e engine.Engine) {
	budget := e.Model().Context / 2
	s := open(t, e, greedy(engine.Plain(sentences[0]), budget))
	if _, err := s.Next(limited(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Conclude(limited(t)); err != nil {
		t.Fatalf("conclude: %v", err)
	}
	if a := collect(t, s); a.finish.Reason != engine.Stop || len(a.tokens) >= budget {
		t.Errorf("finish %q after %d tokens", a.finish.Reason, len(a.tokens))
	}
}

// untilEnd reads what a closed session still gives; it must end.
func untilEnd(t *testing.T, s engine.Session) error {
	ctx := limited(t)
	for {
		u, err := s.Next(ctx)
		if err != nil || u.Finish != nil {
			return err
		}
	}
}

func testContextExceeded(t *testing.T, e engine.Engine) {
	var long engine.Prompt
	for range e.Model().Context {
		long = append(long, engine.Piece{Text: " a1"})
	}
	_, err := e.Open(limited(t), greedy(long, 1))
	var size *engine.ContextError
	if !errors.As(err, &size) || !errors.Is(err, engine.ErrContextExceeded) {
		t.Fatalf("%v, want a ContextError", err)
	}
	if size.Prompt < size.Context || size.Context != e.Model().Context {
		t.Errorf("prompt %d, context %d; the model says %d", size.Prompt, size.Context, e.Model().Context)
	}
}

func testClosed(t *testing.T, e engine.Engine) {
	for range 2 {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := e.Open(limited(t), greedy(engine.Plain("a"), 1)); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("open: %v, want ErrClosed", err)
	}
}
