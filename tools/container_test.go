package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenon/grammar"
	"tenon/tools/conform"
)

// A format with a notation of its own for lists and objects is masked as far as their outside:
// that the mask does not look into them is reported, the arguments are held until they have been
// checked, and none leave that do not fit.
func TestContainers_areCheckedBySchema(t *testing.T) {
	const definitions = `"$defs":{
		"point":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},
		"tree":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["v"],"additionalProperties":false}}`
	for _, c := range []struct {
		family, schema string
		good, bad      []string
		held           bool
	}{
		{"gemma4", `{"$ref":"#/$defs/point"}`, []string{`{x:1}`}, []string{`{x:1.5}`, `{y:1}`, `{}`, `[]`, `1`}, true},
		{"gemma4", `{"$ref":"#/$defs/tree"}`, []string{`{v:1}`, `{v:1,kids:[{v:2,kids:[{v:3}]},{v:4}]}`}, []string{`{v:1,kids:[{w:2}]}`, `{kids:[]}`}, true},
		{"gemma4", `{"type":"array","items":{"$ref":"#/$defs/point"}}`, []string{`[]`, `[{x:1},{x:2}]`}, []string{`[{x:1},2]`}, true},
		{"gemma4", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, []string{`<|"|>a<|"|>`, `null`}, []string{`1`, `[]`}, false},
		{"gemma4", `{"anyOf":[{"$ref":"#/$defs/point"},{"type":"array","items":{"type":"string"}},{"type":"integer"},{"type":"null"}]}`,
			[]string{`{x:1}`, `[<|"|>a<|"|>]`, `7`, `null`}, []string{`1.5`, `true`, `[1]`, `<|"|>a<|"|>`}, true},
		{"gemma4", `{"type":["string","null"],"enum":["a",null]}`, []string{`<|"|>a<|"|>`, `null`}, []string{`<|"|>b<|"|>`, `1`}, true},
		{"gemma4", `{"type":["object","null"],"properties":{"k":{"type":"boolean"}}}`, []string{`{k:true}`, `{}`, `null`}, []string{`{k:1}`, `[]`}, true},
		{"gemma4", `{"type":"object","additionalProperties":{"type":"integer"}}`, []string{`{}`, `{a:1,b:2}`}, []string{`{a:<|"|>x<|"|>}`, `[]`}, true},
		{"gemma4", `{"type":"object"}`, []string{`{}`, `{a:{b:[1]}}`}, []string{`[]`, `1`}, true},
		{"gemma4", `{"type":"object","properties":{"n":{"type":"integer"},"odd":{"not":{"type":"string"}}},"required":["n"]}`,
			[]string{`{n:1}`, `{n:1,odd:<|"|>x<|"|>}`}, []string{`{n:true}`, `{odd:1}`}, true},
		{"minimax-m3", `{"$ref":"#/$defs/point"}`, []string{`<x>1</x>`}, []string{`<x>a</x>`, `1`}, true},
		{"minimax-m3", `{"$ref":"#/$defs/tree"}`, []string{`<v>1</v><kids><item><v>2</v></item></kids>`}, []string{`<kids></kids>`}, true},
		{"minimax-m3", `{"anyOf":[{"$ref":"#/$defs/point"},{"type":"null"}]}`, []string{`<x>1</x>`, `null`}, []string{`1`, `<y>1</y>`}, true},
		{"minimax-m3", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, []string{`a`, `null`}, nil, true},
		{"minimax-m3", `{"type":"object","additionalProperties":{"type":"integer"}}`, []string{`<k>1</k>`}, nil, true},
	} {
		d, _ := Lookup(c.family)
		tool := Tool{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"a":` + c.schema + `},"required":["a"],"additionalProperties":false,` + definitions + `}`)}
		p, err := d.Plan(Turn{Tools: []Tool{tool}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		if p.core.Tools[0].Held != c.held {
			t.Errorf("%s: %s: held %v, want %v", c.family, c.schema, p.core.Tools[0].Held, c.held)
		}
		told := slices.ContainsFunc(p.Issues(), func(i grammar.Issue) bool { return i.Pointer == "/properties/a" && i.Action == grammar.Checked })
		if told != c.held {
			t.Errorf("%s: %s: held %v, told %v", c.family, c.schema, c.held, told)
		}
		write := func(v string) string {
			if c.family == "gemma4" {
				return `<|tool_call>call:f{a:` + v + `}<tool_call|>`
			}
			const noise = "]<]minimax[>["
			v = strings.ReplaceAll(v, "<", noise+"<")
			return fmt.Sprintf("%[1]s<tool_call>\n%[1]s<invoke name=\"f\">\n%[1]s<a>%[2]s%[1]s</a>\n%[1]s</invoke>\n%[1]s</tool_call>", noise, v)
		}
		g := compiled(t, p)
		for i, v := range append(c.good[:len(c.good):len(c.good)], c.bad...) {
			m := g.Matcher(nil)
			good, admitted := i < len(c.good), m.AcceptBytes([]byte(write(v))) == nil && m.Done()
			if good && !admitted || !good && admitted && !c.held {
				t.Errorf("%s: %s: %s admitted: %v\n%s", c.family, c.schema, v, admitted, p.Grammar())
			}
			by, loose := play(p.Parser(), write(v), 3, false), play(p.TextParser(), write(v), 3, false)
			if a, b := callsOf(by), callsOf(loose); a != b && admitted {
				t.Errorf("%s: %s: %s is %s by the grammar, %s else", c.family, c.schema, v, a, b)
			}
			for _, call := range by.Calls {
				args, _ := json.Marshal(call.Arguments)
				if err := conform.Compile(tool.Parameters).Validate(args); err != nil {
					t.Errorf("%s: %s: %s gives %s: %v", c.family, c.schema, v, args, err)
				}
			}
		}
	}
}

func callsOf(m message) string {
	b, _ := json.Marshal(m.Calls)
	return string(b)
}

// References that lead to nothing but themselves, or to far too much, are left to the check.
func TestContainers_referencesEnd(t *testing.T) {
	wide := `"w0":{"type":"integer"}`
	for i := 1; i < 12; i++ {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/w%d"}`, i-1)
		wide += fmt.Sprintf(`,"w%d":{"anyOf":[%s]}`, i, strings.Repeat(ref+",", 9)+ref)
	}
	for _, definitions := range []string{
		`"a":{"$ref":"#/$defs/a"}`, `"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}`, `"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}`,
		`"a":{"properties":{"p":{"$ref":"#/$defs/a"},"q":{"$ref":"#/$defs/a"},"r":{"$ref":"#/$defs/a"},"s":{"$ref":"#/$defs/a"},"t":{"$ref":"#/$defs/a"},"u":{"$ref":"#/$defs/a"},"v":{"$ref":"#/$defs/a"}},"type":"object"}`,
		`"a":{"type":"array","items":{"$ref":"#/$defs/a"}}`, `"a":{"$ref":"#/$defs/w11"},` + wide, `"a":{"$ref":"#/$defs/nowhere"}`, `"a":{"$ref":"https://example.com"}`,
	} {
		for _, family := range []string{"gemma4", "minimax-m3"} {
			d, _ := Lookup(family)
			tool := Tool{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{` + definitions + `}}`)}
			p, err := d.Plan(Turn{Tools: []Tool{tool}})
			if err != nil {
				t.Fatalf("%s: %v", definitions, err)
			}
			compiled(t, p)
			if len(p.Grammar()) > 64<<10 {
				t.Errorf("%s: %.80s: a grammar of %d bytes", family, definitions, len(p.Grammar()))
			}
		}
	}
}
