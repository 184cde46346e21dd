package schema

import (
	"fmt"
	"strings"
	"testing"
)

// nested are schemas of so many alternatives, nested in a chain or in a tree.
var nested = map[string]func(n int, alternative func(i int) string) string{
	"chain": func(n int, alternative func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`{"anyOf":[` + alternative(i) + `,`)
		}
		return b.String() + `{"type":"null"}` + strings.Repeat(`]}`, n)
	},
	"chain of references": func(n int, alternative func(i int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"d%d":{"anyOf":[%s,{"$ref":"#/$defs/d%d"}]},`, i, alternative(i), i+1)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{"type":"null"}}}`, b.String(), n)
	},
	"tree": func(n int, alternative func(i int) string) string {
		var build func(lo, hi int) string
		build = func(lo, hi int) string {
			if hi-lo == 1 {
				return alternative(lo)
			}
			return `{"anyOf":[` + build(lo, (lo+hi)/2) + `,` + build((lo+hi)/2, hi) + `]}`
		}
		return build(0, n)
	},
}

// TestCompile_nestedAlternativesCostWhatTheyAre: work is linear in the number of alternatives,
// however deep they are nested.
func TestCompile_nestedAlternativesCostWhatTheyAre(t *testing.T) {
	for kind, alternative := range map[string]string{
		"objects":  `{"type":"object","properties":{"k%[1]d":{"type":"string"}},"required":["k%[1]d"]}`,
		"required": `{"required":["k%d"]}`,
		"numbers":  `{"type":"number","minimum":%d.25,"maximum":%[1]d.5}`,
		"patterns": `{"type":"string","pattern":"^p%d[a-z]+$"}`,
	} {
		for form, schema := range nested {
			work := func(n int) int {
				s := mustCompile(t, schema(n, func(i int) string { return fmt.Sprintf(alternative, i) }))
				return s.work
			}
			if few, many := work(400), work(800); many > 3*few {
				t.Errorf("%s of %s: 400 take %d steps, 800 take %d", form, kind, few, many)
			}
		}
	}
}

// TestCompile_conditionsAndTagsCostWhatTheyAre: work is linear in the length of a chain of
// conditions, and in the number of objects with a discriminator.
func TestCompile_conditionsAndTagsCostWhatTheyAre(t *testing.T) {
	tagged := func(i int) string {
		return fmt.Sprintf(`{"type":"object","properties":{"kind":{"const":"t%d"},"v":{"type":"string"}},"required":["kind"]}`, i)
	}
	conditions := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"if":{"properties":{"kind":{"const":"t%[1]d"}},"required":["kind"]},"then":{"required":["v%[1]d"]},"else":`, i)
		}
		return b.String() + `true` + strings.Repeat(`}`, n)
	}
	for name, schema := range map[string]func(n int) string{
		"conditions behind else": conditions,
		"conditions behind else, beside other keywords": func(n int) string {
			return strings.ReplaceAll(conditions(n), `"if"`, `"type":"object","maxProperties":9,"if"`)
		},
		"one of many tagged": func(n int) string {
			list := make([]string, n)
			for i := range list {
				list[i] = tagged(i)
			}
			return `{"oneOf":[` + strings.Join(list, ",") + `]}`
		},
		"one of a tree of tagged":    func(n int) string { return strings.ReplaceAll(nested["tree"](n, tagged), "anyOf", "oneOf") },
		"any of a chain of the same": func(n int) string { return nested["chain of references"](n, func(int) string { return tagged(0) }) },
	} {
		few, many := mustCompile(t, schema(400)).work, mustCompile(t, schema(800)).work
		if many > 3*few {
			t.Errorf("%s: 400 take %d steps, 800 take %d", name, few, many)
		}
	}
}

// TestCompile_startsOverWithinItsWork: if one keyword after the other is dropped, the bound is on
// the work of all attempts.
func TestCompile_startsOverWithinItsWork(t *testing.T) {
	schema := strings.ReplaceAll(nested["tree"](300, func(i int) string { return fmt.Sprintf(`{"required":["k%d"]}`, i) }), "anyOf", "oneOf")
	const limit = 20_000
	s, err := Compile(schema, Options{Lenient: true, Limits: Limits{Work: limit}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Issues) == 0 || s.spent > 2*maxRestarts*limit {
		t.Errorf("%d steps within a limit of %d, and %d issues", s.spent, limit, len(s.Issues))
	}
}
