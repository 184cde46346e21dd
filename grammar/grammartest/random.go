package grammartest

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// manySeeds is how many times as many of them make test-corpus takes, unless its time is over
// before.
const manySeeds = 40

// Seeds calls f for so many seeds, always the same; for make test-corpus for more of them, from
// its own on. It stops when a test has failed, and tells the seed.
func Seeds(t testing.TB, few int, f func(seed uint64)) {
	t.Helper()
	from, end := 0, time.Now().Add(time.Hour)
	if os.Getenv(AllEnv) != "" {
		few *= manySeeds
		from, end = number(t, SeedEnv, 0), time.Now().Add(time.Duration(number(t, SecondsEnv, math.MaxInt32))*time.Second)
	}
	for i := 0; i < few && time.Now().Before(end); i++ {
		if f(uint64(from + i)); t.Failed() {
			t.Fatalf("seed %d", from+i)
		}
	}
}

// Sample is what a test takes of many like cases: by default, and for make test-corpus.
func Sample(byDefault, forCorpus uint64) uint64 {
	if os.Getenv(AllEnv) != "" {
		return forCorpus
	}
	return byDefault
}

// Writer makes up small schemas and values from few names and numbers, so that keywords meet
// often.
type Writer struct {
	Rand *rand.Rand
	// Refs are the names under $defs that a schema may refer to, where it is about a part of
	// the value: what led back to itself would never end.
	Refs []string
	// Draft7 has the keywords of draft 7 in the place of their successors.
	Draft7 bool

	within int // the parts of values that the schema now made up is about
}

func (w *Writer) pick(options ...any) any { return options[w.Rand.IntN(len(options))] }

func (w *Writer) key() string { return w.pick("a", "b", "ab").(string) }

// Value makes up a value.
func (w *Writer) Value(depth int) any {
	switch n := w.Rand.IntN(9); {
	case n < 5 || depth == 0:
		return w.pick(nil, true, false, 0, 1, 2, 1.5, -3, 0.25, 100, "", "a", "b", "ab", "aab", "a/b", "/a", "a@b", "1.2.3.4", "2024-02-29", "10:00:00Z")
	case n < 7:
		list := make([]any, w.Rand.IntN(4))
		for i := range list {
			list[i] = w.Value(depth - 1)
		}
		return list
	default:
		object := map[string]any{}
		for range w.Rand.IntN(4) {
			object[w.key()] = w.Value(depth - 1)
		}
		return object
	}
}

func (w *Writer) schemas(depth int) []any {
	list := make([]any, 1+w.Rand.IntN(3))
	for i := range list {
		list[i] = w.Schema(depth)
	}
	return list
}

func (w *Writer) named(depth int) map[string]any {
	object := map[string]any{}
	for range 1 + w.Rand.IntN(2) {
		object[w.key()] = w.part(depth)
	}
	return object
}

// part makes up a schema of a part of a value.
func (w *Writer) part(depth int) any {
	w.within++
	defer func() { w.within-- }()
	return w.Schema(depth)
}

// Schema makes up a schema with so many levels.
func (w *Writer) Schema(depth int) any {
	if depth == 0 {
		return w.pick(true, false, map[string]any{"type": w.pick("string", "integer", "object", "array", "null")},
			map[string]any{"const": w.Value(1)}, map[string]any{"minimum": 1}, map[string]any{"required": []any{"a"}})
	}
	s := map[string]any{}
	for range 1 + w.Rand.IntN(3) {
		w.keyword(s, depth-1)
	}
	return w.withReference(s)
}

// withReference is a schema that a reference of draft 7 hides nothing of.
func (w *Writer) withReference(s map[string]any) map[string]any {
	if ref := s["$ref"]; ref != nil && w.Draft7 {
		delete(s, "$ref")
		return map[string]any{"allOf": []any{s, map[string]any{"$ref": ref}}}
	}
	return s
}

