package anthropic

import (
	"encoding/json"
	"strings"
	"testing"
)

// Issue 23: tools that Anthropic defines and the client runs are declared by their type alone, and
// have their published inputs.
func TestClientTools_haveTheirPublishedSchemas(t *testing.T) {
	for kind, want := range map[string]struct {
		name string
		has  []string
	}{
		"bash_20250124":        {"bash", []string{"command", "restart"}},
		"bash_20241022":        {"bash", []string{"command", "restart"}},
		"text_editor_20250728": {"str_replace_based_edit_tool", []string{"command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line", "insert_text"}},
		"text_editor_20250429": {"str_replace_based_edit_tool", []string{"insert_text"}},
		"text_editor_20250124": {"str_replace_editor", []string{"undo_edit", "new_str"}},
		"text_editor_20241022": {"str_replace_editor", []string{"undo_edit", "new_str"}},
	} {
		for _, name := range []string{"", "mine"} {
			d := decoder{}
			body := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"` + kind + `","name":"` + name + `","max_characters":10000}]}`
			r, _, err := d.request(strings.NewReader(body), false)
			if err != nil || len(r.Tools) != 1 {
				t.Fatalf("%s: %v, %d tools", kind, err, len(r.Tools))
			}
			got := r.Tools[0]
			if name != "" {
				want.name = name
			}
			if got.Name != want.name || got.Description == "" || !json.Valid(got.Parameters) {
				t.Errorf("%s: %+v", kind, got)
			}
			for _, part := range want.has {
				if !strings.Contains(string(got.Parameters), `"`+part+`"`) {
					t.Errorf("%s lacks %s: %s", kind, part, got.Parameters)
				}
			}
			if kind == "text_editor_20250124" && strings.Contains(string(got.Parameters), "insert_text") {
				t.Errorf("%s has the later name of the inserted text", kind)
			}
		}
	}
	d := decoder{}
	r, _, err := d.request(strings.NewReader(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"}],"tools":[{"type":"web_search_20250305","name":"web_search"},{"type":"code_execution_20250825","name":"code_execution"}]}`), false)
	if err != nil || len(r.Tools) != 0 {
		t.Errorf("tools that the vendor runs: %v, %d", err, len(r.Tools))
	}
}
