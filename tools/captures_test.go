package tools

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tenon/grammar"
	"tenon/tools/parse"
)

// asWritten is a transcript's text as the model writes it behind its prompt.
func asWritten(tr transcript, p *Plan) string {
	raw := tr.raw
	for _, end := range p.core.Dialect.Ends {
		raw = strings.TrimSuffix(raw, end)
	}
	if rest, ok := strings.CutPrefix(raw, p.core.Dialect.Lead); ok {
		raw = rest
	}
	return raw
}

func compiled(t testing.TB, p *Plan) *grammar.Grammar {
	t.Helper()
	g, err := grammar.Parse(p.Grammar(), grammar.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.core.Dialect.Key, err, p.Grammar())
	}
	return g
}

// sameMessage leaves out what only the tolerant parser does: name repairs, and say what it did.
var sameMessage = cmpopts.IgnoreFields(message{}, "Repairs", "Notes")

// What the grammar accepts, both parsers read alike; and the parser that follows the grammar never
// leaves it.
func TestCaptures_agreeWithTheTolerantParserOnGoldens(t *testing.T) {
	read := 0
	for _, tr := range transcripts(t) {
		p := tr.plan(t)
		raw := asWritten(tr, p)
		m := compiled(t, p).Matcher(nil)
		if m.AcceptBytes([]byte(raw)) != nil || !m.Done() {
			continue
		}
		read++
		t.Run(tr.path, func(t *testing.T) {
			want := play(p.TextParser(), raw, 0, false)
			for _, n := range []int{0, 1, 3, 16} {
				q := p.Parser()
				if diff := cmp.Diff(want, play(q, raw, n, false), sameMessage); diff != "" {
					t.Errorf("in pieces of %d (-tolerant +captures):\n%s", n, diff)
				}
				if q.(*parse.Constrained).Rest != nil {
					t.Error("the grammar refused what it accepts")
				}
			}
		})
	}
	if read < 300 {
		t.Errorf("only %d transcripts are in their grammar", read)
	}
}

