package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/worker/runner"
	"tenon/templates"
	"tenon/tools"
	"tenon/tools/conform"
)

var errNoise = errors.New("the mask is empty")

// The matrix of issue 6: every dialect, every choice, one call or several, thinking as the model
// likes, opened by the prompt or off, written by a model that writes whatever the masks allow,
// told as it is written and as a whole.

// matrixTools are of every kind: enforced by the mask, checked after it, without arguments, with
// text as input, in a namespace.
var matrixTools = []tools.Tool{
	{Name: "get_weather", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1,"maximum":14},
		"unit":{"enum":["celsius","fahrenheit"]},"opts":{"type":"object","properties":{"on":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}},
		"required":["city"],"additionalProperties":false}`)},
	{Name: "get_time"},
	{Name: "find", Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string","pattern":"^(a|b)\\1$"}},"required":["q"]}`)},
	{Name: "note", Namespace: "files", Freeform: &tools.Freeform{Syntax: "regex", Definition: "[a-z ]{1,20}"}},
}

// matrixChoices by name.
var matrixChoices = map[string]tools.Choice{
	"auto":     {},
	"none":     {Mode: tools.None},
	"required": {Mode: tools.Required},
	"named":    {Mode: tools.Required, Names: []string{"get_weather"}},
	"allowed":  {Names: []string{"get_time", "find"}},
	"one of":   {Mode: tools.Required, Names: []string{"note", "get_weather"}},
}

// matrixStops end visible text, in every other turn, and nothing else.
var matrixStops = []string{"!", "zz"}

// matrixThinking by name: what the request says, and whether the prompt opens it.
var matrixThinking = map[string]struct {
	asked Thinking
	open  bool
}{
	"as it likes": {},
	"off":         {asked: Thinking{Enabled: new(bool)}},
	"prefilled":   {open: true},
	"short":       {asked: Thinking{Budget: 5}, open: true},
}

// cell is one turn of the matrix.
type cell struct {
	family, choice, thinking string
	oneCall, tokens          bool // tokens: the vocabulary has the markers
}

func (c cell) String() string {
	return fmt.Sprintf("%s/%s/thinking %s/one call %t/tokens %t", c.family, c.choice, c.thinking, c.oneCall, c.tokens)
}

func (c cell) request(seed uint32) Request {
	r := Request{
		Model: c.family, Tools: matrixTools, Choice: matrixChoices[c.choice], OneCall: c.oneCall, Thinking: matrixThinking[c.thinking].asked,
		MaxTokens: 500, Logprobs: -1, Sampling: engine.Sampling{Seed: &seed},
		Conversation: templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: "go"}}},
	}
	if seed%2 == 0 {
		r.Stops = matrixStops
	}
	return r
}

// noisy serves families by name on one engine.
type noisy struct {
	engine  engine.Engine
	dialect *tools.Dialect
	opens   bool // its prompts open thinking
}

func (n noisy) Acquire(context.Context, string) (Model, func(), error) {
	return Model{ID: "m", Engine: n.engine, Renderer: openingRenderer{opens: n.opens}, Dialect: n.dialect, Thinks: true}, func() {}, nil
}

// openingRenderer leaves calls to the family and may open thinking.
type openingRenderer struct {
	familyRenderer
	opens bool
}

func (o openingRenderer) Render(c templates.Conversation) (templates.Rendering, error) {
	r, err := o.familyRenderer.Render(c)
	r.Thinking = o.opens
	r.Stops = nil
	return r, err
}

// bind gives a family to a model whose vocabulary has its markers as tokens, or not.
func bind(d *tools.Dialect, tokens bool) (bound *tools.Dialect, markers []string) {
	if tokens {
		markers = tokenMarkers(d)
	}
	return &tools.Dialect{Dialect: d.With(markers)}, markers
}

// By default every family has a 29th of its cells, another one than its neighbours have;
// TENON_ALL=1 runs them all.
func TestMatrix_everyTurnKeepsItsPromises(t *testing.T) {
	const sample = 29
	all := os.Getenv("TENON_ALL") != ""
	for i, d := range tools.Families() {
		for k, tokens := range []bool{false, true} {
			bound, markers := bind(d, tokens)
			e := &said{Engine: runner.New(newNoise(markers), runner.Options{Slots: 1, HostMemory: -1})}
			for n, c := range cells(d.Name(), tokens) {
				if all || (n+i+2*k)%sample == 0 {
					t.Run(c.String(), func(t *testing.T) { checkCell(t, c, e, bound, uint32(i*1000+n)) })
				}
			}
			_ = e.Close()
		}
	}
}

