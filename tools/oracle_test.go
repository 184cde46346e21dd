package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/templates"
	"tenon/tools"
)

// The oracle from outside (issue 6, property 6): a vendor's own template renders a turn with
// calls, the turn is cut out of the prompt and parsed, and gives back what was rendered.

const oracleSchema = `{"type":"object","properties":{
	"city":{"type":"string","description":"where"},
	"days":{"type":"integer","description":"how many"},
	"opts":{"type":"object","description":"more","properties":{"list":{"type":"array","items":{"type":"number"}},"deep":{"type":"object"}}},
	"on":{"type":"boolean","description":"whether"}},"required":["city"],"additionalProperties":false}`

var oracleCalls = []templates.Call{
	{ID: "abcdefgh0", Name: "get_weather", Arguments: `{"city":"Zürich \"x\" <b>","days":3,"opts":{"list":[1,2.5],"deep":{"a":{"b":"c, d"}}},"on":true}`},
	{ID: "abcdefgh1", Name: "get_time", Arguments: `{"city":"東京"}`},
	{ID: "abcdefgh2", Name: "get_weather", Arguments: `{"city":"São Paulo\nline two","on":false}`},
}

// oracleTurn is what one rendering says.
type oracleTurn struct {
	text, thinking string
	calls          int
}

func TestOracle_renderedTurnsParseBack(t *testing.T) {
	eachNative(t, func(name, source string, tmpl *templates.Template) {
		for _, turn := range oracleTurns(tmpl.Probe()) {
			t.Run(name, func(t *testing.T) { checkOracle(t, tmpl, source, turn) })
		}
	})
}

// eachNative visits the vendors' templates that show calls in a format of their own.
func eachNative(t *testing.T, visit func(name, source string, tmpl *templates.Template)) {
	t.Helper()
	paths, _ := filepath.Glob("../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../../shared/data/templates is absent")
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tmpl, err := templates.Parse(string(source), templates.Options{BOS: "<bos>"})
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if tmpl.Probe().Native() {
			visit(filepath.Base(path), string(source), tmpl)
		}
	}
}

// oracleTurns are the turns that a template can show.
func oracleTurns(p templates.Probe) []oracleTurn {
	most := 1
	if p.Calls == templates.CallsMany {
		most = 3
	}
	var all []oracleTurn
	for calls := range most + 1 {
		for _, text := range []string{"", "I will look: <b>ü</b>."} {
			if text == "" && calls == 0 || text != "" && calls > 0 && !p.CallsWithText {
				continue
			}
			all = append(all, oracleTurn{text: text, calls: calls})
			if len(p.ThinkingMarkers) > 0 && (text == "" || p.ThinkingWithText) {
				all = append(all, oracleTurn{text: text, thinking: "Hm, <i>ü</i>: 1 < 2.", calls: calls})
			}
		}
	}
	return all
}

func checkOracle(t *testing.T, tmpl *templates.Template, source string, turn oracleTurn) {
	raw, inThinking, whole := cutTurn(tmpl, turn)
	d := tools.Detect(tools.Evidence{Template: source})
	plan, err := d.Plan(tools.Turn{Tools: []tools.Tool{
		{Name: "get_weather", Parameters: json.RawMessage(oracleSchema)},
		{Name: "get_time", Parameters: json.RawMessage(oracleSchema)},
	}, Parallel: true, Thinking: tools.Thinking{Open: inThinking}})
	if err != nil {
		t.Fatal(err)
	}
	q := plan.TextParser()
	var text, thinking strings.Builder
	var got []map[string]any
	for _, e := range append(slices.Clone(q.Token([]byte(raw), false)), q.Close(false)...) {
		switch e.Kind {
		case tools.Text:
			text.WriteString(e.Text)
		case tools.Reasoning:
			thinking.WriteString(e.Text)
		case tools.CallEnd:
			var args any
			if err := json.Unmarshal(e.Call.Arguments, &args); err != nil {
				t.Fatal(err)
			}
			got = append(got, map[string]any{"name": e.Call.Name, "arguments": args})
		}
	}
	var want []map[string]any
	for _, c := range oracleCalls[:turn.calls] {
		var args any
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			t.Fatal(err)
		}
		want = append(want, map[string]any{"name": c.Name, "arguments": args})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: calls in %q (-want +got):\n%s\n%v", d.Name(), raw, diff, q.Notes())
	}
	if s := strings.TrimSpace(thinking.String()); turn.thinking != "" && strings.Contains(raw, turn.thinking) && s != turn.thinking {
		t.Errorf("%s: thinking in %q is %q, want %q", d.Name(), raw, s, turn.thinking)
	}
	if s := strings.TrimSpace(text.String()); whole && s != turn.text && strings.Contains(raw, turn.text) {
		t.Errorf("%s: text in %q is %q, want %q", d.Name(), raw, s, turn.text)
	}
}

