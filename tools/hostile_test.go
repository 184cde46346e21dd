package tools

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/ordered"
)

// Calls in every family's own writing, with values that are hostile to whatever stands around
// them: code, markup, the family's own markers, other families' calls. Well-formed calls come back
// exactly; those that a slip has damaged come back exactly or not at all. A call with another
// value than was meant is the one thing that must never leave.

// hostileArgs are what the tools of these tests are called with; QZQ and a digit is where a value
// goes.
var hostileArgs = map[string]string{
	"write_file": `{"content":"QZQ1","path":"QZQ0"}`,
	"edit":       `{"new":"QZQ1","old":"QZQ0","path":"a"}`,
	"bash":       `{"command":"QZQ0","timeout":5}`,
	"todo":       `{"items":[{"done":true,"text":"QZQ0"}]}`,
	"search":     `{"filters":{"k":"QZQ1","n":[1,null]},"query":"QZQ0"}`,
}

// snippets are what files and commands are made of.
var snippets = []string{
	"", " ", "\n", "x", "42", "true", "null", `"quoted"`, "[1, 2, 3]", `{"a": 1}`, "{'a': True, 'b': None}", "日本語 🙂 ü \u2028 \u00a0 é", "ends with \\",
	"def main(a, b=\"x\"):\n    \"\"\"Doc \"quoted\" here.\"\"\"\n    print(f\"{a!r}: {b}\", '\\n')\n    return {\"k\": [1, 2], 's': None}\n",
	"<!DOCTYPE html>\n<body class=\"a\">\n<p>Hello &amp; <b>bye</b></p>\n<script>if (a < b && c > d) { x(\"</p>\"); }</script>\n",
	"# Title\n\n```bash\nnpm i\n```\n\n- a `code`\n\n| a | b |\n|---|---|\n",
	"{\n  \"name\": \"x\",\n  \"arguments\": {\"a\": 1},\n  \"list\": [1, 2, {\"k\": \"v\"}]\n}\n",
	"#!/bin/bash\necho \"it's $HOME\" | sed 's/\"//g'\ncat <<'EOF' > a.txt\nline \"one\"\nEOF\n", "make \\\n  all\n",
	"<?xml version=\"1.0\"?>\n<project><parameter name=\"x\">1</parameter><function>f</function><invoke name=\"y\"/></project>\n",
	"{% for m in messages %}{{ m[\"content\"] }}{{ \"<tool_call>\" }}{% endfor %}",
	"const a = `x ${b}`;\nconst r = /[\"\\\\]+/g;\nconsole.log('a', \"b\", {c: 1});\n",
	"\\documentclass{article}\n$\\frac{1}{2}$ \\\\ \\textbf{x}\n", `C:\Users\new\table.txt`, `He said “hello” and ‘bye’, it’s 5″ long`,
	"{{ .Values.name }} and {{{raw}}} and ${{ github.ref }}", `a\nb\tc \"q\" \\ end`, "\x1b[1mbold\x1b[0m \a\x00", `printf "\x1b[1m\u00e9"`,
	`To call a tool write <tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call> and wait.`,
	"<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>\n",
	"<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
	"Thought: x\nAction: bash\nAction Input: {\"command\": \"ls\"}\nObservation: y", "bash(command=\"ls\")\n[bash(command=\"ls\")]",
	"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old \"x\"\n+new 'y'\n", `echo "hi"`, `"a" b`, `a", "b": "c`, `a"}`, `a"}}`, `f(x=[1], y={"a": (1)})`,
	"<think>hm</think> ok", "```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```", "a:\n\tb\r\n\tc\r\n",
	"<|channel|>final<|message|>x<|end|>", "<|im_end|>\n<|im_start|>user\nx", "SELECT * FROM \"t\" WHERE a = 'b''c' -- x\n", "s = '''a\n'b' \"c\" '''\n",
	`[TOOL_CALLS][{"name": "bash"}]`, `https://a.b/c?d=e&f=%20"#g`, "// a\n/* b */ x // y\n# z\n", `{"query": "a", "path": "b", "new": "c", "command": "d"}`,
	strings.Repeat("x = \"y\"\n", 40),
}

// hostileValue is a snippet, some of them together, or the family's own markers among text.
func hostileValue(r *rand.Rand, d *Dialect) string {
	pick := func() string { return snippets[r.IntN(len(snippets))] }
	m := d.Markers()
	switch {
	case r.IntN(4) > 0:
		return pick()
	case r.IntN(2) == 0 || len(m) == 0:
		return pick() + []string{"", " ", "\n", `"`, "'"}[r.IntN(5)] + pick()
	}
	return pick() + m[r.IntN(len(m))] + pick()
}

// form is how a family writes a call of a tool, with stands in the places of its values.
type form struct {
	tool, text string
	from, to   int // of the arguments, where they are one object of JSON
}

var stands = regexp.MustCompile(`QZQ\d`)

// schemaOf is a schema that a value fits, whose strings are free, or exactly what they are.
func schemaOf(v any, fixed bool) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		properties, required := map[string]any{}, []string{}
		for k, e := range v {
			properties[k] = schemaOf(e, fixed)
			if fixed || k != "timeout" && k != "filters" && k != "done" {
				required = append(required, k)
			}
		}
		s := map[string]any{"type": "object", "properties": properties, "required": required}
		if fixed {
			s["additionalProperties"] = false
		}
		return s
	case []any:
		switch {
		case len(v) == 1:
			return map[string]any{"type": "array", "items": schemaOf(v[0], fixed), "minItems": 1}
		case fixed:
			return map[string]any{"enum": []any{v}}
		}
		return map[string]any{"type": "array", "items": map[string]any{"type": []string{"integer", "null"}}}
	case string:
		s := map[string]any{"type": "string"}
		if fixed {
			s["enum"] = []any{v}
		}
		return s
	}
	if fixed {
		return map[string]any{"enum": []any{v}}
	}
	return map[string]any{"type": []string{"integer", "boolean", "null"}}
}

