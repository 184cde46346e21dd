package tools

import (
	"strings"
	"testing"

	"tenon/tools/format"
)

// What parts a call's words may itself hold what begins its object.
func TestNamedReader_marksMayHoldBrackets(t *testing.T) {
	for _, mark := range []string{"[[args]]", "<{args}>", "|[|"} {
		d := &Dialect{&format.Dialect{Family: format.Family{
			Key: "brackets", Call: format.Pair("<call>", "</call>"),
			Syntaxes: []format.Syntax{format.Named{Separator: mark, Splits: []string{mark}}},
		}}}
		p, err := d.Plan(Turn{Tools: defaultTools(t)})
		if err != nil {
			t.Fatal(err)
		}
		raw := "<call>get_weather" + mark + `{"city": "[]"}</call>`
		for name, q := range map[string]Parser{"tolerant": p.TextParser(), "captures": p.Parser()} {
			if got := play(q, raw, 1, false); len(got.Calls) != 1 || got.Content != nil {
				t.Errorf("%s, %s: %+v", mark, name, got)
			}
		}
	}
}

// What looks like a section's mark in text took the call behind it along.
func TestParser_aSectionBeginsBehindItsMarkInText(t *testing.T) {
	d, _ := Lookup("functionary-v3.2")
	p, err := d.Plan(Turn{Tools: defaultTools(t), Parallel: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Hi >>> there", "Hi >>>there\nyou", "a >>> b >>> c"} {
		for _, n := range []int{0, 1} {
			got := play(p.TextParser(), "all\n"+text+"\n>>>get_weather\n{\"city\": \"Rome\"}<|eot_id|>", n, false)
			if strings.TrimSpace(deref(got.Content)) != text || len(got.Calls) != 1 {
				t.Errorf("%q in pieces of %d: %q, %d calls", text, n, deref(got.Content), len(got.Calls))
			}
		}
	}
}
