package runner

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

// repeating is a fake that mostly says what it said after the same two tokens, so that guesses
// come true; and now and then what depends on all that the memory holds.
func repeating() *fakeModel {
	f := newFake()
	f.logits = func(s []fakeCell) []float32 {
		h := fnv.New32a()
		for _, c := range s {
			_, _ = h.Write([]byte{byte(c.token)})
		}
		if h.Sum32()%16 == 0 {
			return fakeLogits(s)
		}
		return fakeLogits(s[max(0, len(s)-2):])
	}
	return f
}

// cheap is the time that steps take on a machine on which a token more costs little.
func cheap(batch []Entry) time.Duration { return time.Duration(20+len(batch)) * time.Millisecond }

// draftCase is a turn of any sort, made from a seed.
func draftCase(seed uint64) engine.Turn {
	rng := rand.New(rand.NewPCG(seed, 0))
	turn := ask(fmt.Sprint("a prompt that says a prompt and 123123", rng.IntN(9), " a pro"), 1+rng.IntN(150))
	turn.Grammar = []string{
		"", "",
		`root ::= [ab]{1,300}`,
		`root ::= "<t>" thinking:( [a-c]* ) "</t>" ("{key one: " [0-3]+ ", key two: " [0-3]+ "}"){2,9}`,
		`root ::= ([a-c]{1,4} | <call> "name " [0-3]{4} "end of it" )*`,
		`root ::= ("call " args:( "{" [ab]{6} "}" ) %check){3}`,
	}[rng.IntN(6)]
	if rng.IntN(3) == 0 {
		turn.Budget.Thinking = 1 + rng.IntN(20)
	}
	if rng.IntN(4) == 0 {
		turn.Logprobs = rng.IntN(3)
	}
	if rng.IntN(3) == 0 {
		hot := float32(1)
		turn.Sampling.Temperature = &hot
	}
	turn.Whole = rng.IntN(2) == 0
	return turn
}

// judge reads a turn to its end. Of its first checks some take output back.
func judge(t *testing.T, r *Runner, seed uint64) answer {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	s := open(t, r, draftCase(seed))
	defer func() { _ = s.Close() }()
	var a answer
	for checks := 0; ; {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Errorf("%d: %v", seed, err)
			return a
		}
		a.tokens = append(a.tokens, u.Tokens...)
		if u.Finish != nil {
			a.finish = *u.Finish
			a.finish.Timing = engine.Timing{}
			a.finish.Usage.Cached, a.finish.Usage.Drafted, a.finish.Usage.Accepted = 0, 0, 0
			return a
		}
		if u.Check == nil {
			continue
		}
		v := engine.Verdict{}
		if checks++; checks < 4 && rng.IntN(2) == 0 {
			v = engine.Verdict{Rewind: true, Offset: u.Check.Offset}
		}
		if err := s.Decide(t.Context(), v); err != nil {
			t.Errorf("%d: %v", seed, err)
			return a
		}
	}
}

