package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

func TestGrammar_isObeyed(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 100)
	turn.Grammar = `root ::= ("yes" | "no") " " [0-9]{3}`
	a := say(t, r, turn)
	if ok := strings.HasPrefix(a.text, "yes ") || strings.HasPrefix(a.text, "no "); !ok || a.finish.Reason != engine.Stop {
		t.Errorf("said %q, %s", a.text, a.finish.Reason)
	}
}

// What the grammar forces costs no step of its own.
func TestGrammar_forcedTokensAreAppended(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 100)
	turn.Grammar = `root ::= [ab] "{the forced part hello}" [cd]`
	a := say(t, r, turn)
	forced := 0
	for _, token := range a.tokens {
		if token.Kind == engine.Forced {
			forced++
		}
	}
	if forced < 15 || r.Stats().Steps > 6 {
		t.Errorf("%d forced tokens in %d steps: %q", forced, r.Stats().Steps, a.text)
	}
	turn.Logprobs = 0 // then each token's own logits are needed
	if b := say(t, r, turn); len(b.text) != len(a.text) || b.tokens[5].Logprob == 0 {
		t.Errorf("with logprobs: %+v", b.tokens)
	}
}

func TestGrammar_symbolsAreNotText(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 100)
	turn.Grammar = `root ::= <call> "x"`
	a := say(t, r, turn)
	if len(a.tokens) < 2 || a.tokens[0].ID != callToken || a.tokens[0].Kind != engine.Symbol || a.text != "<call>x" {
		t.Errorf("%+v", a.tokens)
	}
	turn.Grammar = `root ::= "<call>x"`
	for _, token := range say(t, r, turn).tokens {
		if token.Kind == engine.Symbol {
			t.Errorf("a token that stands for text is a symbol: %+v", token)
		}
	}
}

func TestBudget_startedCallIsClosedLegally(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 12)
	turn.Grammar = `root ::= "[" [a-z]* "]"`
	a := say(t, r, turn)
	if len(a.tokens) != 12 || !strings.HasSuffix(a.text, "]") || a.finish.Reason != engine.Length {
		t.Errorf("%d tokens, %s: %q", len(a.tokens), a.finish.Reason, a.text)
	}
}

func TestBudget_callThatDoesNotFitIsNeverBegun(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 10)
	turn.Sampling.LogitBias = map[int32]float32{callToken: 1000}
	turn.Grammar = `root ::= ([a-z] | <call> "a long name" [0-9]{4} )*`
	a := say(t, r, turn)
	if strings.Contains(a.text, "call") || a.finish.Reason != engine.Length {
		t.Errorf("%s: %q", a.finish.Reason, a.text)
	}
}

func TestBudget_thinkingIsClosed(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 100)
	turn.Budget.Thinking = 8
	turn.Grammar = `root ::= "<t>" thinking:( [a-z]* ) "</t>" [0-9]{20}`
	a := say(t, r, turn)
	open, end := strings.Index(a.text, "<t>"), strings.Index(a.text, "</t>")
	if open != 0 || end < 0 || end > 3+5*9 || len(a.text) != end+4+20 || a.finish.Reason != engine.Stop {
		t.Errorf("%s: %q", a.finish.Reason, a.text)
	}
}

const checkedGrammar = `root ::= "call " args:( "{" [a-z]{6} "}" ) %check [0-9]{3}`

func TestCheck_parksTheTurnUntilItsVerdict(t *testing.T) {
	for name, rewind := range rewinds {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.rewind = rewind
			r := newRunner(t, f, Options{})
			turn := ask("a prompt before the call", 100)
			turn.Grammar = checkedGrammar
			s := open(t, r, turn)
			first := untilCheck(t, s)
			if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: 5}); err != nil {
				t.Fatal(err)
			}
			second := untilCheck(t, s)
			if first.text[:5] != "call " || len(first.tokens)-5 != len(second.tokens) || first.text[5:] == second.text {
				t.Errorf("first %q, again %q", first.text, second.text)
			}
			if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: 5, Grammar: `root ::= "call " "{}" [0-9]`}); err != nil {
				t.Fatal(err)
			}
			rest, err := read(t, s)
			if err != nil || !strings.HasPrefix(rest.text, "{}") || len(rest.text) != 3 {
				t.Errorf("%v: %q", err, rest.text)
			}
			want := engine.Usage{Prompt: 24, Generated: 8, Rewound: 16}
			if diff := cmp.Diff(want, rest.finish.Usage); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A token that the budget ruled out says nothing of the turn any more once it is taken back.
