package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenon/tools/families"
)

// everything is what becomes of a template, a set of tools and some outputs: the binding, the plan
// and its grammar, what each parser makes of each output, whole, cut off and forced to its end,
// and how a call that does not fit is written anew.
func everything(t *testing.T, e Evidence, tools []Tool, outputs []string) string {
	t.Helper()
	var b strings.Builder
	bound := Bind(e)
	family, err := json.Marshal(bound.Dialect.Family)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s %s %v %v %s\n", bound.Name, bound.Why, bound.Exact, bound.Tried, family)
	for _, m := range bound.Dialect.AllMarkers() {
		at, has := bound.Dialect.Token(m.Text)
		fmt.Fprintln(&b, m, at, has)
	}
	p, err := prepare(bound.Dialect, Turn{Tools: tools, Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s %+v %+v\n", p.Grammar(), p.Issues(), p.Tools())
	for _, raw := range outputs {
		for _, q := range []Parser{p.TextParser(), p.SymbolParser(), p.Parser()} {
			for _, cut := range []int{len(raw), len(raw) * 2 / 3} {
				told := fmt.Sprintf("%+v", q.Token([]byte(raw[:cut]), false))
				told += fmt.Sprintf("%+v", q.Close(cut < len(raw)))
				fmt.Fprintf(&b, "%s %v %+v %+v\n", told, q.Broken(), q.Repairs(), q.Notes())
				if r := q.Refused(); r != nil {
					f := p.Fault(*r)
					fmt.Fprintf(&b, "%+v %v %+v\n", r, f.Err, f.Places)
				}
			}
		}
	}
	return b.String()
}

// Nothing depends on the order in which a map is ranged over, which is another each time: every
// published template, and tools with what maps hold, give the same again and again.
func TestOrder_everythingIsTheSameEachTime(t *testing.T) {
	all := vendorTemplates(t)
	names := slices.Sorted(maps.Keys(all))
	rounds := 3
	if os.Getenv("TENON_ALL") != "" {
		rounds = 50
	}
	sets := [][]Tool{defaultTools(t), hostilePlan(t, Fallback()).Tools(), {
		{Name: "get_weather", Parameters: json.RawMessage(`{"properties":{"city":{"type":"string"},"days":{"type":"integer"},"u":{"enum":["a","b"]}},"patternProperties":{"^d":{"minimum":3},"s$":{"maximum":1}},"additionalProperties":false}`)},
		{Name: "getWeather", Parameters: json.RawMessage(`{"required":["a","b","c"],"dependentRequired":{"a":["x"],"b":["y"]}}`)},
	}}
	outputs := map[string][]string{}
	for _, tr := range transcripts(t) {
		if base := filepath.Base(tr.path); len(outputs[tr.family]) < 8 && tr.turn == (turnFile{}) && !strings.HasPrefix(base, "two") {
			outputs[tr.family] = append(outputs[tr.family], tr.raw)
		}
	}
	for i, name := range names {
		if rounds == 3 && i%4 != 1 {
			continue
		}
		e, _ := shownBy(all[name], eosOf(name))
		d, _ := families.Lookup(name)
		e.Markers = d.Markers()
		wrong := strings.NewReplacer("Rome", `Rome", "days": "x", "u": "c", "no": 1, "yes": "2`, "<parameter=city>", "<parameter=days>")
		said := outputs[name]
		for _, raw := range outputs[name][:2] {
			said = append(said, wrong.Replace(raw), strings.ReplaceAll(raw, "get_weather", "GET_WEATHER"))
		}
		tools := sets[i%len(sets)]
		first := everything(t, e, tools, said)
		for range rounds {
			if again := everything(t, e, tools, said); again != first {
				a, b := strings.Split(first, "\n"), strings.Split(again, "\n")
				for k := range min(len(a), len(b)) {
					if a[k] != b[k] {
						t.Errorf("%s:\n%s\nand then\n%s", name, a[k], b[k])
						break
					}
				}
				break
			}
		}
	}
}
