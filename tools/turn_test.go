package tools

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar"
	"tenon/tools/declared"
)

// token is a piece of a scripted output.
type token struct {
	text   string
	symbol bool
}

func playTokens(p Parser, script ...token) message {
	var all []Event
	for _, t := range script {
		all = append(all, p.Token([]byte(t.text), t.symbol)...)
	}
	return collect(append(all, p.Close(false)...), p)
}

func bound(t *testing.T, family string, markers ...string) *Dialect {
	t.Helper()
	d, ok := Lookup(family)
	if !ok {
		t.Fatal(family)
	}
	return &Dialect{d.With(markers)}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

const weatherJSON = `{"name": "get_weather", "arguments": {"city": "Rome"}}`

// A marker that is a token and the same text in ordinary letters are different things (design §3).
func TestParser_symbolsAreNotTheirSpelling(t *testing.T) {
	d := bound(t, "hermes", "<tool_call>", "</tool_call>", "<think>", "</think>", "<|im_end|>")
	open, end := token{"<tool_call>", true}, token{"</tool_call>", true}
	for name, c := range map[string]struct {
		script []token
		want   string
		calls  int
	}{
		"a call of tokens":        {[]token{open, {weatherJSON, false}, end}, "", 1},
		"a call of letters":       {[]token{{"So <tool_call>" + weatherJSON + "</tool_call> is how", false}}, "So " + weatherJSON + " is how", 0},
		"an unknown token":        {[]token{{"a", false}, {"<|fim_pad|>", true}, {"b", false}}, "ab", 0},
		"a token between letters": {[]token{{"x <tool", false}, {"<|im_end|>", true}, {"_call> y", false}}, "x <tool_call y", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := playTokens(planFor(t, d, Thinking{}).Parser(), c.script...)
			if deref(got.Content) != c.want || len(got.Calls) != c.calls {
				t.Errorf("content %q, %d calls; want %q, %d", deref(got.Content), len(got.Calls), c.want, c.calls)
			}
		})
	}
}

func TestParser_aTokenInThinkingEndsIt(t *testing.T) {
	d := bound(t, "qwen", "<tool_call>", "</tool_call>", "<think>", "</think>")
	got := playTokens(planFor(t, d, Thinking{Open: true}).Parser(),
		token{"I could write <tool_call>, so: ", false}, token{"<tool_call>", true}, token{weatherJSON, false}, token{"</tool_call>", true}, token{"Done.", false})
	if deref(got.Reasoning) != "I could write , so:" || deref(got.Content) != "Done." || len(got.Calls) != 1 {
		t.Errorf("reasoning %q, content %q, calls %v", deref(got.Reasoning), deref(got.Content), got.Calls)
	}
}

// Without tools, control tokens and the model's own thinking markers go; the tags of calls are
// text.
func TestParser_aTurnWithoutToolsKeepsTags(t *testing.T) {
	for family, c := range map[string]struct{ raw, want string }{
		"hermes":      {"<think>a</think>The tag <tool_call> opens `</tool_call>`.<|im_end|>", "The tag <tool_call> opens `</tool_call>`."},
		"qwen3-coder": {"<tool_call>\n<function=f>\n</function>\n</tool_call>", "<tool_call>\n<function=f>\n</function>\n</tool_call>"},
		"kimi-k2":     {"x<|tool_call_begin|>y<|im_end|>", "xy"},
		"json":        {`{"tool": "x", "arguments": {}}`, `{"tool": "x", "arguments": {}}`},
	} {
		d, _ := Lookup(family)
		p, err := d.Plan(Turn{})
		if err != nil {
			t.Fatal(err)
		}
		if got := play(p.TextParser(), c.raw, 0, false); deref(got.Content) != c.want {
			t.Errorf("%s: %q, want %q", family, deref(got.Content), c.want)
		}
	}
}

// Text made under a client's grammar is data: nothing of it is a marker.
func TestParser_anAnswerUnderAGrammarIsUnchanged(t *testing.T) {
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Answer: &Answer{Syntax: "json_object"}})
	if err != nil {
		t.Fatal(err)
	}
	const answer = `{"name": "get_weather", "arguments": "</think> <tool_call>"}`
	got := play(p.TextParser(), "<think>\nhm\n</think>\n\n"+answer, 0, false)
	if deref(got.Content) != answer || deref(got.Reasoning) != "hm" {
		t.Errorf("content %q, reasoning %q", deref(got.Content), deref(got.Reasoning))
	}
}