// keyword adds a keyword to s.
func (w *Writer) keyword(s map[string]any, depth int) {
	small := w.Rand.IntN(3)
	switch w.Rand.IntN(40) {
	case 0, 1:
		s["type"] = w.pick("string", "integer", "number", "object", "array", "boolean", []any{"null", "object"}, []any{"array", "string"})
	case 2:
		s["enum"] = []any{w.Value(1), w.Value(2)}
	case 3:
		s["const"] = w.Value(2)
	case 4, 5:
		s["properties"] = w.named(depth)
	case 6:
		s["patternProperties"] = map[string]any{w.pick("^a", "b$", "^ab?$").(string): w.part(depth)}
	case 7, 8:
		s["additionalProperties"] = w.part(depth)
	case 9:
		s["propertyNames"] = w.pick(map[string]any{"maxLength": 1}, map[string]any{"pattern": "a"}, map[string]any{"enum": []any{"a", "b"}})
	case 10, 11:
		s["required"] = w.pick([]any{"a"}, []any{"b"}, []any{"a", "b"})
	case 12:
		s["minProperties"] = small
	case 13:
		s["maxProperties"] = small
	case 14:
		s["items"] = w.part(depth)
	case 15:
		w.tuple(s, depth)
	case 16:
		s["contains"] = w.part(depth)
	case 17:
		s["contains"], s["minContains"] = w.part(depth), small
	case 18:
		s["contains"], s["maxContains"] = w.part(depth), small
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
		s["pattern"] = w.pick("^a", "b", "^(ab)*$", "^(?!ab)", "a(?=b)", "^[^b]*$")
	case 25:
		s["minimum"] = small
	case 26:
		s["exclusiveMaximum"] = small
	case 27:
		s["multipleOf"] = w.pick(2, 0.5, 3, 0.01, 1.25)
	case 28:
		s["allOf"] = w.schemas(depth)
	case 29:
		s["anyOf"] = w.schemas(depth)
	case 30:
		s["oneOf"] = w.schemas(depth)
	case 31:
		s["not"] = w.Schema(depth)
	case 32:
		s["if"], s["then"], s["else"] = w.Schema(depth), w.Schema(depth), w.Schema(depth)
	case 33:
		s[w.since2019("dependentRequired", "dependencies")] = map[string]any{w.key(): []any{w.key()}}
	case 34:
		s[w.since2019("dependentSchemas", "dependencies")] = map[string]any{w.key(): w.Schema(depth)}
	case 35:
		s[w.pick("unevaluatedProperties", "unevaluatedItems").(string)] = w.part(min(depth, 1))
	case 36:
		s["format"] = w.pick("date", "ipv4", "json-pointer")
	case 37:
		s["exclusiveMinimum"], s["maximum"] = w.pick(-1, 0.5, 1e2), w.pick(2, 3.25, 1e3)
	case 38, 39:
		if len(w.Refs) > 0 && w.within > 0 {
			s["$ref"] = "#/$defs/" + w.Refs[w.Rand.IntN(len(w.Refs))]
		}
	}
}

// tuple adds the schemas of an array's first items, and of those behind them.
func (w *Writer) tuple(s map[string]any, depth int) {
	first, rest := w.since2019("prefixItems", "items"), w.since2019("items", "additionalItems")
	list := make([]any, 1+w.Rand.IntN(3))
	for i := range list {
		list[i] = w.part(depth)
	}
	s[first] = list
	if w.Rand.IntN(2) == 0 {
		s[rest] = w.part(depth)
	}
}

// since2019 is the name of a keyword by draft.
func (w *Writer) since2019(name, before string) string {
	if w.Draft7 {
		return before
	}
	return name
}

// Document makes up a schema of some draft, with definitions that it refers to and that may refer
// to each other.
func (w *Writer) Document(depth int) map[string]any {
	w.Draft7 = w.Rand.IntN(3) == 0
	w.Refs = []string{"x", "y"}[:w.Rand.IntN(3)]
	s := map[string]any{}
	for range 1 + w.Rand.IntN(3) {
		w.keyword(s, depth-1)
	}
	defs := map[string]any{}
	for _, name := range w.Refs {
		defs[name] = w.Schema(depth - 1)
	}
	s = w.withReference(s)
	s["$defs"] = defs
	s["$schema"] = w.since2019("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")
	return s
}