func hostileTool(t testing.TB, name string, fixed bool) Tool {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(hostileArgs[name]), &v); err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(schemaOf(v, fixed))
	if err != nil {
		t.Fatal(err)
	}
	return Tool{Name: name, Parameters: schema}
}

func hostilePlan(t testing.TB, d *Dialect) *Plan {
	t.Helper()
	all := []Tool{{Name: "get_time", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}}
	for _, name := range slices.Sorted(maps.Keys(hostileArgs)) {
		all = append(all, hostileTool(t, name, false))
	}
	p, err := d.Plan(Turn{Tools: all, Parallel: true, Thinking: Thinking{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// formsOf are the tools' calls as the family writes them: the shortest texts of its grammar. Those
// are left out whose values the grammar does not place.
func formsOf(t *testing.T, d *Dialect) (all []form) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(hostileArgs)) {
		p, err := d.Plan(Turn{Tools: []Tool{hostileTool(t, name, true)}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		f := form{tool: name, text: shortest(t, compiled(t, p))}
		if len(stands.FindAllString(f.text, -1)) < len(stands.FindAllString(hostileArgs[name], -1)) {
			continue
		}
		for i := strings.Index(f.text, "QZQ"); i >= 0; i-- {
			dec := json.NewDecoder(strings.NewReader(f.text[i:]))
			var v json.RawMessage
			if f.text[i] == '{' && dec.Decode(&v) == nil && sameJSON(v, []byte(hostileArgs[name])) {
				f.from, f.to = i, i+int(dec.InputOffset())
			}
		}
		want := meant(t, f, []string{"QZQ0", "QZQ1"})
		if got := play(hostilePlan(t, d).TextParser(), f.text, 0, false).Calls; cmp.Equal(got, []messageCall{want}) {
			all = append(all, f)
		}
	}
	return all
}

// fill puts values into a text, as JSON where they stand between quotes.
func fill(text string, values []string, write func(string) string) string {
	for i, v := range values {
		stand := "QZQ" + strconv.Itoa(i)
		text = strings.ReplaceAll(text, `"`+stand+`"`, write(v))
		text = strings.ReplaceAll(text, stand, v)
	}
	return text
}

// meant is the call that a form with values is.
func meant(t *testing.T, f form, values []string) messageCall {
	t.Helper()
	c := messageCall{Name: f.tool}
	if err := json.Unmarshal([]byte(fill(hostileArgs[f.tool], values, ordered.String)), &c.Arguments); err != nil {
		t.Fatal(err)
	}
	return c
}

// eachHostile visits the families with their plans and forms: some of them, or all if TENON_ALL is
// set.
func eachHostile(t *testing.T, visit func(d *Dialect, p *Plan, forms []form, r *rand.Rand, rounds int)) {
	t.Helper()
	all := os.Getenv("TENON_ALL") != ""
	for i, d := range Families() {
		rounds := 1
		if all {
			rounds = 12
		} else if i%6 != 1 && d.Key != "hermes" && d.Key != "react" && d.Key != "lfm2" {
			continue
		}
		visit(d, hostilePlan(t, d), formsOf(t, d), rand.New(rand.NewPCG(6, uint64(i))), rounds)
	}
}

// twoReadings tells whether values end the call that they stand in, or an argument right before
// one of the markers, as it is written between tags: nobody can tell.
func twoReadings(d *Dialect, values []string) bool {
	tg, ok := tagsOf(d)
	if !ok {
		return false
	}
	all := strings.Join(values, "")
	// behind the end of an argument, a marker says that the rest is missing
	for _, m := range d.AllMarkers() {
		if m.Role != format.RoleStrip && tg.valueEnd != "" && strings.Contains(all, tg.valueEnd+m.Text) {
			return true
		}
	}
	return slices.ContainsFunc([]string{tg.callEnd, d.Call.Close, d.Section.Close}, func(end string) bool { return end != "" && strings.Contains(all, end) })
}

func TestHostile_wellFormedCallsComeBackExactly(t *testing.T) {
	n, exact, damaged := 0, 0, 0
	eachHostile(t, func(d *Dialect, p *Plan, forms []form, r *rand.Rand, rounds int) {
		g := compiled(t, p)
		for _, f := range forms {
			for range 40 * rounds {
				values := []string{hostileValue(r, d), hostileValue(r, d)}
				text := fill(f.text, values, ordered.String)
				m := g.Matcher(nil)
				admitted := m.AcceptBytes([]byte(text)) == nil && m.Done()
				want, got := meant(t, f, values), play(p.TextParser(), text, 0, false).Calls
				n++
				switch {
				case cmp.Equal(got, []messageCall{want}):
					exact++
				case len(got) > 0 && twoReadings(d, values):
					damaged++
					t.Logf("%s: damaged: %q becomes %+v", d.Key, text, got)
				case len(got) > 0:
					t.Errorf("%s: %q is admitted: %v, becomes %+v", d.Key, text, admitted, got)
				case admitted:
					t.Logf("%s: lost: %q", d.Key, text)
				}
			}
		}
	})
	t.Logf("%d calls, %d came back exactly, %d were damaged", n, exact, damaged)
	if exact*200 < 199*n {
		t.Errorf("only %d of %d calls came back", exact, n)
	}
}