func TestPlan_choiceLimitsWhatIsCalled(t *testing.T) {
	declared := defaultTools(t)
	d, _ := Lookup("hermes")
	raw := "<tool_call>\n" + weatherJSON + "\n</tool_call>\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call>"
	for name, c := range map[string]struct {
		turn Turn
		want []string
	}{
		"auto":       {Turn{Parallel: true}, []string{"get_weather", "get_time"}},
		"one call":   {Turn{}, []string{"get_weather"}},
		"none":       {Turn{Parallel: true, Choice: Choice{Mode: None}}, nil},
		"named":      {Turn{Parallel: true, Choice: Choice{Mode: Required, Names: []string{"get_time"}}}, []string{"get_time"}},
		"allowed":    {Turn{Parallel: true, Choice: Choice{Names: []string{"get_weather"}}}, []string{"get_weather"}},
		"after stop": {Turn{Parallel: true, Stops: []string{"nothing"}}, []string{"get_weather", "get_time"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.turn.Tools = declared
			p, err := d.Plan(c.turn)
			if err != nil {
				t.Fatal(err)
			}
			got := play(p.TextParser(), raw, 0, false)
			var names []string
			for _, call := range got.Calls {
				names = append(names, call.Name)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if strings.Contains(deref(got.Content), "tool_call>") {
				t.Errorf("content %q", deref(got.Content))
			}
		})
	}
}

func TestPlan_badDefinitionsNameTheirField(t *testing.T) {
	ok := Tool{Name: "a", Parameters: json.RawMessage(`{"type":"object"}`)}
	never := Tool{Name: "never", Parameters: json.RawMessage(`{"type":"object","properties":{"x":false},"required":["x"]}`)}
	for name, c := range map[string]struct {
		turn  Turn
		index int
		field string
	}{
		"no name":            {Turn{Tools: []Tool{ok, {}}}, 1, "name"},
		"twice":              {Turn{Tools: []Tool{ok, ok}}, 1, "name"},
		"not an object":      {Turn{Tools: []Tool{{Name: "b", Parameters: json.RawMessage(`[1]`)}}}, 0, "parameters"},
		"not JSON":           {Turn{Tools: []Tool{{Name: "b", Parameters: json.RawMessage(`{`)}}}, 0, "parameters"},
		"no schema":          {Turn{Tools: []Tool{{Name: "b", Parameters: json.RawMessage(`{"required": "x"}`)}}}, 0, "parameters"},
		"undeclared":         {Turn{Tools: []Tool{ok}, Choice: Choice{Mode: Required, Names: []string{"z"}}}, -1, "tool_choice"},
		"required, no tools": {Turn{Choice: Choice{Mode: Required}}, -1, "tool_choice"},
		"required, none fit": {Turn{Tools: []Tool{never}, Choice: Choice{Mode: Required}}, -1, "tool_choice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Fallback().Plan(c.turn)
			var bad *ToolError
			if !errors.As(err, &bad) || bad.Index != c.index || bad.Field != c.field {
				t.Errorf("%v (%+v), want index %d, field %q", err, bad, c.index, c.field)
			}
		})
	}
	p, err := Fallback().Plan(Turn{Tools: []Tool{ok, never}})
	if err != nil || uncallable(p)["never"] == "" {
		t.Errorf("%v, uncallable %v: one impossible tool must not cost the others", err, p)
	}
}

// uncallable are the tools that a plan tells it cannot call, and why.
func uncallable(p *Plan) map[string]string {
	all := map[string]string{}
	for _, i := range p.Issues() {
		if i.Action == declared.Uncallable {
			all[i.Tool] = i.Why
		}
	}
	return all
}