// cutTurn renders a turn and cuts out what the model would have written: what follows the
// generation prompt, up to the end of the turn. whole says that it is nothing but that.
func cutTurn(tmpl *templates.Template, turn oracleTurn) (raw string, inThinking, whole bool) {
	c := templates.Conversation{
		Messages: []templates.Message{{Role: templates.User, Text: "QQQ"}},
		Tools: []templates.Tool{
			{Name: "get_weather", Description: "d", Parameters: json.RawMessage(oracleSchema)},
			{Name: "get_time", Description: "d", Parameters: json.RawMessage(oracleSchema)},
		},
	}
	before, err := tmpl.Render(c)
	if err != nil {
		return "", false, false
	}
	c.Messages = append(c.Messages, templates.Message{Role: templates.Assistant, Text: turn.text, Reasoning: turn.thinking, Calls: oracleCalls[:turn.calls]})
	for _, call := range oracleCalls[:turn.calls] {
		c.Messages = append(c.Messages, templates.Message{Role: templates.ToolRole, CallID: call.ID, Name: call.Name, Text: "RRR"})
	}
	if turn.calls == 0 {
		c.Messages = append(c.Messages, templates.Message{Role: templates.User, Text: "RRR"})
	}
	after, err := tmpl.Render(c)
	if err != nil {
		return "", false, false
	}
	prompt, all := before.String(), after.String()
	end, ok := turnEnd(after)
	if rest, found := strings.CutPrefix(all[:end], prompt); found {
		return rest, before.Thinking, ok
	}
	// Earlier turns are shown without the thinking that the generation prompt opens: cut
	// behind what both have.
	n := 0
	for n < len(prompt) && n < end && prompt[n] == all[n] {
		n++
	}
	n = strings.LastIndexAny(prompt[:n], ">]\n:") + 1
	// both may have its opening one
	if marks := tmpl.Probe().ThinkingMarkers; len(marks) == 2 && turn.thinking != "" {
		inThinking = strings.LastIndex(prompt[:n], strings.TrimSpace(marks[0])) > strings.LastIndex(prompt[:n], strings.TrimSpace(marks[1]))
	}
	// else tools have moved, and all behind them
	return all[n:end], inThinking, ok && !strings.Contains(all[n:end], "QQQ")
}

// turnEnds are what the templates here write behind an assistant's turn.
var turnEnds = regexp.MustCompile(`</assistant>|<end_of_sentence>|<seed:eos>|<turn\|>|<\|END_OF_TURN_TOKEN\|>|<\|END_RESPONSE\|>|<\|END_TEXT\|>|` +
	`<\|assistant_end\|>|<\|end_of_text\|>|<\|end\|>|<\|eot_id\|>|<\|im_end\|>|<\|message_sep\|>|<\|user\|>|<｜end▁of▁sentence｜>|\[INST\]|\[e~\[`)

// turnEnd is where the second message of a prompt is over. Where that is not known it is the end:
// what follows is results, which hold no calls.
func turnEnd(r templates.Rendering) (end int, ok bool) {
	at, last, next := 0, -1, -1
	for _, s := range r.Segments {
		if own := s.Kind == templates.Content && s.Field < templates.FieldTool; own && s.Message == 1 {
			last = at + len(s.Text)
		} else if own && last >= 0 && next < 0 {
			next = at
		}
		at += len(s.Text)
	}
	if last < 0 || next < last {
		return at, false
	}
	found := turnEnds.FindStringIndex(r.String()[last:next])
	if found == nil {
		return at, false
	}
	return last + found[0], true
}

// Why the grammar ends a turn with its calls: no vendor's template shows text behind them,
// wherever a client keeps it. Gemma 4's do, but what they show there is written once the results
// have come, which its models are taught to wait for.
func TestOracle_noTemplateShowsTextBehindCalls(t *testing.T) {
	shown := 0
	eachNative(t, func(name, _ string, tmpl *templates.Template) {
		if !tmpl.Probe().CallsWithText {
			return
		}
		const text = "I will look."
		raw, _, _ := cutTurn(tmpl, oracleTurn{text: text, calls: 1})
		at, call := strings.Index(raw, text), strings.LastIndex(raw, "deep")
		if at < 0 || call < 0 {
			return
		}
		if shown++; at > call && !strings.HasPrefix(name, "google-gemma-4") {
			t.Errorf("%s: text stands behind the call: %q", name, raw)
		}
	})
	t.Logf("%d templates show text and a call", shown)
}
