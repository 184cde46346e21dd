package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools"
)

// What Write writes is what the family's own parser reads.
func TestWrite_parsesBack(t *testing.T) {
	calls := []tools.Call{
		{Name: "get_weather", Arguments: json.RawMessage(oracleCalls[0].Arguments)},
		{Name: "get_time", Arguments: json.RawMessage(oracleCalls[1].Arguments)},
		{Name: "get_weather", Arguments: json.RawMessage(`{"city":"None <b>&</b>", "on": true, "opts": {"deep": {"a": null, "b": false}}}`)},
	}
	wrote := 0
	for _, d := range tools.Families() {
		pieces, ok := d.Write(calls)
		if !ok {
			continue
		}
		wrote++
		var raw strings.Builder
		for _, p := range pieces {
			raw.WriteString(p.Text)
		}
		plan, err := d.Plan(tools.Turn{Parallel: true, Tools: []tools.Tool{
			{Name: "get_weather", Parameters: json.RawMessage(oracleSchema)}, {Name: "get_time", Parameters: json.RawMessage(oracleSchema)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		p := plan.TextParser()
		var read []tools.Call
		for _, e := range append(slices.Clone(p.Token([]byte(raw.String()), false)), p.Close(false)...) {
			if e.Kind == tools.CallEnd {
				read = append(read, e.Call)
			}
		}
		if diff := cmp.Diff(decoded(t, calls), decoded(t, read)); diff != "" {
			t.Errorf("%s: %s\n%s", d.Name(), raw.String(), diff)
		}
	}
	if wrote < 2 {
		t.Errorf("%d families write", wrote)
	}
}

// decoded are calls as what they mean.
func decoded(t *testing.T, calls []tools.Call) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, c := range calls {
		var args any
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			t.Fatal(err)
		}
		out = append(out, map[string]any{"name": c.Name, "arguments": args})
	}
	return out
}