// Guarantee 2: schemas that nest too deep for the validator or hold too many others, or have
// numbers that templates cannot read, cost their tool and no other. They are said to, and are not
// shown to the model.
func TestPlan_unwieldySchemasCostTheirToolAlone(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"properties":{"a":`, n) + "{}" + strings.Repeat("}}", n)
	}
	for schema, why := range map[string]string{
		nested(100): "", nested(130): "nested more than 256 deep", nested(4000): "nested more than 256 deep",
		`{"properties":{"a":{"maximum":` + strings.Repeat("9", 1001) + `}}}`: "digits",
		`{"allOf":[` + strings.Repeat("{},", 40_000) + `{}]}`:                "more than 32768 schemas", `{"allOf":[` + strings.Repeat("true,", 40_000) + `{}]}`: "more than 32768 schemas",
		`{"properties":{"a":{"enum":[` + strings.Repeat(`"x",`, 40_000) + `"y"]}}}`: "",
	} {
		other := Tool{Name: "other", Parameters: json.RawMessage(`{"type":"object"}`)}
		p, err := Fallback().Plan(Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(schema)}, other}, Choice: Choice{Mode: Required}})
		if err != nil {
			t.Fatal(err)
		}
		if got := uncallable(p); (got["f"] == "") != (why == "") || !strings.Contains(got["f"], why) || got["other"] != "" {
			t.Errorf("%.50s: %v", schema, got)
		}
		if shown := string(p.Tools()[0].Parameters); why != "" && shown != "" {
			t.Errorf("%.50s is shown", shown)
		}
		_, err = Fallback().Plan(Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(schema)}}, Choice: Choice{Mode: Required}})
		if (err == nil) != (why == "") || err != nil && !strings.Contains(err.Error(), why) {
			t.Errorf("%.50s alone: %v", schema, err)
		}
	}
}

func TestParser_freeformInputIsText(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.py\n-\"x\"\n+</parameter>\n*** End Patch"
	tool := Tool{Name: "apply_patch", Freeform: &Freeform{}}
	input, _ := json.Marshal(patch)
	for family, raw := range map[string]string{
		"hermes":      `<tool_call>{"name": "apply_patch", "arguments": {"input": ` + string(input) + `}}</tool_call>`,
		"qwen":        `<tool_call>{"name": "apply_patch", "arguments": ` + string(input) + `}</tool_call>`,
		"qwen3-coder": "<tool_call>\n<function=apply_patch>\n<parameter=input>\n" + patch + "\n</parameter>\n</function>\n</tool_call>",
		"glm-4.5":     "<tool_call>apply_patch\n<arg_key>input</arg_key>\n<arg_value>" + patch + "</arg_value>\n</tool_call>",
		"gemma4":      `<|tool_call>call:apply_patch{input:<|"|>` + patch + `<|"|>}<tool_call|>`,
		"gpt-oss":     "<|channel|>commentary to=functions.apply_patch<|message|>" + patch + "<|call|>",
		"react":       "Action: apply_patch\nAction Input: {\"input\": " + string(input) + "}",
	} {
		d, _ := Lookup(family)
		p, err := d.Plan(Turn{Tools: []Tool{tool}})
		if err != nil {
			t.Fatal(err)
		}
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Input != patch {
			t.Errorf("%s: %+v, content %q", family, got.Calls, deref(got.Content))
		}
		if p.Tools()[0].Parameters == nil {
			t.Errorf("%s: the prompt must show the tool's one argument", family)
		}
	}
}

func TestParser_namespacesComeBack(t *testing.T) {
	list := []Tool{{Name: "read", Namespace: "files"}, {Name: "read", Namespace: "mail__"}}
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: list})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{p.Tools()[0].Name, p.Tools()[1].Name}
	if !slices.Equal(names, []string{"files__read", "mail__read"}) {
		t.Errorf("shown as %v", names)
	}
	q := p.TextParser()
	for _, e := range q.Token([]byte(`<tool_call>{"name": "mail__read", "arguments": {}}</tool_call>`), false) {
		if e.Kind == CallEnd && (e.Call.Name != "read" || e.Call.Namespace != "mail__") {
			t.Errorf("called %+v", e.Call)
		}
	}
}

func TestParser_stopsEndTextOnly(t *testing.T) {
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: defaultTools(t), Stops: []string{"STOP"}})
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		"a STOP b":     "a ",
		"a STO b":      "a STO b",
		"a ST":         "a ST",
		"SSTOPP":       "S",
		"no stop here": "no stop here",
	} {
		for _, n := range []int{0, 1} {
			if got := play(p.TextParser(), raw, n, false); deref(got.Content) != want {
				t.Errorf("%q in pieces of %d: %q, want %q", raw, n, deref(got.Content), want)
			}
		}
	}
	raw := `<tool_call>{"name": "write_file", "arguments": {"path": "STOP", "content": "STOP"}}</tool_call>`
	if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 {
		t.Errorf("a stop string broke a call: %+v", got)
	}
}

// Input that is itself JSON is not taken apart.
func TestParser_freeformInputMayBeAnObject(t *testing.T) {
	for family, raw := range map[string]string{
		"qwen":    `<tool_call>{"name": "note", "arguments": "{\"a\": 1}"}</tool_call>`,
		"gpt-oss": `<|channel|>commentary to=functions.note<|message|>{"a": 1}<|call|>`,
	} {
		d, _ := Lookup(family)
		p, err := d.Plan(Turn{Tools: []Tool{{Name: "note", Freeform: &Freeform{}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || got.Calls[0].Input != `{"a": 1}` {
			t.Errorf("%s: %+v, content %q", family, got.Calls, deref(got.Content))
		}
	}
}

func TestParser_freeformInputMatchesItsRegex(t *testing.T) {
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: []Tool{{Name: "dial", Freeform: &Freeform{Syntax: "regex", Definition: "[0-9]{3}"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for input, calls := range map[string]int{"112": 1, "1123": 0, "abc": 0} {
		got := play(p.TextParser(), `<tool_call>{"name": "dial", "arguments": {"input": "`+input+`"}}</tool_call>`, 0, false)
		if len(got.Calls) != calls {
			t.Errorf("%q: %d calls, want %d", input, len(got.Calls), calls)
		}
	}
	broken, err := d.Plan(Turn{Tools: []Tool{{Name: "patch", Freeform: &Freeform{Syntax: "lark", Definition: "start: ("}}}})
	if err != nil || len(broken.Issues()) != 1 || broken.Issues()[0].Action != grammar.Dropped {
		t.Errorf("%v: issues %v, want one that says that the grammar is dropped", err, broken.Issues())
	}
}

// A key that the schema does not speak of is the model's invention, unless the schema says that
// there may be others; a tool that declares an empty set of arguments takes none.
func TestPlan_argumentsThatAreNotDeclaredAreNotWritten(t *testing.T) {
	d, _ := Lookup("hermes")
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"x":{"type":"object","properties":{"y":{}}}}}`: false,
		`{"type":"object","properties":{"x":{}},"additionalProperties":true}`:          true,
		`{"type":"object","properties":{}}`:                                            false,
		`{"type":"object"}`:                                                            true,
	} {
		p, err := d.Plan(Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(schema)}}, Choice: Choice{Mode: Required}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := grammar.Parse(p.Grammar(), grammar.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := g.Matcher(nil)
		err = m.AcceptBytes([]byte("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"made_up\": 1}}\n</tool_call>"))
		if got := err == nil; got != want {
			t.Errorf("%s: an undeclared argument is written: %v (%v)", schema, got, err)
		}
	}
}

