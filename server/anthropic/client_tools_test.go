package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"tenon/grammar"
	"tenon/tools/conform"
)

// Issue 23: tools that Anthropic defines and the client runs are declared by their type alone, and
// have their published inputs: what each command demands, and what no version of it had.
func TestClientTools_haveTheirPublishedSchemas(t *testing.T) {
	const (
		view    = `{"command":"view","path":"/a","view_range":[1,-1]}`
		create  = `{"command":"create","path":"/a","file_text":"x"}`
		replace = `{"command":"str_replace","path":"/a","old_str":"x","new_str":"y"}`
		older   = `{"command":"insert","path":"/a","insert_line":0,"new_str":"x"}`
		newer   = `{"command":"insert","path":"/a","insert_line":0,"insert_text":"x"}`
		undo    = `{"command":"undo_edit","path":"/a"}`
		noText  = `{"command":"create","path":"/a"}`
		noOld   = `{"command":"str_replace","path":"/a","new_str":"y"}`
		noPath  = `{"command":"view"}`
		three   = `{"command":"view","path":"/a","view_range":[1,2,3]}`
		drag    = `{"action":"left_click_drag","start_coordinate":[1,2],"coordinate":[3,4]}`
		scroll  = `{"action":"scroll","coordinate":[1,2],"scroll_direction":"down","scroll_amount":3}`
		zoom    = `{"action":"zoom","region":[0,0,9,9]}`
	)
	for kind, want := range map[string]struct {
		name        string
		fits, wrong []string
	}{
		"bash_20241022":        {"bash", []string{`{"command":"ls"}`, `{"restart":true}`}, []string{`{}`, `{"restart":false}`}},
		"bash_20250124":        {"bash", []string{`{"command":"ls"}`, `{"restart":true}`}, []string{`{}`}},
		"text_editor_20241022": {"str_replace_editor", []string{view, create, replace, older, undo}, []string{newer, noText, noOld, noPath, three, `{"path":"/a"}`}},
		"text_editor_20250124": {"str_replace_editor", []string{view, create, replace, older, undo}, []string{newer, noText, noOld}},
		"text_editor_20250429": {"str_replace_based_edit_tool", []string{view, create, replace, newer}, []string{older, undo, noText}},
		"text_editor_20250728": {"str_replace_based_edit_tool", []string{view, create, replace, newer}, []string{older, undo, noText}},
		"memory_20250818": {
			"memory", []string{view, create, replace, newer, `{"command":"delete","path":"/memories/a"}`, `{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}`},
			[]string{older, undo, noText, `{"command":"rename","path":"/memories/a"}`},
		},
		"computer_20241022": {
			"computer", []string{`{"action":"screenshot"}`, `{"action":"type","text":"a"}`, `{"action":"mouse_move","coordinate":[1,2]}`},
			[]string{`{}`, `{"action":"type"}`, `{"action":"mouse_move"}`, scroll, zoom},
		},
		"computer_20250124": {"computer", []string{drag, scroll, `{"action":"wait","duration":1}`, `{"action":"left_click"}`}, []string{zoom, `{"action":"scroll"}`}},
		"computer_20251124": {"computer", []string{drag, scroll, zoom}, []string{`{"action":"zoom"}`}},
	} {
		for _, name := range []string{"", "mine"} {
			d := decoder{}
			body := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"` + kind + `","name":"` + name + `","max_characters":10000,"display_width_px":800,"display_height_px":600}]}`
			r, _, err := d.request(strings.NewReader(body), false)
			if err != nil || len(r.Tools) != 1 {
				t.Fatalf("%s: %v, %d tools", kind, err, len(r.Tools))
			}
			got := r.Tools[0]
			if name != "" {
				want.name = name
			}
			if got.Name != want.name || !strings.Contains(got.Description, "800 × 600") || !json.Valid(got.Parameters) {
				t.Errorf("%s: %+v", kind, got)
			}
			for _, input := range want.fits {
				if faults := conform.Compile(got.Parameters).Faults([]byte(input)); len(faults) > 0 {
					t.Errorf("%s: %s: %v", kind, input, faults)
				}
			}
			for _, input := range want.wrong {
				if faults := conform.Compile(got.Parameters).Faults([]byte(input)); len(faults) == 0 {
					t.Errorf("%s: %s fits", kind, input)
				}
			}
			g, err := grammar.FromSchema(got.Parameters, grammar.SchemaOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, issue := range g.Issues() {
				t.Errorf("%s: the mask does not enforce %s at %s: %s", kind, issue.Keyword, issue.Pointer, issue.Why)
			}
		}
	}
	d := decoder{}
	r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"code_execution_20250825","name":"code_execution"}]}`), false)
	if err != nil || len(r.Tools) != 0 {
		t.Errorf("tools that the vendor runs: %v, %d", err, len(r.Tools))
	}
}

// A member that only a form names would be any value.
func TestClientTools_everyMemberIsDescribed(t *testing.T) {
	for _, k := range clientTools() {
		var schema struct {
			Properties map[string]json.RawMessage
			AnyOf      []struct{ Required []string }
		}
		if err := json.Unmarshal(k.InputSchema, &schema); err != nil || len(schema.AnyOf) == 0 {
			t.Fatalf("%s: %v", k.Types, err)
		}
		for _, form := range schema.AnyOf {
			for _, name := range form.Required {
				if schema.Properties[name] == nil {
					t.Errorf("%s: %s is not described", k.Types, name)
				}
			}
		}
	}
}
