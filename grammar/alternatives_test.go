package grammar

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// Objects that may be one of many alternatives: of each key must be known in which of them it is
// named, and what it decides.

// choiceWriter makes up schemas of objects that name no other keys than a, b and ab.
type choiceWriter struct{ *rand.Rand }

func (w choiceWriter) pick(options ...any) any { return options[w.IntN(len(options))] }

func (w choiceWriter) names() []string {
	names := slices.DeleteFunc([]string{"a", "b", "ab"}, func(string) bool { return w.IntN(2) == 0 })
	return append([]string{}, names...)
}

func (w choiceWriter) value() any {
	return w.pick(true, false, map[string]any{"const": 1}, map[string]any{"const": 2}, map[string]any{"maximum": 1})
}

// keyword adds a keyword of objects to s.
func (w choiceWriter) keyword(s map[string]any) {
	values := map[string]any{}
	switch w.IntN(9) {
	case 0, 1:
		for _, name := range w.names() {
			values[name] = w.value()
		}
		s["properties"] = values
	case 2:
		s["patternProperties"] = map[string]any{w.pick("^a", "^ab?$", "^[bc]").(string): w.value()}
	case 3:
		s["additionalProperties"] = w.value()
	case 4:
		s["dependentRequired"] = map[string]any{w.pick("a", "b").(string): w.names()}
	case 5:
		s["minProperties"] = 1 + w.IntN(3)
	case 6:
		s["maxProperties"] = 1 + w.IntN(2)
	case 7:
		s["propertyNames"] = map[string]any{"pattern": w.pick("^a", "^ab?$", "^[bc]")}
	case 8:
		s["unevaluatedProperties"] = w.value()
	}
}

// schema is a choice of alternatives, mostly of keys that must be there, beside some keywords.
func (w choiceWriter) schema(depth int) map[string]any {
	s := map[string]any{}
	for range w.IntN(3) {
		w.keyword(s)
	}
	if depth == 0 || w.IntN(3) > 0 {
		s["required"] = w.names()
	}
	if depth == 0 {
		return s
	}
	for range 1 + w.IntN(2) {
		list := make([]any, 1+w.IntN(w.pick(3, 12).(int)))
		for i := range list {
			if list[i] = any(map[string]any{"required": w.names()}); w.IntN(3) == 0 {
				list[i] = w.schema(depth - 1)
			}
		}
		if op := w.pick("anyOf", "anyOf", "oneOf", "allOf", "not").(string); op == "not" {
			s[op] = map[string]any{"anyOf": list}
		} else {
			s[op] = list
		}
	}
	return s
}

// choiceKeys are the keys of the objects that are tried, those first that schemas may name. Behind
// a letter or none there are always two others.
var choiceKeys = []string{"a", "b", "ab", "c", "aa", "aba", "ba", "bba", "ca"}

const (
	choiceNames = 3 // of choiceKeys
	// so many of an object's keys have no name: no schema here asks for more properties
	maxOthers = 3
)

// choices are all objects that are tried and valid, each a set of members: bit 2i is the i-th key
// with the value 1, the next one that with 2.
type choices []uint32

// triedChoices are the objects that are tried.
var triedChoices = sync.OnceValue(func() (all choices) {
	var choose func(key, others int, set uint32)
	choose = func(key, others int, set uint32) {
		if key == len(choiceKeys) {
			all = append(all, set)
			return
		}
		choose(key+1, others, set)
		if key >= choiceNames {
			if others++; others > maxOthers {
				return
			}
		}
		choose(key+1, others, set|1<<(2*key))
		choose(key+1, others, set|2<<(2*key))
	}
	choose(0, 0, 0)
	return all
})

// choicesOf are the valid ones of them. The verdicts are our own judge's, which is held against
// the independent one for some of the objects: that takes a thousand times as long.
func choicesOf(t *testing.T, text []byte, judge *jsonschema.Schema, r *rand.Rand) (valid choices) {
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	ours := judged(schema)
	for i, set := range triedChoices() {
		if r.IntN(100) == 0 {
			object := map[string]any{}
			for k, key := range choiceKeys {
				if v := set >> (2 * k) & 3; v > 0 {
					object[key] = json.Number(strconv.Itoa(int(v)))
				}
			}
			if err := judge.Validate(object); (err == nil) != ours[i].valid {
				t.Fatalf("%s: %v is valid: %v; the independent judge says %v", text, object, ours[i].valid, err)
			}
		}
		if ours[i].valid {
			valid = append(valid, set)
		}
	}
	return valid
}

// begin is the members that begin with a text.
func begin(text string) (set uint32) {
	for i, key := range choiceKeys {
		for j, value := range []string{"1", "2"} {
			if strings.HasPrefix(`"`+key+`":`+value, text) {
				set |= 1 << (2*i + j)
			}
		}
	}
	return set
}

