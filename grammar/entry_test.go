package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tenon/grammar/schema"
)

// manyTools is the grammar of a turn with the GitHub tools of ../shared, and as many more made of
// them by another property until there are n.
func manyTools(t testing.TB, n int) (src string, names []string) {
	t.Helper()
	text, err := os.ReadFile("../../shared/data/tools/github-mcp.json")
	if err != nil {
		t.Skipf("the tools of ../shared are absent: %v", err)
	}
	var tools []struct {
		Name        string         `json:"name"`
		InputSchema map[string]any `json:"inputSchema"`
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("root ::= call\ncall ::= \"<tool_call>\\n{\\\"name\\\": \\\"\" (")
	for i := range n {
		x := tools[i%len(tools)]
		name, schema := fmt.Sprintf("t%d_%s", i, x.Name), map[string]any{}
		for k, v := range x.InputSchema {
			schema[k] = v
		}
		if round := i / len(tools); round > 0 {
			properties := map[string]any{fmt.Sprintf("round_%d", round): map[string]any{"type": "integer"}}
			old, _ := x.InputSchema["properties"].(map[string]any)
			for k, v := range old {
				properties[k] = v
			}
			schema["properties"] = properties
		}
		body, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, `%q "\", \"arguments\": " %%json%s[space=bounded]`, name, body)
		names = append(names, name)
	}
	b.WriteString(") \"}\\n</tool_call>\"\n")
	return b.String(), names
}

// BenchmarkEntry_517Tools enters each of 517 tools once, on a grammar of all of them that was just
// compiled: the time from the name's end until the mask of the first key is known.
func BenchmarkEntry_517Tools(b *testing.B) {
	v, tok := realVocab(b)
	src, names := manyTools(b, 517)
	b.SetBytes(int64(len(src)))
	var took []time.Duration
	var parse time.Duration
	for b.Loop() {
		DropCaches()
		start := time.Now()
		g := mustParse(b, src)
		parse = time.Since(start)
		for _, name := range names {
			m := g.Matcher(v)
			for _, id := range tok.Tokenize([]byte("<tool_call>\n{\"name\": \"" + name)) {
				if err := m.Accept(id); err != nil {
					b.Fatal(err)
				}
			}
			start := time.Now()
			for _, id := range tok.Tokenize([]byte("\", \"arguments\": {")) {
				m.Mask()
				if err := m.Accept(id); err != nil {
					b.Fatal(err)
				}
			}
			m.Mask()
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(parse.Microseconds())/1000, "ms/parse")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/entry-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/entry-p99")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms/entry-max")
}

// TestJSON_writesWhatParseReads: schemas that are words, and those with white space around them.
func TestJSON_writesWhatParseReads(t *testing.T) {
	o := SchemaOptions{Space: NoSpace}
	for _, text := range []string{"true", " true\n", "{}", "\n{ }\n", `{"type":"array"} `} {
		g := mustParse(t, "root ::= \"a\" "+JSON([]byte(text), o)+" \"b\"\n")
		again := mustParse(t, mustSchema(t, text, o).Text())
		for m, value := range map[*Matcher]string{g.Matcher(nil): "a[1]b", again.Matcher(nil): "[1]"} {
			if err := m.AcceptBytes([]byte(value)); err != nil || !m.Done() {
				t.Errorf("%q: %s is not accepted: %v", text, value, err)
			}
		}
	}
	var unsat *schema.UnsatError
	if _, err := Parse("root ::= "+JSON([]byte("false"), o), Options{}); !errors.As(err, &unsat) {
		t.Errorf("of false: %v", err)
	}
}
