package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"tenon/engine"
	"tenon/engine/worker/runner"
	"tenon/grammar"
	"tenon/templates"
	"tenon/tools"
)

// asked records the turn that an engine was given last.
type asked struct {
	engine.Engine
	turn engine.Turn
}

func (a *asked) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	a.turn = t
	return a.Engine.Open(ctx, t)
}

// shortest is how many tokens of one byte the shortest output has that the turn's grammar allows.
func (a *asked) shortest(t *testing.T) int {
	t.Helper()
	g, err := grammar.Parse(a.turn.Grammar, grammar.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	return g.Matcher(nil).Distance()
}

// Where the shortest call fits the budget, a required call comes, however long the model would
// think; where it does not, none is begun. What thinking takes leaves the reserve. By default
// every family has a third of the budgets; TENON_ALL=1 runs them all.
func TestBudget_requiredCallFitsOrIsNotBegun(t *testing.T) {
	book := tools.Tool{Name: "book", Parameters: json.RawMessage(`{"type":"object","properties":{"day":{"type":"string"},"n":{"type":"integer"}},"required":["day"],"additionalProperties":false}`)}
	budgets := []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}
	families := tools.Families()
	for i, d := range families {
		var markers []string
		if i%2 == 0 {
			markers = tokenMarkers(d)
		}
		bound := &tools.Dialect{Dialect: d.With(markers)}
		e := &asked{Engine: runner.New(newNoise(markers), runner.Options{Slots: 1, HostMemory: -1})}
		end := d.Think.Close
		for n, budget := range budgets {
			for _, open := range []bool{false, true} {
				if open && end == "" || os.Getenv("TENON_ALL") == "" && (i+n)%3 > 0 {
					continue
				}
				seed := uint32(i*100 + n)
				t.Run(fmt.Sprintf("%s/%d tokens/thinking open %t", d.Name(), budget, open), func(t *testing.T) {
					got := tell(t, noisy{e, bound, open}, Request{Model: "m",
						Tools: []tools.Tool{book}, Choice: tools.Choice{Mode: tools.Required}, OneCall: true, MaxTokens: budget, Logprobs: -1,
						Sampling:     engine.Sampling{Seed: &seed},
						Conversation: templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "go"}}},
					})
					fits := e.shortest(t) <= budget
					// one token a byte is the most that it takes: a shorter
					// call may come, or one without the markers behind it
					switch {
					case fits && len(got.calls) != 1, !fits && (got.finish.Reason != Length && len(got.calls) == 0 || len(got.calls) == 1 && got.text != ""):
						t.Errorf("%d calls in %d tokens; the shortest turn has %d: %+v", len(got.calls), budget, e.shortest(t), got)
					}
				})
			}
		}
		_ = e.Close()
	}
}

// A budget of thinking ends it where it may end: with every family that thinks, from the smallest
// budget on, and whatever is to follow. By default every family has an eleventh of its turns;
// TENON_ALL=1 runs them all.
func TestBudget_thinkingEndsWithIt(t *testing.T) {
	for i, d := range tools.Families() {
		if end := d.Think.Close; end == "" {
			continue
		}
		e := runner.New(newNoise(tokenMarkers(d)), runner.Options{Slots: 1, HostMemory: -1})
		for _, markers := range [][]string{nil, tokenMarkers(d)} {
			bound := &tools.Dialect{Dialect: d.With(markers)}
			for n, budget := range []int{1, 2, 7, 40} {
				for k, mode := range []tools.Mode{tools.Auto, tools.None, tools.Required} {
					if os.Getenv("TENON_ALL") == "" && (i+3*n+k+len(markers))%11 > 0 {
						continue
					}
					seed := uint32(i + budget)
					got := tell(t, noisy{e, bound, true}, Request{Model: "m",
						Tools: matrixTools, Choice: tools.Choice{Mode: mode}, Thinking: Thinking{Budget: budget}, MaxTokens: 300, Logprobs: -1,
						Sampling:     engine.Sampling{Seed: &seed},
						Conversation: templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "go"}}},
					})
					if slack := longestMarker(d); len(got.reasoning) > 3*(budget+slack) || got.finish.Usage.Reasoning > budget+slack {
						t.Errorf("%s: %d tokens of thinking, %q, under a budget of %d", d.Name(), got.finish.Usage.Reasoning, got.reasoning, budget)
					}
					if mode == tools.Required && len(got.calls) == 0 && got.finish.Reason != Length && got.finish.Mending.Refused == 0 {
						t.Errorf("%s: no call: %+v", d.Name(), got)
					}
				}
			}
		}
		_ = e.Close()
	}
}

// longestMarker bounds what may stand of a marker that thinking was about to spell when its budget
// ended.
func longestMarker(d *tools.Dialect) int {
	return len(slices.MaxFunc(d.Markers(), func(a, b string) int { return len(a) - len(b) }))
}
