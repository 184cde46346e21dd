package chat

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
	"tenon/tools/conform"
)

var update = flag.Bool("update", false, "rewrite testdata/feedback.txt")

// mistakes has a schema of the argument v and a wrong value for each kind of fault.
var mistakes = []struct{ kind, schema, args string }{
	{"missing", `{"type":"string"}`, `{}`},
	{"not declared", `{"type":"integer"}`, `{"v":1,"w":2}`},
	{"type", `{"type":"integer"}`, `{"v":{"a":1}}`},
	{"enum", `{"enum":["c","f"]}`, `{"v":"kelvin"}`},
	{"const", `{"const":"yes"}`, `{"v":"no"}`},
	{"minimum", `{"type":"integer","minimum":3}`, `{"v":1}`},
	{"maximum", `{"type":"integer","maximum":-3}`, `{"v":1}`},
	{"exclusiveMinimum", `{"type":"number","exclusiveMinimum":2}`, `{"v":2}`},
	{"exclusiveMaximum", `{"type":"number","exclusiveMaximum":2}`, `{"v":2}`},
	{"multipleOf", `{"type":"integer","multipleOf":5}`, `{"v":7}`},
	{"minLength", `{"type":"string","minLength":5}`, `{"v":"x"}`},
	{"maxLength", `{"type":"string","maxLength":2}`, `{"v":"xyz"}`},
	{"pattern", `{"type":"string","pattern":"^[A-Z]{2}-[0-9]+$"}`, `{"v":"x"}`},
	{"format", `{"type":"string","format":"date"}`, `{"v":"tomorrow"}`},
	{"minItems", `{"type":"array","items":{"type":"integer"},"minItems":2}`, `{"v":[1]}`},
	{"maxItems", `{"type":"array","items":{"type":"integer"},"maxItems":1}`, `{"v":[1,2]}`},
	{"uniqueItems", `{"type":"array","items":{"type":"integer"},"uniqueItems":true}`, `{"v":[1,1]}`},
	{"contains", `{"type":"array","contains":{"const":7}}`, `{"v":[1]}`},
	{"nested", `{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"boolean"}}}}}`, `{"v":{"a":{}}}`},
	{"anyOf", `{"anyOf":[{"type":"integer","minimum":9},{"type":"boolean"}]}`, `{"v":"x"}`},
	{"not", `{"type":"string","not":{"const":"x"}}`, `{"v":"x"}`},
	{"several at once", `{"type":"object","required":["a"],"properties":{"b":{"type":"integer"}}}`, `{"v":{"b":{}},"w":2}`},
	{"no such tool", `{"type":"string"}`, ``},
	{"cannot be read", `{"type":"string"}`, `[`},
}

// S0-15: what a model reads of a call that was none, for each kind of fault. The sample that it is
// shown validates; there is none where none can be made up.
func TestFeedback_ofEachKindOfFault(t *testing.T) {
	var page strings.Builder
	for _, m := range mistakes {
		declared := json.RawMessage(`{"type":"object","additionalProperties":false,"required":["v"],"properties":{"v":` + m.schema + `}}`)
		wrong := `{"tool": "book", "arguments": ` + m.args + `}`
		if m.kind == "no such tool" {
			wrong = "<tool_call>\n{\"name\": \"bok\", \"arguments\": {\"v\": \"x\"}}\n</tool_call>"
		}
		r := request()
		if m.kind == "no such tool" {
			r.Model = "hermes" // in its marks a call of any name is one
		}
		r.Tools = []tools.Tool{{Name: "book", Parameters: declared}}
		e := enginetest.Script(enginetest.Say(wrong), enginetest.Say("No."))
		e.Info.Can = enginetest.Unmasked
		o := runService(t, &Service{}, e, r)
		fmt.Fprintf(&page, "== %s: %s %s\n", m.kind, m.schema, m.args)
		if len(o.engine.Turns()) != 2 {
			fmt.Fprintf(&page, "(not tried again: %v)\n", o.choice.Finish.Notes)
			continue
		}
		_, told, _ := strings.Cut(o.engine.Turns()[1].Prompt.String(), "Error: ")
		told, _, _ = strings.Cut(told, "\n\nAssistant:")
		page.WriteString(told + "\n")
		if _, sample, ok := strings.Cut(told, "with the arguments "); ok {
			if faults := conform.Compile(declared).Faults([]byte(strings.TrimSuffix(sample, "."))); len(faults) > 0 {
				t.Errorf("%s: the sample %s does not validate: %v", m.kind, sample, faults)
			}
		}
	}
	const golden = "testdata/feedback.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Error(diff)
	}
}

// S0-12: the seven points, every name, and an example that fits what was declared, also where the
// model is shown less of it.
func TestGuidance_hasSevenPointsAndAValidExample(t *testing.T) {
	for _, m := range mistakes {
		declared := json.RawMessage(`{"type":"object","additionalProperties":false,"required":["v"],"properties":{"v":` + m.schema + `}}`)
		var teaching Teaching
		teaching.Guidance = true
		teaching.Simplify.EnumText, teaching.Simplify.HideOthers = true, true
		model, err := prepared.Prepare(catalog.Entry{ID: "m"}, enginetest.Script(), prepared.Options{Teaching: teaching})
		if err != nil {
			t.Fatal(err)
		}
		r, err := model.Renderer.Render(templates.Conversation{
			Messages: []templates.Message{{Role: templates.User, Text: "hi"}}, Tools: []templates.Tool{{Name: "book", Parameters: declared}},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, example, shown := strings.Cut(r.String(), "Example of a call of book:\n")
		var call struct{ Arguments json.RawMessage }
		if err := json.NewDecoder(strings.NewReader(example)).Decode(&call); shown && (err != nil || len(conform.Compile(declared).Faults(call.Arguments)) > 0) {
			t.Errorf("%s: %v: the example %s does not validate", m.kind, err, example)
		}
		for _, point := range []string{"book(", "exact name", "every required argument", "with the right type", "may be left out", "none that is not listed", "ask the user instead"} {
			if !strings.Contains(r.String(), point) {
				t.Errorf("%s: nothing says %q:\n%s", m.kind, point, r)
			}
		}
		if rare := m.kind == "not"; !shown && !rare {
			t.Errorf("%s: no example", m.kind)
		}
	}
}
