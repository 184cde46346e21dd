package tools

import "testing"

// What parts a call's words may itself hold what begins its object.
func TestNamedCodec_marksMayHoldBrackets(t *testing.T) {
	for _, mark := range []string{"[[args]]", "<{args}>", "|[|"} {
		d := &Dialect{family: family{
			name: "brackets", call: span{"<call>", "</call>"}, match: byOrder,
			codecs: []codec{namedCodec{separator: mark, splits: []string{mark}}},
		}}
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