func TestCheck_whatWasTakenBackDoesNotMakeTheTurnCutOff(t *testing.T) {
	for again, want := range map[string]engine.Reason{`root ::= "call []"`: engine.Stop, `root ::= "call [" [a-z]* "]"`: engine.Length} {
		r := newRunner(t, newFake(), Options{})
		turn := ask("what?", 16)
		turn.Sampling.LogitBias = map[int32]float32{']': -1000}
		turn.Grammar = `root ::= "call " args:( "[" [a-z]* "]" ) %check`
		s := open(t, r, turn)
		if first := untilCheck(t, s); len(first.text) != 16 {
			t.Fatalf("the budget was not met: %q", first.text)
		}
		if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: 6, Grammar: again}); err != nil {
			t.Fatal(err)
		}
		if rest, err := read(t, s); err != nil || rest.finish.Reason != want {
			t.Errorf("%s: %v, %q, %s", again, err, rest.text, rest.finish.Reason)
		}
	}
}

func TestCheck_goLetsTheTurnGoOn(t *testing.T) {
	r := newRunner(t, newFake(), Options{Slots: 1})
	turn := ask("a prompt", 100)
	turn.Grammar = checkedGrammar
	s := open(t, r, turn)
	untilCheck(t, s)
	if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: -1}); err == nil {
		t.Error("it goes back into the prompt")
	}
	if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
		t.Fatal(err)
	}
	rest, err := read(t, s)
	if err != nil || len(rest.text) != 3 || rest.finish.Usage.Generated != 16 {
		t.Errorf("%v: %q %+v", err, rest.text, rest.finish)
	}
	if err := s.Decide(t.Context(), engine.Verdict{}); err == nil {
		t.Error("a turn that has ended takes a verdict")
	}
}

// The mark may be in the middle of a token: the turn waits behind it.
func TestCheck_insideAToken(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("what?", 20)
	turn.Sampling.LogitBias = map[int32]float32{wordToken: 1000}
	turn.Grammar = `root ::= "call " args:( "h" [a-e] ) %check [a-z]{3} "!"`
	s := open(t, r, turn)
	if a := untilCheck(t, s); a.text != "call hello" {
		t.Errorf("waits after %q", a.text)
	}
	if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
		t.Fatal(err)
	}
	if rest, err := read(t, s); err != nil || rest.text != "!" {
		t.Errorf("%v: %q", err, rest.text)
	}
}

func TestCheck_othersRunWhileATurnIsParked(t *testing.T) {
	f := newFake()
	f.cells, f.context = 300, 250
	r := newRunner(t, f, Options{Slots: 2})
	long := open(t, r, ask(strings.Repeat("long ", 10), 190))
	turn := ask("a prompt", 100)
	turn.Grammar = checkedGrammar
	s := open(t, r, turn)
	untilCheck(t, s)
	if _, err := read(t, long); err != nil {
		t.Fatal(err)
	}
	say(t, r, ask(strings.Repeat("x", 200), 40))
	if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
		t.Fatal(err)
	}
	if rest, err := read(t, s); err != nil || len(rest.text) != 3 {
		t.Errorf("%v: %q", err, rest.text)
	}
}

// untilCheck reads to the next check.
func untilCheck(t *testing.T, s engine.Session) answer {
	t.Helper()
	var a answer
	for {
		u, err := s.Next(t.Context())
		if err != nil || u.Finish != nil {
			t.Fatalf("no check but %v %+v after %q", err, u.Finish, a.text)
		}
		for _, token := range u.Tokens {
			a.text += string(token.Bytes)
			a.tokens = append(a.tokens, token)
		}
		if u.Check != nil {
			if u.Check.Capture != "args" || u.Check.Offset != 5 {
				t.Errorf("check: %+v", u.Check)
			}
			return a
		}
	}
}