// goOn says whether a text begins one of the objects, and whether it is one.
func (c choices) goOn(text string) (begins, whole bool) {
	if text == "" {
		return len(c) > 0, false
	}
	rest, has := text[1:], uint32(0)
	for next := uint32(0); text[0] == '{'; {
		switch member, behind, more := strings.Cut(rest, ","); {
		case rest == "}" && next == 0:
			whole = slices.Contains(c, has)
			return whole, whole
		case strings.HasSuffix(rest, "}") && !more:
			m := begin(rest[:len(rest)-1])
			whole = strings.HasSuffix(rest, "1}") || strings.HasSuffix(rest, "2}")
			whole = whole && m != 0 && m&has == 0 && slices.Contains(c, has|m)
			return whole, whole
		case !more:
			if text == "{" {
				return len(c) > 0, false
			}
			m := begin(rest) &^ has
			return m != 0 && slices.ContainsFunc(c, func(set uint32) bool { return set&has == has && set&m != 0 }), false
		case !strings.HasSuffix(member, "1") && !strings.HasSuffix(member, "2"):
			return false, false
		default:
			m := begin(member)
			if m == 0 || m&has != 0 {
				return false, false
			}
			has, next, rest = has|m, m, behind
		}
	}
	return false, false
}

// shows says whether the objects that are tried show if a text begins a valid one: in it are few
// keys, and what it may go on with.
func shows(text string) bool {
	parts := strings.Split(text, `"`) // a key is every second one
	others := 0
	for i := 1; i < len(parts); i += 2 {
		if i == len(parts)-1 {
			return parts[i] == "" || len(parts[i]) == 1 && strings.Contains("abc", parts[i])
		}
		at := slices.Index(choiceKeys, parts[i])
		if at >= choiceNames {
			others++
		}
		if at < 0 || i > 3 || others > 1 {
			return false
		}
	}
	return true
}

// seldomChoices are what choiceWriter seldom makes up.
var seldomChoices = []string{
	`{"propertyNames":{"pattern":"^a"},"properties":{"a":true,"b":true}}`,
	// neither a nor b is possible
	`{"dependentRequired":{"a":["b"],"b":["ab"]},"properties":{"ab":false}}`,
	`{"allOf":[{"patternProperties":{"^ab?$":true}},{"patternProperties":{"^b":{"const":1}}}],"unevaluatedProperties":false}`,
}

// TestAlternatives_agreeWithTheOracle: a token is allowed if and only if some object that is valid
// goes on with it, whatever alternatives are open.
func TestAlternatives_agreeWithTheOracle(t *testing.T) {
	v := tinyVocab(t, "{", `{"`, `"`, "a", "b", "c", "ab", `a"`, `b":`, ":", "1", "2", ",", `,"`, "}", `1}`, `2,"`, `":1`, `":1,"`, `":2,"a":`, `":1,"b":2}`, `"a":1,"c`, `aa":1,"ba":`, `{"c":1`)
	tried, refused, empty, bits := 0, 0, 0, 0
	try := func(w choiceWriter, part map[string]any) {
		text, err := json.Marshal(map[string]any{"type": "object", "allOf": []any{map[string]any{"additionalProperties": map[string]any{"enum": []any{1, 2}}}, part}})
		if err != nil {
			t.Fatal(err)
		}
		judge := grammartest.Oracle(t, text)
		if judge == nil {
			return
		}
		g, err := FromSchema(text, SchemaOptions{Space: NoSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers})
		var unsat *schema.UnsatError
		if err != nil && !errors.As(err, &unsat) {
			refused++
			return
		}
		valid := choicesOf(t, text, judge, w.Rand)
		if err != nil {
			if empty++; len(valid) > 0 {
				t.Fatalf("%s: %v, but some object is valid", text, err)
			}
			return
		}
		tried++
		bits += compareChoice(t, string(text), g.Matcher(v), valid, w)
	}
	for _, part := range seldomChoices {
		var s map[string]any
		if err := json.Unmarshal([]byte(part), &s); err != nil {
			t.Fatal(err)
		}
		try(choiceWriter{rand.New(rand.NewPCG(1, 23))}, s)
	}
	grammartest.Seeds(t, 60, func(seed uint64) {
		w := choiceWriter{rand.New(rand.NewPCG(seed, 23))}
		try(w, w.schema(2))
	})
	t.Logf("%d schemas, %d of no value, %d not supported, %d bits of masks", tried, empty, refused, bits)
}

// maxTexts is how many texts the masks of a schema are compared behind.
const maxTexts = 200

// compareChoice compares the bits of masks that show what they should be.
func compareChoice(t *testing.T, schemaText string, m *Matcher, valid choices, w choiceWriter) (bits int) {
	seen := map[string]bool{}
	var visit func(text string)
	visit = func(text string) {
		seen[text] = true
		mask := m.Mask()
		for _, token := range w.Perm(m.v.Len()) {
			id, next := int32(token), text+string(m.v.Piece(int32(token)))
			want, _ := valid.goOn(next)
			if m.v.IsEOG(id) {
				next = text
				_, want = valid.goOn(text)
			}
			if !want && !shows(next) {
				continue
			}
			if bits++; mask.Allows(id) != want {
				t.Fatalf("%s: after %q: token %q is allowed: %v, a valid text follows: %v", schemaText, text, m.v.Piece(id), mask.Allows(id), want)
			}
			if !want || m.v.IsEOG(id) || seen[next] || !shows(next) || len(seen) == maxTexts {
				continue
			}
			if err := m.Accept(id); err != nil {
				t.Fatalf("%s: after %q: %v", schemaText, text, err)
			}
			visit(next)
			m.Rollback(1)
		}
	}
	visit("")
	return bits
}