// Arguments leave while they are written where the grammar enforces the whole schema, and at their
// end where it does not.
func TestCaptures_argumentsLeaveAsTheyAreWritten(t *testing.T) {
	for name, c := range map[string]struct{ family, schema, raw, sent string }{
		"json":                       {"hermes", `{"type":"object","properties":{"a":{"type":"string"}}}`, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\\ny", `{"a": "x\ny`},
		"tags":                       {"qwen3-coder", `{"type":"object","properties":{"a":{"type":"string"}}}`, "<tool_call>\n<function=f>\n<parameter=a>\nx\"y", `{"a":"x\"y`},
		"two tags":                   {"qwen3-coder", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, "<tool_call>\n<function=f>\n<parameter=b>\n12\n</parameter>\n<parameter=a>\nx", `{"b":12,"a":"x`},
		"pythonic":                   {"lfm2", `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"string"}}}`, `<|tool_call_start|>[f(a=True, b="x`, `{"a":true,"b":"x`},
		"dictionary":                 {"gemma4", `{"type":"object","properties":{"a":{"type":"string"}}}`, `<|tool_call>call:f{a:<|"|>x "y`, `{"a":"x \"y`},
		"in dictionary":              {"gemma4", `{"type":"object","properties":{"o":{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}}}}}`, `<|tool_call>call:f{o:{n:5,l:[<|"|>x<|"|>,<|"|>y "z`, ""},
		"in elements":                {"minimax-m3", `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}}}}}}`, "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">\n]<]minimax[>[<l>]<]minimax[>[<item>]<]minimax[>[<b>true]<]minimax[>[</b>]<]minimax[>[</item>]<]minimax[>[<item>]<]minimax[>[<a>x <b>", ""},
		"one item, Command R+":       {"command-r-plus", `{"type":"object","properties":{"a":{"type":"string"}}}`, "Action:\n```json\n[{\"tool_name\": \"f\", \"parameters\": {\"a\": \"x", `{"a": "x`},
		"Llama 4's list":             {"llama4", `{"type":"object","properties":{"a":{"type":"string"}}}`, `[f(a="x`, `{"a":"x`},
		"Llama 4's list in its tags": {"llama4", `{"type":"object","properties":{"a":{"type":"string"}}}`, `<|python_start|>[f(a="x`, `{"a":"x`},
		"bare objects":               {"llama3", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"name": "f", "parameters": {"a": "x`, `{"a": "x`},
		"held":                       {"hermes", `{"type":"object","properties":{"a":{"type":"string","format":"idn-hostname"}}}`, "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x", ""},
		"held for root":              {"qwen3-coder", `{"type":"object","properties":{"a":{"type":"string"}},"minProperties":1}`, "<tool_call>\n<function=f>\n<parameter=a>\nx", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := Lookup(c.family)
			p, err := d.Plan(Turn{Tools: []Tool{{Name: "f", Parameters: json.RawMessage(c.schema)}}})
			if err != nil {
				t.Fatal(err)
			}
			q := p.Parser()
			sent, started := "", 0
			for _, b := range []byte(c.raw) {
				for _, e := range q.Token([]byte{b}, false) {
					sent += map[bool]string{true: e.Text}[e.Kind == CallArguments]
					if e.Kind == CallStart {
						started++
					}
				}
			}
			if sent != c.sent || (started == 1) != (c.sent != "") {
				t.Errorf("%d calls begun, sent %q, want %q", started, sent, c.sent)
			}
			if q.(*parse.Constrained).Rest != nil {
				t.Errorf("left the grammar:\n%s", p.Grammar())
			}
		})
	}
}

// Output that its grammar does not accept is read by the tolerant parser; nothing that has been
// sent is sent again or taken back.
func TestCaptures_outputThatLeavesTheGrammarIsReadAnyway(t *testing.T) {
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{})
	for raw, want := range map[string]message{
		"Hi.\n<tool_call>{\"name\": \"get_time\", \"arguments\": {}}</tool_call>": {Content: orNil("Hi."), Calls: []messageCall{{Name: "get_time", Arguments: map[string]any{}}}},
		"<think>a</think>b</tool_call>c":                                          {Content: orNil("bc"), Reasoning: orNil("a"), Calls: []messageCall{}},
		"<think>never closed <tool":                                               {Reasoning: orNil("never closed <tool"), Calls: []messageCall{}},
		"<tool_call>\n{\"name\": \"get_time\", \"arguments\": {}}\n</tool_call><|im_end|>\n<|im_start|>user": {Content: orNil("user"), Calls: []messageCall{{Name: "get_time", Arguments: map[string]any{}}}},
	} {
		for _, n := range []int{0, 1, 5} {
			if diff := cmp.Diff(want, play(p.Parser(), raw, n, false), sameMessage); diff != "" {
				t.Errorf("%q in pieces of %d (-want +got):\n%s", raw, n, diff)
			}
		}
	}
}

// A call of which a part has been sent cannot be taken back, and what the model did not write is
// not invented: it stays open, and the parser says so. Where the output was cut off, it ends as
// the mask would have had it end.
func TestCaptures_callThatLeavesTheGrammarIsNotEndedByAnInventedValue(t *testing.T) {
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{})
	for raw, args := range map[string]string{
		"a\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rom\", \"days\": \"3\"}}\n</tool_call>b": `{"city": "Rom", "days": `,
		"<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"cit":                                                  `{"cit`,
	} {
		for _, n := range []int{0, 1, 5} {
			q := p.Parser()
			all := slices.Concat(feed(q, raw, n), q.Close(false))
			sent, ended := "", 0
			for _, e := range all {
				switch e.Kind {
				case CallArguments:
					sent += e.Text
				case CallEnd:
					ended++
				}
			}
			if !q.Broken() || ended > 0 || !strings.HasPrefix(args, sent) {
				t.Errorf("%q in pieces of %d: broken %t, %d calls ended, sent %q", raw, n, q.Broken(), ended, sent)
			}
			q = p.Parser()
			cut := raw[:strings.Index(raw, "cit")+3]
			_ = feed(q, cut, n)
			if last := q.Close(true); q.Broken() || last[len(last)-1].Kind != CallEnd || !json.Valid(last[len(last)-1].Call.Arguments) {
				t.Errorf("%q cut off: broken %t, %+v", cut, q.Broken(), last)
			}
		}
	}
}

const patchGrammar = `start: begin hunk+ "*** End Patch" LF?
begin: "*** Begin Patch" LF
hunk: "*** Add File: " /[^\n]+/ LF ("+" /[^\n]*/ LF)+ | "*** Delete File: " /[^\n]+/ LF
%import common.LF
`

// Free-form tools work in every dialect: what the mask allows is text that the tool's own grammar
// accepts.
func TestCaptures_freeformToolsInEveryDialect(t *testing.T) {
	v := byteVocab(t)
	r := rand.New(rand.NewPCG(3, 9))
	all := []Tool{
		{Name: "apply_patch", Freeform: &Freeform{Syntax: "lark", Definition: patchGrammar}},
		{Name: "dial", Namespace: "phone", Freeform: &Freeform{Syntax: "regex", Definition: `[0-9]{3}-"x"`}},
		{Name: "note", Freeform: &Freeform{}},
	}
	for _, d := range Families() {
		for _, tool := range all {
			p, err := d.Plan(Turn{Tools: all, Choice: Choice{Mode: Required, Names: []string{tool.Name}}, Thinking: Thinking{Off: true}})
			if err != nil || len(p.Issues()) > 0 {
				t.Fatalf("%s: %v, issues %v", d.Key, err, p.Issues())
			}
			text := walk(t, compiled(t, p).Matcher(v), r)
			got := play(p.Parser(), string(text), 1, false)
			at, _ := p.core.Names.Find(PromptName(tool.Namespace, tool.Name))
			if len(got.Calls) != 1 || got.Calls[0].Name != tool.Name || !p.core.Tools[at.Tool].Matches(got.Calls[0].Input) {
				t.Errorf("%s: %q: %+v", d.Key, text, got)
			}
		}
	}
}
