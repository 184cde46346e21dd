package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/worker/runner"
	"tenon/templates"
	"tenon/tools"
)

// routing serves a family whose model does not think, with room for a routing thought.
type routing struct {
	noisy
	tokens int
}

func (m routing) Acquire(ctx context.Context, name string) (Model, func(), error) {
	out, release, err := m.noisy.Acquire(ctx, name)
	out.Thinks, out.Teaching.Routing = false, m.tokens
	return out, release, err
}

// withoutPlace are the families whose prompts end with the mark that a tool's name follows.
var withoutPlace = []string{"functionary-v3.2"}

// A model that does not think says first which tool it means: as reasoning, in so many tokens, and
// never in place of the call. By default every family has an eleventh of its turns; TENON_ALL=1
// runs them all.
func TestRouting_thoughtComesBeforeTheCall(t *testing.T) {
	for i, d := range tools.Families() {
		e := runner.New(newNoise(nil), runner.Options{Slots: 1, HostMemory: -1})
		for k, mode := range []tools.Mode{tools.Auto, tools.Required, tools.None} {
			for l, room := range []int{1, 8, 32} {
				if os.Getenv("TENON_ALL") == "" && (i+3*k+l)%11 > 0 {
					continue
				}
				seed := uint32(i + room)
				r := cell{family: d.Name()}.request(seed)
				r.Choice.Mode = mode
				t.Run(fmt.Sprintf("%s/%d/%d tokens", d.Name(), mode, room), func(t *testing.T) {
					got := tell(t, routing{noisy{e, d, false}, room}, r)
					checkPromises(t, cell{family: d.Name(), choice: map[tools.Mode]string{tools.Auto: "auto", tools.Required: "required", tools.None: "none"}[mode]}, d, got)
					if mode == tools.None || slices.Contains(withoutPlace, d.Name()) {
						if strings.HasPrefix(got.reasoning, "Function: ") {
							t.Errorf("a routing thought: %q", got.reasoning)
						}
						return
					}
					name, words, ok := strings.Cut(strings.TrimPrefix(got.reasoning, "Function: "), ". Key arguments:")
					known := name == "none" && mode == tools.Auto || slices.ContainsFunc(matrixTools, func(o tools.Tool) bool { return tools.PromptName(o.Namespace, o.Name) == name })
					if !ok || !known || len(words) > 8*(room+1) || strings.Contains(words, "\n") {
						t.Errorf("reasoning %q", got.reasoning)
					}
				})
			}
		}
		_ = e.Close()
	}
}

func TestRouting_requestsHaveTheLastWord(t *testing.T) {
	d, _ := tools.Lookup("hermes")
	off, answer := false, templates.Message{Role: templates.Assistant, Text: "I"}
	for name, change := range map[string]func(*Request, *routing){
		"setting is off":      func(_ *Request, m *routing) { m.tokens = 0 },
		"thinking is off":     func(r *Request, _ *routing) { r.Thinking.Enabled = &off },
		"no tools":            func(r *Request, _ *routing) { r.Tools = nil },
		"an answer goes on":   func(r *Request, _ *routing) { r.Conversation.Messages = append(r.Conversation.Messages, answer) },
		"the answer is bound": func(r *Request, _ *routing) { r.Answer = &tools.Answer{Syntax: "json_object"} },
	} {
		t.Run(name, func(t *testing.T) {
			e := runner.New(newNoise(nil), runner.Options{Slots: 1, HostMemory: -1})
			defer func() { _ = e.Close() }()
			seed := uint32(1)
			r := cell{family: "hermes"}.request(seed)
			r.MaxTokens = 100
			m := routing{noisy{e, d, false}, 16}
			change(&r, &m)
			if got := tell(t, m, r); strings.HasPrefix(got.reasoning, "Function:") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Where the thought and a call do not fit, but the call does, it comes without the thought.
func TestRouting_leavesTheRoomThatACallNeeds(t *testing.T) {
	for i, d := range tools.Families() {
		if os.Getenv("TENON_ALL") == "" && i%6 > 0 {
			continue
		}
		e := &asked{Engine: runner.New(newNoise(nil), runner.Options{Slots: 1, HostMemory: -1})}
		r := cell{family: d.Name()}.request(uint32(i))
		r.Choice.Mode, r.OneCall, r.Tools = tools.Required, true, []tools.Tool{{Name: "get_time", Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}}
		plain, err := (&Service{}).plan(mustAcquire(t, noisy{e, d, false}), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{plain.tools.Shortest(), plain.tools.Shortest() + 20, 300} {
			r.MaxTokens = most
			got := tell(t, routing{noisy{e, d, false}, 16}, r)
			if thought := strings.HasPrefix(got.reasoning, "Function: "); len(got.calls) != 1 || thought != (most == 300 && !slices.Contains(withoutPlace, d.Name())) {
				t.Errorf("%s: %d calls in %d tokens, reasoning %q", d.Name(), len(got.calls), most, got.reasoning)
			}
		}
		_ = e.Close()
	}
}

func mustAcquire(t *testing.T, m Models) Model {
	t.Helper()
	out, _, err := m.Acquire(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A request's own budget holds where it is smaller.
func TestRouting_budgetIsTheSmallerOne(t *testing.T) {
	for asked, want := range map[int]int{0: 16, 4: 4, 4000: 16} {
		d, _ := tools.Lookup("hermes")
		r := cell{family: "hermes"}.request(1)
		r.Thinking.Budget = asked
		e := &asker{}
		_ = (&Service{Models: routing{noisy{e, d, false}, 16}}).Run(t.Context(), r, func(Event) error { return nil })
		if e.turn.Budget.Thinking != want || !strings.Contains(e.turn.Grammar, "Key arguments") {
			t.Errorf("budget %d under a request of %d, want %d", e.turn.Budget.Thinking, asked, want)
		}
	}
}

// asker remembers the turn and serves none.
type asker struct {
	engine.Engine
	turn engine.Turn
}

func (a *asker) Model() engine.Model { return engine.Model{Context: 4096, Can: engine.Everything} }

func (a *asker) Open(_ context.Context, t engine.Turn) (engine.Session, error) {
	a.turn = t
	return nil, engine.ErrClosed
}
