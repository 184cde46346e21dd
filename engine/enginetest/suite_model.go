package enginetest

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
)

// The tests that need a model. Its words are noise: what is checked is that they are the same
// noise.

// prose is a text of about n tokens.
func prose(n int) string { return strings.Repeat("The wind is strong. ", n/4) }

func testStopsAtEnd(t *testing.T, e engine.Engine) {
	for _, marker := range e.Model().Vocab.Markers {
		if !marker.End {
			continue
		}
		turn := greedy(engine.Plain(sentences[0]), 50)
		turn.Sampling.LogitBias = map[int32]float32{marker.ID: 1000}
		a := run(t, e, turn)
		if a.finish.Reason != engine.Stop || a.text != "" {
			t.Errorf("%s: finish %q after %q", marker.Text, a.finish.Reason, a.text)
		}
	}
}

func testRepeats(t *testing.T, e engine.Engine) {
	hot, seed, other := float32(2), uint32(7), uint32(8) // more is refused by some
	seeded := greedy(engine.Plain(sentences[0]), 30)
	seeded.Sampling = engine.Sampling{Numbers: engine.Numbers{Temperature: &hot}, Seed: &seed}
	for name, turn := range map[string]engine.Turn{"greedy": greedy(engine.Plain(sentences[0]), 30), "seeded": seeded} {
		turn.CacheKey = name + " 1"
		first := run(t, e, turn)
		// nothing cached: another split of the prompt rounds otherwise
		turn.CacheKey = name + " 2"
		if again := run(t, e, turn); !slices.Equal(first.ids(), again.ids()) {
			t.Errorf("%s: %q, then %q", name, first.text, again.text)
		}
	}
	first := run(t, e, seeded)
	seeded.Sampling.Seed = &other
	if again := run(t, e, seeded); slices.Equal(first.ids(), again.ids()) {
		t.Errorf("seeds 7 and 8 both gave %q", first.text)
	}
}

func testGrammar(t *testing.T, e engine.Engine) {
	for grammar, want := range map[string]*regexp.Regexp{
		`root ::= "yes" | "no"`:                           regexp.MustCompile(`^(yes|no)$`),
		`root ::= [a-f]{8} "-" ("north" | "south") "."`:   regexp.MustCompile(`^[a-f]{8}-(north|south)\.$`),
		`root ::= "{\"city\": \"" [A-Z] [a-z]{2,9} "\"}"`: regexp.MustCompile(`^\{"city": "[A-Z][a-z]{2,9}"\}$`),
		`root ::= "ü" ("天" | "☃")+ "end"`:                 regexp.MustCompile(`^ü(天|☃)+end$`),
	} {
		for seed := range uint32(3) {
			hot := float32(2)
			turn := engine.Turn{
				Prompt: engine.Plain(sentences[0]), Grammar: grammar, Logprobs: -1,
				Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &hot}, Seed: &seed}, Budget: engine.Budget{Tokens: 200},
			}
			a := run(t, e, turn)
			if a.finish.Reason == engine.Length {
				// a model of noise may go round in a loop that the grammar has
				continue
			}
			if a.finish.Reason != engine.Stop || !want.MatchString(a.text) {
				t.Errorf("%s: %q, finish %q", grammar, a.text, a.finish.Reason)
			}
		}
	}
}

// testRewind takes a checked part back twice and lets the third pass: what was before it stays,
// and the usage tells.
func testRewind(t *testing.T, e engine.Engine) {
	s := open(t, e, hotTurn(`root ::= "call " args:( "{" [a-z]{6} "}" ) %check [0-9]{3}`))
	checks := 0
	a := judged(t, s, func(_ answer, c engine.Check) engine.Verdict {
		checks++
		return engine.Verdict{Rewind: checks <= 2, Offset: c.Offset}
	})
	if checks != 3 || !regexp.MustCompile(`^call \{[a-z]{6}\}[0-9]{3}$`).MatchString(a.text) {
		t.Errorf("%d checks, then %q", checks, a.text)
	}
	if u := a.finish.Usage; u.Generated < len(a.tokens) || u.Rewound == 0 {
		t.Errorf("usage %+v for %d tokens", u, len(a.tokens))
	}
}