func cells(family string, tokens bool) []cell {
	var all []cell
	for choice := range matrixChoices {
		for thinking := range matrixThinking {
			for _, one := range []bool{false, true} {
				all = append(all, cell{family, choice, thinking, one, tokens})
			}
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func checkCell(t *testing.T, c cell, e *said, d *tools.Dialect, seed uint32) {
	end := d.Think.Close
	m := noisy{e, d, matrixThinking[c.thinking].open && end != ""}
	r := c.request(seed)
	live := tell(t, m, r)
	checkPromises(t, c, d, live)
	for _, stop := range r.Stops {
		if strings.Contains(live.text, stop) || live.finish.Reason == StopSequence && len(live.calls) > 0 {
			t.Errorf("under the stop %q: text %q, %d calls, finish %s", stop, live.text, len(live.calls), live.finish.Reason)
		}
	}
	whole := tell(t, noisy{enginetest.Script(enginetest.Reply{Tokens: joined(e.tokens), Reason: e.reason}), d, m.opens}, r)
	ids := cmpopts.IgnoreFields(tools.Call{}, "ID")
	if diff := cmp.Diff(whole.calls, live.calls, ids); diff != "" || whole.text != live.text || whole.reasoning != live.reasoning {
		t.Errorf("whole %q, %q; streamed %q, %q; calls (-whole +streamed)\n%s", whole.reasoning, whole.text, live.reasoning, live.text, diff)
	}
	if t.Failed() {
		var raw []byte
		for _, token := range e.tokens {
			raw = append(raw, token.Bytes...)
		}
		t.Logf("output %q", raw)
	}
}

// told is an answer put together from its pieces alone.
type told struct {
	text, reasoning string
	calls           []tools.Call
	finish          Finish
}

// tell runs a turn and puts its pieces together, as a client does that reads a stream. The whole
// answer must be the same.
func tell(t *testing.T, m Models, r Request) told {
	t.Helper()
	return tellOf(t, &Service{Models: m}, r)
}

func tellOf(t *testing.T, s *Service, r Request) told {
	t.Helper()
	var out told
	var c Collector
	args, begun := "", 0
	err := s.Run(t.Context(), r, func(e Event) error {
		switch e.Kind {
		case Text:
			out.text += e.Text
		case Reasoning:
			out.reasoning += e.Text
		case CallStart:
			begun++
			if args = ""; e.Call.Index != len(out.calls) || e.Call.ID == "" || e.Call.Name == "" {
				t.Errorf("call %d begins as %+v", len(out.calls), e.Call)
			}
		case CallArguments:
			args += e.Text
		case CallEnd:
			out.calls = append(out.calls, e.Call)
			if args != string(e.Call.Arguments)+e.Call.Input {
				t.Errorf("the pieces of a call are %q, the whole %+v", args, e.Call)
			}
		case Finished:
			out.finish = e.Finish
		}
		return c.Add(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if begun != len(out.calls) {
		t.Errorf("%d calls were begun, %d ended", begun, len(out.calls))
	}
	whole := c.Result().Choices[0]
	if diff := cmp.Diff(whole.Calls, out.calls); diff != "" || whole.Text != out.text || whole.Reasoning != out.reasoning {
		t.Errorf("the whole answer is %+v, its pieces are %+v", whole, out)
	}
	return out
}

func checkPromises(t *testing.T, c cell, d *tools.Dialect, got told) {
	t.Helper()
	for _, call := range got.calls {
		checkCall(t, call, matrixChoices[c.choice])
	}
	for _, m := range d.Markers() {
		if strings.Contains(got.text, m) || strings.Contains(got.reasoning, m) {
			t.Errorf("the marker %q is in %q or %q", m, got.reasoning, got.text)
		}
	}
	mode := matrixChoices[c.choice].Mode
	switch n := len(got.calls); {
	case mode == tools.None && n > 0, c.oneCall && n > 1:
		t.Errorf("%d calls", n)
	case mode == tools.Required && n == 0 && got.finish.Mending.Refused == 0 && !rewrittenShort(got.finish):
		t.Errorf("no call: text %q, finish %+v", got.text, got.finish)
	}
	// its thoughts are how it comes to a call
	if c.thinking == "off" && got.reasoning != "" && c.family != "react" {
		t.Errorf("thinking %q", got.reasoning)
	}
	if want := len(got.calls) > 0; (got.finish.Reason == ToolCalls) != want && got.finish.Reason != Length {
		t.Errorf("%d calls, finish %s", len(got.calls), got.finish.Reason)
	}
}

// rewrittenShort tells that a call could not be written anew in what the budget left.
func rewrittenShort(f Finish) bool { return f.Reason == Length && f.Mending.Rewinds > 0 }

// checkCall holds a call against the guarantee: it names a declared tool that may be called, and
// fits its schema.
func checkCall(t *testing.T, call tools.Call, choice tools.Choice) {
	t.Helper()
	i := slices.IndexFunc(matrixTools, func(o tools.Tool) bool { return o.Name == call.Name && o.Namespace == call.Namespace })
	if i < 0 || len(choice.Names) > 0 && !slices.Contains(choice.Names, call.Name) {
		t.Errorf("call of %q %q", call.Namespace, call.Name)
		return
	}
	switch tool := matrixTools[i]; {
	case tool.Freeform != nil:
		if strings.Trim(call.Input, "abcdefghijklmnopqrstuvwxyz ") != "" || call.Input == "" || len(call.Input) > 20 {
			t.Errorf("input %q", call.Input)
		}
	case tool.Parameters == nil:
		if !json.Valid(call.Arguments) || call.Arguments[0] != '{' {
			t.Errorf("arguments %q", call.Arguments)
		}
	default:
		if err := conform.Compile(tool.Parameters).Validate(call.Arguments); err != nil {
			t.Errorf("arguments %q: %v", call.Arguments, err)
		}
	}
}
