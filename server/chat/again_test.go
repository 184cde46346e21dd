package chat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/tools"
)

// runTried is runScripted with a model whose turns are tried again so often.
func runTried(t *testing.T, retries int, e *enginetest.Scripted, r Request) outcomeOf {
	t.Helper()
	return runOn(t, &Service{Models: taughtModel{scripted{e}, Teaching{Retries: &retries}}}, e, r)
}

// Issue 6: a retry with the error named to the model, only while nothing has been sent.
func TestCheck_turnIsTriedAgainWithTheErrorNamed(t *testing.T) {
	bad := calls(bookHead, `{"day": "x", "code": "ab"}`)
	bad.Again = []enginetest.Reply{again(`"ba"}`), again(`{"code": "zz", "day": "x"}`), again(`{"code": "zy", "day": "x"}`)}
	o := runScripted(t, &Service{}, request(), bad, calls(bookHead, `{"day": "y", "code": "aa"}`))
	if got := o.arguments(t); got != `{"day": "y", "code": "aa"}` || o.choice.Text != "" {
		t.Errorf("%s, text %q", got, o.choice.Text)
	}
	turns := o.engine.Turns()
	if len(turns) != 2 {
		t.Fatalf("%d turns", len(turns))
	}
	prompt := turns[1].Prompt.String()
	for _, want := range []string{turns[0].Prompt.String()[:20], `"zy"`, "not executed", "/code"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the second prompt does not hold %q:\n%s", want, prompt)
		}
	}
	if m := o.choice.Finish.Mending; m.Retries != 1 || m.Refused != 0 || o.choice.Finish.Usage.Prompt == 0 {
		t.Errorf("%+v", o.choice.Finish)
	}
}

func TestCheck_triesAgainOnlySoOften(t *testing.T) {
	// nothing is left to rewind to that the script would write otherwise
	bad := calls(bookHead, `{"day": "x"}`)
	// the same mistake twice ends it
	for retries, want := range map[int]int{0: 1, 1: 2, 3: 2} {
		o := runTried(t, retries, enginetest.Script(bad, bad, bad, bad, bad, bad), request())
		if n := len(o.engine.Turns()); n != want || len(o.choice.Calls) != 0 || o.choice.Finish.Reason != Stop {
			t.Errorf("retries %d: %d turns, %+v", retries, n, o.choice)
		}
		if len(o.choice.Finish.Notes) == 0 || o.choice.Finish.Mending.Refused != 1 {
			t.Errorf("retries %d: %+v", retries, o.choice.Finish)
		}
	}
}

// S0-15, S0-16, S0-17: each fault stands on a line of its own, with a call that validates where
// one can be made up; other mistakes are tried again as often as is allowed; usage counts every
// try.
func TestCheck_eachMistakeIsToldAndCounted(t *testing.T) {
	r := request()
	r.Tools = []tools.Tool{{Name: "book", Parameters: json.RawMessage(
		`{"type":"object","properties":{"day":{"type":"string"},"code":{"type":"string","pattern":"^(a|b)\\1$","default":"aa"}},"required":["day","code"]}`)}}
	texts := []string{`{"day": "x"}`, `{"day": "x", "code": "ab"}`, `{"day": "x", "code": 7}`}
	var replies []enginetest.Reply
	generated := 0
	for _, text := range texts {
		replies = append(replies, calls(bookHead, text))
		generated += len(bookHead + text)
	}
	last := calls(bookHead, `{"day": "y", "code": "aa"}`)
	o := runTried(t, 3, enginetest.Script(append(replies, last)...), r)
	if got := o.arguments(t); got != `{"day": "y", "code": "aa"}` || o.choice.Finish.Mending.Retries != 3 {
		t.Errorf("%s %+v", got, o.choice.Finish.Mending)
	}
	if n := o.choice.Finish.Usage.Completion; n < generated+len(last.Tokens) {
		t.Errorf("usage counts %d tokens, and %d were generated", n, generated+len(last.Tokens))
	}
	prompt := o.engine.Turns()[1].Prompt.String()
	if !strings.Contains(prompt, "not valid:\n- ") || !strings.Contains(prompt, `Call book again, for example with the arguments {"day":"<day>","code":"aa"}.`) {
		t.Error(prompt)
	}
}

// S0-17: two properties too many are the same mistake in whatever order they are told.
func TestCheck_theSameMistakeInAnotherOrderEndsIt(t *testing.T) {
	r := request()
	r.Tools = []tools.Tool{{Name: "book", Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}}
	for range 20 { // the validator's order is that of a map
		bad := enginetest.Say(bookHead + `{"a": 1, "b": 2, "c": 3}}`)
		e := enginetest.Script(bad, bad, bad, bad)
		e.Info.Can = enginetest.Unmasked
		o := runTried(t, 3, e, r)
		if n := len(o.engine.Turns()); n != 2 {
			t.Fatalf("%d turns", n)
		}
	}
}

// S0-22: a model's adapter says how often a turn is tried again.
func TestCheck_theModelsAdapterSaysHowOften(t *testing.T) {
	bad := calls(bookHead, `{"day": "x"}`)
	if n := len(runScripted(t, &Service{}, request(), bad, bad, bad).engine.Turns()); n != 2 {
		t.Errorf("%d turns where it says nothing", n)
	}
	if n := len(runTried(t, 0, enginetest.Script(bad), request()).engine.Turns()); n != 1 {
		t.Errorf("%d turns where it says none", n)
	}
}

type taughtModel struct {
	scripted
	teaching Teaching
}

func (m taughtModel) Acquire(ctx context.Context, name string) (Model, func(), error) {
	out, release, err := m.scripted.Acquire(ctx, name)
	out.Teaching = m.teaching
	return out, release, err
}

// Text, thinking and an earlier call are what can have left. White space and markers say nothing.
func TestCheck_triedAgainOnlyWhileNothingHasLeft(t *testing.T) {
	const head, tail = "<tool_call>\n{\"name\": \"book\", \"arguments\": ", "}\n</tool_call>"
	const bad, good = head + `{"day": "x", "code": "ab"}` + tail, head + `{"day": "y", "code": "aa"}` + tail
	for name, c := range map[string]struct {
		before string
		turns  int
	}{
		"nothing":        {"", 2},
		"white space":    {"\n", 2},
		"empty thinking": {"<think>\n\n</think>\n\n", 2},
		"thinking":       {"<think>\nhm\n</think>\n\n", 1},
		"text":           {"Well.\n", 1},
		"another call":   {good + "\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := request()
			r.Model, r.OneCall = "hermes", false
			first := enginetest.Say(c.before + bad)
			first.Checks = []int{len(first.Tokens) - len(tail)}
			o := runScripted(t, &Service{}, r, first, enginetest.Say(good))
			if n := len(o.engine.Turns()); n != c.turns {
				t.Errorf("%d turns, want %d: %+v", n, c.turns, o.choice)
			}
			if refused := o.choice.Finish.Mending.Refused; (refused == 0) != (c.turns == 2) {
				t.Errorf("%+v", o.choice.Finish)
			}
		})
	}
}

func TestCheck_notTriedAgainOnceSomethingHasLeft(t *testing.T) {
	bad := calls(`I will book it. `+"\n"+"```json\n"+bookHead, `{"day": "x"}`)
	o := runScripted(t, &Service{}, request(), bad, calls(bookHead, `{"day": "y", "code": "aa"}`))
	if n := len(o.engine.Turns()); n != 1 || !strings.HasPrefix(o.choice.Text, "I will book it.") || len(o.choice.Calls) != 0 {
		t.Errorf("%d turns, %+v", n, o.choice)
	}
}