// testNarrower rewinds into text that a check covered, with a grammar that starts earlier; the
// kept text must match it.
func testNarrower(t *testing.T, e engine.Engine) {
	s, ctx := open(t, e, hotTurn(`root ::= "call " args:( [a-z]{6} ";" [a-z]{6} ) %check "."`)), limited(t)
	var first string
	a := judged(t, s, func(a answer, _ engine.Check) engine.Verdict {
		if first != "" {
			return engine.Verdict{}
		}
		first = a.text
		keep := slices.IndexFunc(a.tokens, func(k engine.Token) bool { return strings.Contains(string(k.Bytes), ";") })
		for _, bad := range []engine.Verdict{
			{Rewind: true, Offset: keep, Grammar: `root ::= "[" [a-z]* "]"`},
			{Rewind: true, Offset: -1},
			{Rewind: true, Offset: len(a.tokens) + 1},
		} {
			if s.Decide(ctx, bad) == nil {
				t.Error("a verdict that cannot be carried out was taken")
			}
		}
		return engine.Verdict{Rewind: true, Offset: keep, Grammar: `root ::= "call " args:( [a-z]{6} ";" [A-Z]{6} ) %check "."`}
	})
	if !regexp.MustCompile(`^call [a-z]{6};[A-Z]{6}\.$`).MatchString(a.text) || len(first) < 9 || !strings.HasPrefix(a.text, first[:9]) {
		t.Errorf("first %q, then %q", first, a.text)
	}
}

// testConcludesLegally tells a turn to end inside of what its grammar would let go on for long.
func testConcludesLegally(t *testing.T, e engine.Engine) {
	turn := hotTurn(`root ::= "[" ([a-z]{8} ",")* "]" ("." [a-z]*)*`)
	s, ctx := open(t, e, turn), limited(t)
	var a answer
	for len(a.tokens) == 0 {
		u, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		a.add(u.Tokens)
	}
	if err := s.Conclude(ctx); err != nil {
		t.Fatalf("conclude: %v", err)
	}
	rest := collect(t, s)
	a.add(rest.tokens)
	if rest.finish.Reason != engine.Stop || !regexp.MustCompile(`^\[([a-z]{8},)*\](\.[a-z]*)*$`).MatchString(a.text) || len(a.tokens) > 200 {
		t.Errorf("finish %q after %q", rest.finish.Reason, a.text)
	}
}

// hotTurn is a turn whose words vary from one try to the next, under a grammar.
func hotTurn(grammar string) engine.Turn {
	hot, seed := float32(2), uint32(1)
	turn := greedy(engine.Plain(prose(100)), 400)
	turn.Grammar = grammar
	turn.Sampling = engine.Sampling{Numbers: engine.Numbers{Temperature: &hot}, Seed: &seed}
	return turn
}

// judged reads a session to its finish and answers its checks, of which it is told with what was
// said so far.
func judged(t *testing.T, s engine.Session, judge func(answer, engine.Check) engine.Verdict) answer {
	t.Helper()
	ctx := limited(t)
	var a answer
	for {
		u, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("next after %q: %v", a.text, err)
		}
		a.add(u.Tokens)
		if u.Finish != nil {
			a.finish = *u.Finish
			return a
		}
		if u.Check == nil {
			continue
		}
		v := judge(a, *u.Check)
		if err := s.Decide(ctx, v); err != nil {
			t.Fatalf("decide: %v", err)
		}
		if v.Rewind {
			kept := a.tokens[:v.Offset]
			a = answer{}
			a.add(kept)
		}
	}
}

func testLogprobs(t *testing.T, e engine.Engine) {
	turn := greedy(engine.Plain(sentences[0]), 10)
	turn.Logprobs = 3
	for _, token := range run(t, e, turn).tokens {
		if token.Kind != engine.Sampled && token.Kind != engine.Symbol {
			continue
		}
		if len(token.Top) != 3 || token.Logprob > 0 || token.Top[0].ID != token.ID || token.Top[0].Logprob != token.Logprob {
			t.Fatalf("token %d with %v: alternatives %+v", token.ID, token.Logprob, token.Top)
		}
		if !slices.IsSortedFunc(token.Top, func(a, b engine.Logprob) int { return int(b.Logprob*1e4) - int(a.Logprob*1e4) }) {
			t.Errorf("alternatives are not sorted: %+v", token.Top)
		}
	}
	turn.Logprobs = 0
	// the mask changes what is chosen, not how likely it was
	turn.Grammar = `root ::= ("yes" | "no") [0-9]`
	for _, token := range run(t, e, turn).tokens {
		if token.Kind == engine.Sampled && (token.Logprob >= 0 || len(token.Top) != 0) {
			t.Errorf("token %q under a grammar: logprob %v, alternatives %+v", token.Bytes, token.Logprob, token.Top)
		}
	}
}

