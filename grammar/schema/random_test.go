package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
)

// writer makes up small schemas and values from few names and numbers, so that keywords meet often.
type writer struct{ rng *rand.Rand }

func (w *writer) pick(options ...any) any { return options[w.rng.IntN(len(options))] }

func (w *writer) key() string { return w.pick("a", "b", "ab").(string) }

func (w *writer) value(depth int) any {
	switch n := w.rng.IntN(9); {
	case n < 5 || depth == 0:
		return w.pick(nil, true, false, 0, 1, 2, 1.5, -3, "", "a", "b", "ab", "aab")
	case n < 7:
		list := make([]any, w.rng.IntN(4))
		for i := range list {
			list[i] = w.value(depth - 1)
		}
		return list
	default:
		object := map[string]any{}
		for range w.rng.IntN(4) {
			object[w.key()] = w.value(depth - 1)
		}
		return object
	}
}

func (w *writer) schemas(depth int) []any {
	list := make([]any, 1+w.rng.IntN(3))
	for i := range list {
		list[i] = w.schema(depth)
	}
	return list
}

func (w *writer) named(depth int) map[string]any {
	object := map[string]any{}
	for range 1 + w.rng.IntN(2) {
		object[w.key()] = w.schema(depth)
	}
	return object
}

func (w *writer) schema(depth int) any {
	if depth == 0 {
		return w.pick(true, false, map[string]any{"type": w.pick("string", "integer", "object", "array", "null")},
			map[string]any{"const": w.value(1)}, map[string]any{"minimum": 1}, map[string]any{"required": []any{"a"}})
	}
	s := map[string]any{}
	for range 1 + w.rng.IntN(3) {
		w.keyword(s, depth-1)
	}
	return s
}

// keyword adds a keyword to s.
func (w *writer) keyword(s map[string]any, depth int) {
	small := w.rng.IntN(3)
	switch w.rng.IntN(36) {
	case 0, 1:
		s["type"] = w.pick("string", "integer", "number", "object", "array", "boolean", []any{"null", "object"}, []any{"array", "string"})
	case 2:
		s["enum"] = []any{w.value(1), w.value(2)}
	case 3:
		s["const"] = w.value(2)
	case 4, 5:
		s["properties"] = w.named(depth)
	case 6:
		s["patternProperties"] = map[string]any{w.pick("^a", "b$", "^ab?$").(string): w.schema(depth)}
	case 7, 8:
		s["additionalProperties"] = w.schema(depth)
	case 9:
		s["propertyNames"] = w.pick(map[string]any{"maxLength": 1}, map[string]any{"pattern": "a"}, map[string]any{"enum": []any{"a", "b"}})
	case 10, 11:
		s["required"] = w.pick([]any{"a"}, []any{"b"}, []any{"a", "b"})
	case 12:
		s["minProperties"] = small
	case 13:
		s["maxProperties"] = small
	case 14:
		s["items"] = w.schema(depth)
	case 15:
		s["prefixItems"] = w.schemas(depth)
	case 16:
		s["contains"] = w.schema(depth)
	case 17:
		s["contains"], s["minContains"] = w.schema(depth), small
	case 18:
		s["contains"], s["maxContains"] = w.schema(depth), small
	case 19:
		s["minItems"] = small
	case 20:
		s["maxItems"] = small
	case 21:
		s["uniqueItems"] = true
	case 22:
		s["minLength"] = small
	case 23:
		s["maxLength"] = small
	case 24:
		s["pattern"] = w.pick("^a", "b", "^(ab)*$")
	case 25:
		s["minimum"] = small
	case 26:
		s["exclusiveMaximum"] = small
	case 27:
		s["multipleOf"] = w.pick(2, 0.5, 3)
	case 28:
		s["allOf"] = w.schemas(depth)
	case 29:
		s["anyOf"] = w.schemas(depth)
	case 30:
		s["oneOf"] = w.schemas(depth)
	case 31:
		s["not"] = w.schema(depth)
	case 32:
		s["if"], s["then"], s["else"] = w.schema(depth), w.schema(depth), w.schema(depth)
	case 33:
		s["dependentRequired"] = map[string]any{w.key(): []any{w.key()}}
	case 34:
		s["dependentSchemas"] = map[string]any{w.key(): w.schema(depth)}
	case 35:
		s[w.pick("unevaluatedProperties", "unevaluatedItems").(string)] = w.schema(0)
	}
}

// checkAgainstOracle compares every verdict on a schema with an independent validator's.
func checkAgainstOracle(t *testing.T, text []byte, values [][]byte) {
	t.Helper()
	s, err := Compile(text, Options{})
	var unsat *UnsatError
	if err != nil && !errors.As(err, &unsat) {
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", text, err)
		}
		return
	}
	judge := grammartest.Oracle(t, text)
	if judge == nil {
		t.Fatalf("the oracle refuses %s", text)
	}
	for _, value := range values {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		want := judge.Validate(v) == nil
		if got := unsat == nil && accepts(s.Root, parsed(t, string(value))); got != want {
			t.Errorf("%s: %s should be %v", text, value, want)
			return
		}
	}
}

func TestRandomSchemas_agreeWithTheOracle(t *testing.T) {
	const schemas, instances = 1500, 40
	for seed := range uint64(schemas) {
		w := &writer{rng: rand.New(rand.NewPCG(seed, 7))}
		text, err := json.Marshal(w.schema(3))
		if err != nil {
			t.Fatal(err)
		}
		values := make([][]byte, instances)
		for i := range values {
			if values[i], err = json.Marshal(w.value(2)); err != nil {
				t.Fatal(err)
			}
		}
		checkAgainstOracle(t, text, values)
		checkGenerated(t, string(text), text, 3)
	}
}
