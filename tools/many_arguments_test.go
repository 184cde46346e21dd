package tools

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tenon/grammar"
	"tenon/tools/declared"
)

// Issue 19: however many arguments tools have, so many get a grammar of their own; of the others
// the type is enforced, and the rest is checked once the call is whole, and reported.
func TestPlan_manyArgumentsAreBounded(t *testing.T) {
	var all []Tool
	for tool := range 3 {
		var properties []string
		for i := range declared.MostMasked / 2 {
			properties = append(properties, fmt.Sprintf(`"p%d":{"type":"string","enum":["tool %d, choice %d"]}`, i, tool, i))
		}
		all = append(all, Tool{Name: fmt.Sprint("tool_", tool), Parameters: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"additionalProperties":false}`)})
	}
	for family, call := range map[string]string{
		"qwen3-coder": "<tool_call>\n<function=tool_2>\n<parameter=p0>\n%s\n</parameter>\n</function>\n</tool_call>",
		"hermes":      "<tool_call>\n{\"name\": \"tool_2\", \"arguments\": {\"p0\": \"%s\"}}\n</tool_call>",
	} {
		d, _ := Lookup(family)
		p, err := d.Plan(Turn{Tools: all, Parallel: true})
		if err != nil {
			t.Fatal(err)
		}
		reported := false
		for _, i := range p.Issues() {
			reported = reported || i.Tool == "tool_2" && i.Pointer == "/properties" && i.Action == grammar.Checked
		}
		if masks := strings.Count(p.Grammar(), "choice"); family == "qwen3-coder" && (masks != declared.MostMasked || !reported) {
			t.Errorf("%s: %d arguments have a grammar of their own; reported: %t", family, masks, reported)
		}
		for value, fits := range map[string]bool{"tool 2, choice 0": true, "tool 2, choice 1": false} {
			text := []byte(fmt.Sprintf(call, value))
			calls := 0
			parser := p.TextParser()
			for _, e := range append(slices.Clone(parser.Token(text, false)), parser.Close(false)...) {
				if e.Kind == CallEnd {
					calls++
				}
			}
			if (calls == 1) != fits {
				t.Errorf("%s, %q: %d calls", family, value, calls)
			}
		}
	}
}

// Issue 19: four times the arguments are four times the work, however a family writes them.
func TestPlan_costsWhatItsToolsAre(t *testing.T) {
	shapes := map[string]string{
		"patterns": `"p%[1]d":{"type":"string","pattern":"^(ab|c%[1]d){1,9}$"}`,
		"objects":  `"p%[1]d":{"type":"object","properties":{"a_%[1]d":{"type":"string"},"b":{"type":"integer","minimum":%[1]d}},"required":["b"]}`,
		"lists":    `"p%[1]d":{"type":["array","null"],"items":{"enum":["a","b %[1]d"]}}`,
	}
	for name, shape := range shapes {
		for _, family := range []string{"hermes", "qwen3-coder", "gemma4", "minimax-m2", "glm-4.5", "gpt-oss"} {
			d, ok := Lookup(family)
			if !ok {
				continue
			}
			cost := func(n int) uint64 {
				var properties []string
				for i := range n {
					properties = append(properties, fmt.Sprintf(shape, i))
				}
				tool := Tool{Name: fmt.Sprint(name, n), Parameters: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				p, err := d.Plan(Turn{Tools: []Tool{tool}})
				if err == nil {
					_, err = p.compiled()
				}
				if err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			if few, many := cost(200), cost(800); many > 7*few {
				t.Errorf("%s, %s: %d bytes are allocated, for four times as many arguments %d", family, name, few, many)
			}
		}
	}
}
