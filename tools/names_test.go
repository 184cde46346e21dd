package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every name that a client may declare comes back from what the family writes, though no grammar told where it ends.
func TestNames_ofEveryKindComeBackInEveryFamily(t *testing.T) {
	declared := []string{"a.b-c/d:e", "für_öl", "true", "name", strings.Repeat("n", 64), strings.Repeat("long_", 40)}
	for _, d := range Families() {
		for _, name := range declared {
			p, err := d.Plan(Turn{Tools: []Tool{{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}, Choice: Choice{Mode: Required}})
			if err != nil {
				t.Fatal(err)
			}
			raw := shortest(t, compiled(t, p))
			got := play(p.TextParser(), raw, 3, false)
			if diff := cmp.Diff([]messageCall{{Name: name, Arguments: map[string]any{}}}, got.Calls); diff != "" {
				t.Errorf("%s: %q\n%s", d.name, raw, diff)
			}
		}
	}
}

func TestNames_mayBeWrittenInEscapes(t *testing.T) {
	d, _ := Lookup("hermes")
	p, err := d.Plan(Turn{Tools: []Tool{{Name: "für_öl"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{`<tool_call>{"name": "f\u00fcr_\u00f6l", "arguments": {}}</tool_call>`, `{"name": "f\u00fcr_\u00f6l", "arguments": {}}`} {
		if got := play(p.TextParser(), raw, 1, false); len(got.Calls) != 1 {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}