// Equal turns share the text of their grammar; turns that differ in anything do not.
func TestPlan_grammarFollowsTheTurn(t *testing.T) {
	d, _ := Lookup("hermes")
	seen := map[string]int{}
	for i, turn := range []Turn{{}, {Parallel: true}, {Choice: Choice{Mode: Required}}, {Choice: Choice{Names: []string{"get_time"}}}, {Thinking: Thinking{Open: true}}, {Stops: []string{"x"}}} {
		turn.Tools = defaultTools(t)
		for range 2 {
			p, err := d.Plan(turn)
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := seen[p.Grammar()]; ok && other != i {
				t.Errorf("turns %d and %d have one grammar", other, i)
			}
			seen[p.Grammar()] = i
		}
	}
}

// Issue 19: what names of tools cost grows with their number, not with its square.
func TestPlan_namesCostTheirNumber(t *testing.T) {
	bytes := func(n int) uint64 {
		var all Turn
		space := rand.Text() // plans are kept
		for i := range n {
			all.Tools = append(all.Tools, Tool{Namespace: space, Name: fmt.Sprintf("f%d", i), Parameters: json.RawMessage(`{"type":"object"}`)})
			all.Choice.Names = append(all.Choice.Names, PromptName(space, fmt.Sprintf("f%d", i)))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Fallback().Plan(all); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	bytes(10) // what is made once
	const few, many = 200, 1600
	if a, b := bytes(few), bytes(many); b > 2*many/few*a {
		t.Errorf("%d bytes are allocated for %d tools, %d for %d", a, few, b, many)
	}
}
