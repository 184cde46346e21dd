package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/worker/runner"
	"tenon/templates"
	"tenon/tools"
)

// scripted serves one engine, whose model calls tools by tenon's own protocol, or in the way of a
// family.
type scripted struct{ engine engine.Engine }

func (m scripted) Acquire(_ context.Context, name string) (Model, func(), error) {
	if d, ok := tools.Lookup(name); ok {
		return Model{ID: name, Engine: m.engine, Renderer: familyRenderer{}, Dialect: d}, func() {}, nil
	}
	return Model{ID: name, Engine: m.engine, Renderer: templates.Builtin{}, Dialect: tools.Fallback()}, func() {}, nil
}

// familyRenderer is the built-in rendering that leaves the way of calling to the model's family.
type familyRenderer struct{ templates.Builtin }

func (f familyRenderer) Render(c templates.Conversation) (templates.Rendering, error) {
	r, err := f.Builtin.Render(c)
	r.Protocol = templates.Native
	return r, err
}

// booking has an argument whose pattern no automaton decides: the mask lets any text pass, and the
// call is checked.
var booking = tools.Tool{Name: "book", Parameters: json.RawMessage(
	`{"type":"object","properties":{"day":{"type":"string"},"code":{"type":"string","pattern":"^(a|b)\\1$"}},"required":["day","code"]}`)}

func request() Request {
	return Request{
		Model: "m", Tools: []tools.Tool{booking}, Logprobs: -1, OneCall: true,
		Conversation: templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "book it"}}},
	}
}

// calls is a reply that calls the tool, checked where its arguments end.
func calls(before, args string) enginetest.Reply {
	reply := enginetest.Say(before + args + "}")
	reply.Checks = []int{len(before + args)}
	return reply
}

const bookHead = `{"tool": "book", "arguments": `

// again is what a model writes once it has been taken back into the arguments.
func again(rest string) enginetest.Reply {
	reply := enginetest.Say(rest + "}")
	reply.Checks = []int{len(rest)}
	return reply
}

type outcomeOf struct {
	choice Choice
	events []Event
	engine *enginetest.Scripted
}

func runScripted(t *testing.T, s *Service, r Request, replies ...enginetest.Reply) outcomeOf {
	t.Helper()
	return runService(t, s, enginetest.Script(replies...), r)
}

func runService(t *testing.T, s *Service, e *enginetest.Scripted, r Request) outcomeOf {
	t.Helper()
	s.Models = scripted{e}
	return runOn(t, s, e, r)
}

