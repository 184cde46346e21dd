package schema

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// randomObject is the schema of an object as tools declare them.
func randomObject(r *rand.Rand, depth int) map[string]any {
	properties, required := map[string]any{}, []any{}
	for i := range 1 + r.Intn(3) {
		name := fmt.Sprintf("p%d", i)
		properties[name] = map[string]any{"type": "integer"}
		if depth > 0 && r.Intn(2) == 0 {
			properties[name] = randomObject(r, depth-1)
		}
		if r.Intn(2) == 0 {
			required = append(required, name)
		}
	}
	o := map[string]any{"type": "object", "properties": properties, "required": required}
	for key, v := range map[string]any{"additionalProperties": r.Intn(2) == 0, "minProperties": 1, "dependentRequired": map[string]any{"p0": []any{"p1"}}} {
		if r.Intn(6) == 0 {
			o[key] = v
		}
	}
	return o
}

// randomArguments fit the properties of a schema, with what is required and some of the rest.
func randomArguments(r *rand.Rand, o map[string]any) map[string]any {
	properties, _ := o["properties"].(map[string]any)
	required := map[any]bool{}
	list, _ := o["required"].([]any)
	for _, name := range list {
		required[name] = true
	}
	out := map[string]any{}
	for name, p := range properties {
		if !required[name] && r.Intn(2) == 0 {
			continue
		}
		if inner := p.(map[string]any); inner["type"] == "object" {
			out[name] = randomArguments(r, inner)
		} else {
			out[name] = r.Intn(9)
		}
	}
	if o["additionalProperties"] != false && r.Intn(4) == 0 {
		out["more"] = "x"
	}
	return out
}

func compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("x.json")
}

func valid(t *testing.T, s *jsonschema.Schema, text []byte) bool {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// What a model may write flat is what the tool takes: guarantee 1 does not end at the way back.
func TestFlatten_whatIsValidFlatIsValidNested(t *testing.T) {
	flattened, checked := 0, 0
	for seed := range int64(1500) {
		r := rand.New(rand.NewSource(seed))
		declared, _ := json.Marshal(randomObject(r, 3)) // of strings, bools and numbers
		shown, back, err := Flatten(declared)
		if err != nil {
			t.Fatal(err)
		}
		if back.IsZero() {
			continue
		}
		flattened++
		var flat map[string]any
		if err := json.Unmarshal(shown, &flat); err != nil {
			t.Fatal(err)
		}
		before, after := compile(t, shown), compile(t, declared)
		for range 5 {
			arguments, _ := json.Marshal(randomArguments(r, flat)) // as above
			if !valid(t, before, arguments) {
				continue // an object inside says more of its properties
			}
			checked++
			nested, err := back.Nest(arguments)
			if err != nil || !valid(t, after, nested) {
				t.Fatalf("seed %d: %v\ndeclared %s\nflat     %s\n%s is valid, but %s is not", seed, err, declared, shown, arguments, nested)
			}
		}
	}
	if flattened < 200 || checked < 500 {
		t.Errorf("%d schemas flattened, %d arguments checked", flattened, checked)
	}
}