// alone runs a turn with nothing cached.
func alone(t *testing.T, e engine.Engine, turn engine.Turn, key string) answer {
	turn.CacheKey = key
	a := run(t, e, turn)
	if a.finish.Usage.Cached > 0 {
		t.Errorf("cache key %q found %d tokens", key, a.finish.Usage.Cached)
	}
	return a
}

// forgiven is how many tokens an engine may evaluate again: the last one, whose logits it needs,
// and what the tokens of a batch have in common with no cell.
const forgiven = 16

func testResume(t *testing.T, e engine.Engine) {
	first := greedy(engine.Plain(prose(120)), 20)
	a := run(t, e, first)
	next := append(first.Prompt, engine.Piece{Origin: engine.Kept, Tokens: a.ids()}, engine.Piece{Text: " And now?"})
	turn := greedy(next, 10)
	resumed := run(t, e, turn)
	if u := resumed.finish.Usage; u.Cached < a.finish.Usage.Prompt+len(a.tokens)-forgiven {
		t.Errorf("%d of %d tokens were cached; the first turn had %d and made %d", u.Cached, u.Prompt, a.finish.Usage.Prompt, len(a.tokens))
	}
	if fresh := alone(t, e, turn, "fresh"); !slices.Equal(fresh.ids(), resumed.ids()) {
		t.Errorf("resumed %q, fresh %q", resumed.text, fresh.text)
	}
}

// testShorterPrompt goes back: the second prompt leaves the first one's way early.
func testShorterPrompt(t *testing.T, e engine.Engine) {
	run(t, e, greedy(engine.Plain(prose(200)), 10))
	turn := greedy(engine.Plain(prose(100)+"But then it rains."), 10)
	back := run(t, e, turn)
	if fresh := alone(t, e, turn, "fresh"); !slices.Equal(fresh.ids(), back.ids()) {
		t.Errorf("after a longer prompt %q, fresh %q", back.text, fresh.text)
	}
}

func testSharedPrefix(t *testing.T, e engine.Engine) {
	system, slots := prose(300), e.Model().Slots
	turns := make([]engine.Turn, 2*slots)
	want := make([]answer, len(turns))
	for i := range turns {
		turns[i] = greedy(engine.Plain(system+sentences[i%3]), 8)
		want[i] = alone(t, e, turns[i], "alone"+string(rune('a'+i)))
	}
	prefix := want[0].finish.Usage.Prompt - forgiven
	answers := make([]answer, len(turns))
	t.Run("at once", func(t *testing.T) {
		for i := range turns {
			t.Run("turn", func(t *testing.T) {
				t.Parallel()
				answers[i] = run(t, e, turns[i])
			})
		}
	})
	evaluated, own := 0, 0
	for i, a := range answers {
		evaluated += a.finish.Usage.Prompt - a.finish.Usage.Cached
		own += max(a.finish.Usage.Prompt-prefix, 0) + forgiven
		if !slices.Equal(a.ids(), want[i].ids()) {
			t.Logf("turn %d: %q at once, %q alone; rounding differs in a batch", i, a.text, want[i].text)
		}
	}
	if most := prefix + own; evaluated > most && evaluated > prefix*2 {
		t.Errorf("%d tokens evaluated for %d turns, want about %d", evaluated, len(turns), most)
	}
	if last := run(t, e, turns[0]); last.finish.Usage.Cached < prefix-forgiven {
		t.Errorf("afterwards %d of %d tokens were cached", last.finish.Usage.Cached, last.finish.Usage.Prompt)
	}
}

func testCacheKeys(t *testing.T, e engine.Engine) {
	turn := greedy(engine.Plain(prose(100)), 4)
	turn.CacheKey = "one"
	run(t, e, turn)
	if again := run(t, e, turn); again.finish.Usage.Cached == 0 {
		t.Error("the same turn under the same key found nothing cached")
	}
	alone(t, e, turn, "two")
	alone(t, e, turn, "")
}

func testEmbed(t *testing.T, e engine.Engine) {
	vectors, err := e.Embed(limited(t), []engine.Prompt{engine.Plain("the weather is cold"), engine.Plain("the answer")})
	if !e.Model().Can.Embeddings {
		if !errors.Is(err, engine.ErrUnsupported) {
			t.Errorf("%v, want ErrUnsupported", err)
		}
		return
	}
	if err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	if a, b := vectors[0], vectors[1]; len(a.Vector) == 0 || len(a.Vector) != len(b.Vector) || a.Tokens <= 0 ||
		slices.Equal(a.Vector, b.Vector) {
		t.Errorf("vectors of %d and %d numbers, %d tokens", len(a.Vector), len(b.Vector), a.Tokens)
	}
}