// With drafts a turn says, token by token, what it says without: under every grammar, across the
// end of thinking and the start of a call, with budgets, verdicts, log probabilities, penalties
// and chance; alone and beside others, and where cells run short; with a draft model, too, that is
// right or wrong. 48 turns for each, and 100 with TENON_ALL.
func TestDrafts_changeNothingThatIsSaid(t *testing.T) {
	plain := newRunner(t, repeating(), Options{NoDrafts: true, Slots: 1})
	cases := 48
	if os.Getenv("TENON_ALL") != "" {
		cases = 100
	}
	want := make([]answer, cases)
	for i := range want {
		want[i] = judge(t, plain, uint64(i))
	}
	for _, c := range []struct {
		slots, cells int
		drafts       *fakeDraft
	}{
		{1, 4096, nil}, {4, 4096, nil}, {4, 700, nil}, {1, 4096, drafting(repeating())}, {4, 4096, drafting(repeating())},
		{4, 700, drafting(repeating())}, {4, 4096, drafting(newFake())},
	} {
		f := repeating()
		f.cells = c.cells
		r := newRunner(t, f, c.drafts.options(Options{Slots: c.slots, took: cheap}))
		got := make([]answer, cases)
		for begin := 0; begin < cases; begin += c.slots {
			var all sync.WaitGroup
			for i := begin; i < begin+c.slots; i++ {
				all.Go(func() { got[i] = judge(t, r, uint64(i)) })
			}
			all.Wait()
		}
		for i := range got {
			if diff := cmp.Diff(want[i], got[i], cmp.AllowUnexported(answer{})); diff != "" {
				t.Fatalf("%+v: turn %d, %+v (-without +with drafts):\n%s", c, i, draftCase(uint64(i)), diff)
			}
		}
		s := r.Stats()
		if s.Accepted < int64(5*cases/2) || s.Drafted < s.Accepted || plain.Stats().Drafted > 0 || s.Steps > plain.Stats().Steps*9/10 {
			t.Errorf("%+v: of %d drafted tokens %d were accepted, in %d steps; without %d", c, s.Drafted, s.Accepted, s.Steps, plain.Stats().Steps)
		}
		if c.drafts != nil && c.drafts.read == 0 {
			t.Errorf("%+v: the draft model was not asked", c)
		}
	}
}

// What a turn said is guessed by the next under its key, and by nobody else.
func TestDrafts_learnFromTurnsUnderTheSameKeyAlone(t *testing.T) {
	grammar := `root ::= "say it: " [a-f]{60}`
	f := newFake() // says the same to every prompt of a length, and nothing twice in it
	f.logits = func(s []fakeCell) []float32 { return fakeLogits([]fakeCell{{token: int32(len(s))}}) }
	r := newRunner(t, f, Options{Slots: 1, took: cheap})
	for i, c := range []struct {
		key             string
		forget, guesses bool
	}{{key: "one"}, {key: "one", forget: true, guesses: true}, {key: "one"}, {key: "two"}, {key: "one", guesses: true}} {
		turn := ask("prompt "+strings.Repeat(string(rune('A'+i)), 3), 200)
		turn.Grammar, turn.CacheKey, turn.Forget = grammar, c.key, c.forget
		before := r.Stats().Accepted
		say(t, r, turn)
		if n := r.Stats().Accepted - before; c.guesses != (n > 30) {
			t.Errorf("turn %d: %d tokens were guessed", i, n)
		}
	}
}

func TestDrafts_noneWhereMemoryCannotBeCut(t *testing.T) {
	for _, rewind := range []engine.Rewind{engine.RewindWindow, engine.RewindCheckpoints} {
		f := repeating()
		f.rewind = rewind
		r := newRunner(t, f, Options{})
		if say(t, r, ask("prompt prompt prompt", 100)); r.Stats().Drafted > 0 {
			t.Errorf("%d tokens were drafted", r.Stats().Drafted)
		}
	}
}

// A turn's usage says what its drafts were worth.
func TestDrafts_areCounted(t *testing.T) {
	r := newRunner(t, repeating(), Options{took: cheap})
	turn := ask("prompt prompt prompt", 200)
	turn.Grammar = `root ::= [ab]{300}`
	a := say(t, r, turn)
	s, u := r.Stats(), a.finish.Usage
	if u.Accepted == 0 || int64(u.Accepted) != s.Accepted || int64(u.Drafted) != s.Drafted || u.Generated != 200 {
		t.Errorf("usage %+v, stats %+v", u, s)
	}
}

// The key that spoke longest ago is forgotten, and no other.
func TestRemember_theOldestKeyGoes(t *testing.T) {
	l := newLoop(newRunner(t, newFake(), Options{}))
	speak := func(key int) {
		l.remember(&turn{request: engine.Turn{CacheKey: fmt.Sprint(key)}, tokens: []int32{1, 2}, prompt: 1})
	}
	for key := range saidKeys {
		speak(key)
	}
	speak(0)
	speak(saidKeys)
	for key := range saidKeys + 1 {
		if text := l.said[fmt.Sprint(key)]; (text == nil) != (key == 1) {
			t.Errorf("key %d: %v", key, text)
		}
	}
}