func runOn(t *testing.T, s *Service, e *enginetest.Scripted, r Request) outcomeOf {
	t.Helper()
	var c Collector
	out := outcomeOf{engine: e}
	err := s.Run(t.Context(), r, func(e Event) error {
		out.events = append(out.events, e)
		return c.Add(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	out.choice = c.Result().Choices[0]
	if e.Running() != 0 {
		t.Errorf("%d sessions are open", e.Running())
	}
	return out
}

// arguments of the only call.
func (o outcomeOf) arguments(t *testing.T) string {
	t.Helper()
	if len(o.choice.Calls) != 1 {
		t.Fatalf("calls %v, text %q, notes %v", o.choice.Calls, o.choice.Text, o.choice.Finish.Notes)
	}
	return string(o.choice.Calls[0].Arguments)
}

func TestCheck_validCallGoesOn(t *testing.T) {
	o := runScripted(t, &Service{}, request(), calls(bookHead, `{"day": "x", "code": "aa"}`))
	if got := o.arguments(t); got != `{"day": "x", "code": "aa"}` || o.choice.Finish.Reason != ToolCalls {
		t.Errorf("%s, %s", got, o.choice.Finish.Reason)
	}
	if diff := cmp.Diff([]engine.Verdict{{}}, o.engine.Verdicts()); diff != "" {
		t.Error(diff)
	}
}

// A repair that loses nothing comes first: nothing is taken back for it.
func TestCheck_repairsBeforeItTakesBack(t *testing.T) {
	o := runScripted(t, &Service{}, request(), calls(bookHead, `{"day": 5, "code": "aa"}`))
	if got := o.arguments(t); got != `{"day":"5","code":"aa"}` || len(o.choice.Finish.Repairs) != 1 || o.choice.Finish.Mending.Rewinds != 0 {
		t.Errorf("%s, %+v", got, o.choice.Finish)
	}
}

func TestCheck_offendingValueIsWrittenAnew(t *testing.T) {
	reply := calls(bookHead, `{"day": "x", "code": "ab"}`)
	reply.Again = []enginetest.Reply{again(`"bb"}`)}
	o := runScripted(t, &Service{}, request(), reply)
	if got := o.arguments(t); got != `{"day": "x", "code": "bb"}` || o.choice.Finish.Reason != ToolCalls {
		t.Errorf("%s, %s", got, o.choice.Finish.Reason)
	}
	verdicts := o.engine.Verdicts()
	if len(verdicts) != 2 || !verdicts[0].Rewind || verdicts[0].Offset != len(bookHead+`{"day": "x", "code": `) || verdicts[1].Rewind {
		t.Fatalf("%+v", verdicts)
	}
	if g := verdicts[0].Grammar; !strings.Contains(g, `"not":{"const":"ab"}`) || g == o.engine.Turns()[0].Grammar {
		t.Errorf("the grammar does not steer away:\n%s", g)
	}
	want := Mending{Checks: 2, Rewinds: 1, Rewound: len(`"ab"}`)}
	if diff := cmp.Diff(want, o.choice.Finish.Mending); diff != "" {
		t.Error(diff)
	}
	if f := o.choice.Finish; f.Rewound != want.Rewound || len(f.Notes) != 1 || !strings.Contains(f.Notes[0].Text, "code") {
		t.Errorf("%+v", f)
	}
}

// Each try goes further back, and none is endless.
func TestCheck_triesGoFurtherBackAndEnd(t *testing.T) {
	reply := calls(bookHead, `{"day": "x", "code": "ab"}`)
	reply.Again = []enginetest.Reply{again(`"ba"}`), again(`{"code": "zz", "day": "x"}`), again(`{"code": "zy", "day": "x"}`), again(`"never"}`)}
	o := runTried(t, 0, enginetest.Script(reply), request())
	if len(o.choice.Calls) != 0 || o.choice.Finish.Reason != Stop || !strings.Contains(o.choice.Text, `"zy"`) {
		t.Errorf("%+v", o.choice)
	}
	value := len(bookHead + `{"day": "x", "code": `)
	var offsets []int
	for _, v := range o.engine.Verdicts() {
		if v.Rewind {
			offsets = append(offsets, v.Offset)
		}
	}
	if len(offsets) != maxTries || offsets[0] != value || offsets[1] != len(bookHead) {
		t.Errorf("went back to %v; the value is at %d, the arguments are at %d", offsets, value, len(bookHead))
	}
	if m := o.choice.Finish.Mending; m.Rewinds != maxTries || m.Refused != 1 || m.Retries != 0 {
		t.Errorf("%+v", m)
	}
}

// Nothing of a call that is checked leaves before it is valid, whatever became of it.
func TestCheck_nothingLeavesBeforeTheCallIsValid(t *testing.T) {
	bad := calls(bookHead, `{"day": "x", "code": "ab"}`)
	bad.Again = []enginetest.Reply{again(`"ba"}`), again(`{"code": "zz", "day": "x"}`), again(`{"code": "zy", "day": "x"}`)}
	o := runScripted(t, &Service{}, request(), bad, calls(bookHead, `{"day": "y", "code": "aa"}`))
	for _, e := range o.events {
		if e.Kind == Text || (e.Kind == CallArguments || e.Kind == CallEnd) && strings.Contains(e.Text+string(e.Call.Arguments), "z") {
			t.Errorf("%+v left", e)
		}
	}
}

func TestLoop_callIsEndedAtTheNearestPlace(t *testing.T) {
	reply := enginetest.Say(bookHead + `{"code": "aa", "day": "` + strings.Repeat("la", 5000))
	reply.Ending = enginetest.Say(`"}}`).Tokens
	o := runScripted(t, &Service{}, request(), reply)
	if args := o.arguments(t); len(args) > 3000 || o.choice.Finish.Mending.Loops != 1 || !strings.Contains(o.choice.Finish.Notes[0].Text, "circles") {
		t.Errorf("%d bytes, %+v", len(args), o.choice.Finish)
	}
}

// Whatever a model repeats inside of an argument, in whichever format: the call is ended where it
// may end first, and flagged.
func TestLoop_everyFamilyEndsItLegally(t *testing.T) {
	for i, d := range tools.Families() {
		if d.Name() == "gpt-oss" { // says its piece in a message before the call's
			continue
		}
		for k, tic := range []string{"la", " ", "\n", "0,"} {
			if os.Getenv("TENON_ALL") == "" && (i+k)%8 > 0 {
				continue
			}
			t.Run(d.Name()+"/"+strconv.Quote(tic), func(t *testing.T) {
				e := runner.New(newStutter(nil, tic), runner.Options{Slots: 1, HostMemory: -1})
				defer func() { _ = e.Close() }()
				r := cell{family: d.Name(), choice: "named", oneCall: true}.request(1)
				r.Tools, r.Thinking.Enabled, r.MaxTokens = []tools.Tool{{Name: "get_weather", Parameters: matrixTools[0].Parameters}}, new(bool), 20000
				got := tell(t, noisy{e, d, false}, r)
				f := got.finish
				if len(got.calls) != 1 || f.Usage.Completion > 10000 || f.Mending.Loops > 1 || f.Reason != ToolCalls {
					t.Fatalf("%d calls, %+v", len(got.calls), f)
				}
				if loops := tic != "\n"; loops && !slices.ContainsFunc(f.Notes, func(n tools.Note) bool { return strings.Contains(n.Text, "circles") }) {
					t.Errorf("%s: %+v", got.calls[0].Arguments, f)
				}
				checkCall(t, got.calls[0], r.Choice)
			})
		}
	}
}

func TestLoop_sameCallAgainAndAgain(t *testing.T) {
	r := request()
	r.OneCall = false
	r.Model = "hermes"
	one := `<tool_call>{"name": "book", "arguments": {"code": "aa", "day": "x"}}</tool_call>`
	o := runScripted(t, &Service{}, r, enginetest.Say(strings.Repeat(one, 20)))
	if n := len(o.choice.Calls); n != maxEqual || o.choice.Finish.Mending.Loops != 1 {
		t.Errorf("%d calls, %+v", n, o.choice.Finish)
	}
}

// batching is an engine so fast that all tokens up to a check come in one update with it.
type batching struct{ engine.Engine }

func (b batching) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	s, err := b.Engine.Open(ctx, t)
	return &batchingSession{Session: s}, err
}

type batchingSession struct {
	engine.Session
	finish *engine.Update
}

func (s *batchingSession) Next(ctx context.Context) (engine.Update, error) {
	if u := s.finish; u != nil {
		s.finish = nil
		return *u, nil
	}
	var all []engine.Token
	for {
		u, err := s.Session.Next(ctx)
		all = append(all, u.Tokens...)
		if u.Finish != nil && len(all) > 0 {
			s.finish = &u
			return engine.Update{Tokens: all}, nil
		}
		if u.Tokens = all; err != nil || u.Check != nil || u.Finish != nil {
			return u, err
		}
	}
}

// What becomes of a call does not depend on how the engine's updates are cut, nor on whether the
// mark is behind the arguments or behind the marker that ends them.
func TestCheck_howTokensArriveMakesNoDifference(t *testing.T) {
	const glm = "Well.\n<tool_call>book\n<arg_key>day</arg_key>\n<arg_value>x</arg_value>\n<arg_key>code</arg_key>\n<arg_value>"
	const hermes = "Well.\n<tool_call>\n{\"name\": \"book\", \"arguments\": {\"day\": \"x\", \"code\": "
	for family, c := range map[string]struct{ head, open, args, end, want string }{
		"glm-4.5": {glm, "", "</arg_value>\n</tool_call>", "", `{"day":"x","code":"bb"}`},
		"hermes":  {hermes, `"`, `"}`, "}\n</tool_call>", `{"day": "x", "code": "bb"}`},
	} {
		for _, batched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/batched %t", family, batched), func(t *testing.T) {
				reply, next := enginetest.Say(c.head+c.open+"ab"+c.args+c.end), enginetest.Say(c.open+"bb"+c.args+c.end)
				reply.Checks, next.Checks = []int{len(reply.Tokens) - len(c.end)}, []int{len(next.Tokens) - len(c.end)}
				reply.Again = []enginetest.Reply{next}
				e := enginetest.Script(reply)
				var m Models = scripted{e}
				if batched {
					m = scripted{batching{e}}
				}
				r := request()
				r.Model = family
				got := tell(t, m, r)
				if len(got.calls) != 1 || string(got.calls[0].Arguments) != c.want || got.text != "Well." || got.finish.Mending.Rewinds != 1 {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}
