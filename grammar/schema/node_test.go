package schema

import (
	"errors"
	"strings"
	"testing"
)

func mustCompile(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := Compile(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestObjectAlt_keys(t *testing.T) {
	s := mustCompile(t, `{"type":"object","properties":{"a":{"type":"string"},"never":false},
		"patternProperties":{"^x":{"type":"integer"},"y$":{"minimum":3}},"additionalProperties":false}`)
	o := s.Root.Alts()[0].Object
	for key, want := range map[string]bool{"a": true, "never": false, "x": true, "by": true, "xy": true, "b": false} {
		if got := !o.Value(key).Empty(); got != want {
			t.Errorf("the value of %q can be met: %v, want %v", key, got, want)
		}
	}
	if both := o.Value("xy"); accepts(both, parsed(t, `2`)) || !accepts(both, parsed(t, `3`)) || accepts(both, parsed(t, `3.5`)) {
		t.Errorf("a key that two patterns match has values %v", both)
	}
	if n := len(o.UnnamedKeys()); n != 3 {
		t.Errorf("%d classes of unnamed keys, want 3", n)
	}
}

func TestNode_algebra(t *testing.T) {
	s := mustCompile(t, `{"type":["integer","null"]}`)
	n := s.Root
	if n.And(n) != n || n.Not().Not() != n || !n.And(n.Not()).Empty() {
		t.Error("a node combined with itself or its complement is not simplified")
	}
	rest := without(n, [][]byte{[]byte(`null`), []byte(`1.0`)})
	for text, want := range map[string]bool{`null`: false, `1`: false, `2`: true} {
		if got := accepts(rest, parsed(t, text)); got != want {
			t.Errorf("%s belongs to what is left: %v, want %v", text, got, want)
		}
	}
}

func TestNode_recursionSharesNodes(t *testing.T) {
	s := mustCompile(t, `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`)
	next := s.Root.Alts()[0].Object.Value("next")
	after := next.Alts()[0].Object.Value("next")
	if next != after {
		t.Errorf("recursion goes through ever new nodes: %d and %d", next.id, after.id)
	}
}

func TestShow(t *testing.T) {
	s := mustCompile(t, `{"anyOf":[{"type":["null","boolean"]},{"type":"string","maxLength":3},{"type":"array","prefixItems":[true],
		"items":{"enum":["x",1]},"uniqueItems":true},{"type":"object","required":["a"],"dependentRequired":{"b":["c"]}}]}`)
	want := []string{
		"null",
		"boolean(false=true true=true)",
		"string(e4, length 0…3)",
		`array(0…3 items, 0: any, rest: {"x" 1e0}, unique)`,
		`object(1… keys, "a": any, "b"?: any, "c"?: any, "b" needs ["c"])`,
	}
	for i, a := range s.Root.Alts() {
		if got := a.Show(); got != want[i] {
			t.Errorf("alternative %d is shown as %s, want %s", i, got, want[i])
		}
	}
	if got := s.Root.And(s.Root.Not().Not()).String(); got != "#" {
		t.Errorf("the root is shown as %s", got)
	}
}

func TestErrors_nameToolPointerAndKeyword(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"required":"a"}`, `tool t: invalid JSON Schema at /required: required must be an array of property names`},
		{`{"items":{"$ref":"http://x/y"}}`, `tool t: cannot enforce $ref at /items exactly: remote reference: nothing is fetched`},
		{`{"enum":[]}`, `tool t: no value satisfies the schema: conflict at the root between enum`},
		{`false`, `tool t: no value satisfies the schema: conflict at the root: false accepts nothing`},
	} {
		if _, err := Compile(c.schema, Options{Tool: "t"}); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.schema, err, c.want)
		}
	}
	var invalid *InvalidError
	if _, err := Compile(strings.Repeat(" ", 100), Options{Limits: Limits{Bytes: 99}}); !errors.As(err, &invalid) {
		t.Errorf("a text beyond the limit: %v", err)
	}
}
