package grammar

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// Objects that may be one of many alternatives: of each key must be known in which of them it is named, and what it decides.

// choiceWriter makes up schemas of objects that name no other keys than its names.
type choiceWriter struct {
	*rand.Rand
	all choiceKeys
}

func (w choiceWriter) pick(options ...any) any { return options[w.IntN(len(options))] }

func (w choiceWriter) names() []string {
	names := slices.DeleteFunc(slices.Clone(w.all.named()), func(string) bool { return w.IntN(2) == 0 })
	return append([]string{}, names...)
}

// required is one key as often as it is some.
func (w choiceWriter) required() map[string]any {
	if w.IntN(2) == 0 {
		return map[string]any{"required": w.names()}
	}
	return map[string]any{"required": []string{w.all.named()[w.IntN(w.all.names)]}}
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
		s["minProperties"] = 1 + w.IntN(w.all.others) // what is asked for may be keys without a name
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
		list, plain := make([]any, 1+w.IntN(w.pick(3, 12).(int))), w.IntN(2) == 0
		for i := range list {
			if list[i] = any(w.required()); !plain && w.IntN(3) == 0 {
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

// choiceKeys are the keys of the objects that are tried, those first that schemas name. Behind a letter or none there are always as many others as an object may have.
type choiceKeys struct {
	list     []string
	names    int
	others   int  // so many of an object's keys have no name
	declared bool // only in this order are the named accepted, and others behind them
}

var (
	threeNames = choiceKeys{list: []string{"a", "b", "ab", "c", "aa", "aba", "ba", "bba", "ca"}, names: 3, others: 2}
	fiveNames  = choiceKeys{list: []string{"a", "b", "ab", "c", "aa", "aba", "ba", "ca"}, names: 5, others: 1}
)

func (k choiceKeys) named() []string { return k.list[:k.names] }

// choices are all objects that are tried and valid, each a set of members: bit 2i is the i-th key with the value 1, the next one that with 2.
type choices struct {
	choiceKeys
	valid []uint32
}

func (k choiceKeys) choices(judge *jsonschema.Schema) choices {
	c := choices{choiceKeys: k}
	var choose func(key, others int, set uint32, object map[string]any)
	choose = func(key, others int, set uint32, object map[string]any) {
		if key == len(k.list) {
			if judge.Validate(object) == nil {
				c.valid = append(c.valid, set)
			}
			return
		}
		choose(key+1, others, set, object)
		if key >= k.names {
			if others++; others > k.others {
				return
			}
		}
		for i, value := range []json.Number{"1", "2"} {
			object[k.list[key]] = value
			choose(key+1, others, set|1<<(2*key+i), object)
		}
		delete(object, k.list[key])
	}
	choose(0, 0, 0, map[string]any{})
	return c
}

// inOrder are those members of a set that may come next.
func (k choiceKeys) inOrder(set uint32) uint32 {
	for i := 0; k.declared && i < k.names; i++ {
		if first := set & (3 << (2 * i)); first != 0 {
			return first
		}
	}
	return set
}

// begin is the members that begin with a text.
func (k choiceKeys) begin(text string) (set uint32) {
	for i, key := range k.list {
		for j, value := range []string{"1", "2"} {
			if strings.HasPrefix(`"`+key+`":`+value, text) {
				set |= 1 << (2*i + j)
			}
		}
	}
	return set
}

// behind are those members of a set that may come behind others, if the set has these and they came in an order that is accepted.
func (k choiceKeys) behind(set uint32, read []uint32) (next uint32, ok bool) {
	for _, m := range read {
		if k.inOrder(set)&m == 0 {
			return 0, false
		}
		set &^= m
	}
	return k.inOrder(set), true
}

// goOn says whether a text begins one of the objects, and whether it is one.
func (c choices) goOn(text string) (begins, whole bool) {
	if text == "" || text == "{" {
		return len(c.valid) > 0, false
	}
	if text[0] != '{' {
		return false, false
	}
	members := strings.Split(strings.TrimSuffix(text[1:], "}"), ",")
	last := len(members) - 1
	var read []uint32
	for i, member := range members {
		value := strings.HasSuffix(member, ":1") || strings.HasSuffix(member, ":2")
		if whole = text[len(text)-1] == '}'; !value && (i < last || whole && text != "{}") {
			return false, false
		}
		if value {
			read = append(read, c.begin(member))
		}
	}
	for _, set := range c.valid {
		next, ok := c.behind(set, read)
		if whole && ok && next == 0 {
			return true, true
		}
		if ended := len(read) > last; !whole && ok && (ended || next&c.begin(members[last]) != 0) {
			return true, false
		}
	}
	return false, false
}

// shows says whether the objects that are tried show if a text begins a valid one: in it are few keys, and what it may go on with.
func (k choiceKeys) shows(text string) bool {
	parts := strings.Split(text, `"`) // a key is every second one
	others := 0
	for i := 1; i < len(parts); i += 2 {
		if i == len(parts)-1 {
			return parts[i] == "" || len(parts[i]) == 1 && strings.Contains("abc", parts[i])
		}
		at := slices.Index(k.list, parts[i])
		if at >= k.names {
			others++
		}
		if at < 0 || i > 3 || others >= k.others {
			return false
		}
	}
	return true
}

// TestAlternatives_agreeWithTheOracle: a token is allowed if and only if some object that is valid goes on with it, whatever alternatives are open.
func TestAlternatives_agreeWithTheOracle(t *testing.T) {
	v := tinyVocab(t, "{", `{"`, `"`, "a", "b", "c", "ab", `a"`, `b":`, ":", "1", "2", ",", `,"`, "}", `1}`, `2,"`, `":1`, `":1,"`, `":2,"a":`, `":1,"b":2}`, `"a":1,"c`, `aa":1,"ba":`, `{"c":1`)
	n := choiceCount{}
	grammartest.Seeds(t, 30, func(seed uint64) {
		w := choiceWriter{rand.New(rand.NewPCG(seed, 23)), threeNames}
		if seed%4 == 0 {
			w.all = fiveNames
		}
		n.compare(t, w, w.schema(2), v)
	})
	t.Logf("%+v", n)
}

// TestAlternatives_inDeclaredOrderAgreeWithTheOracle: so it is where keys may not come back that a choice needs.
func TestAlternatives_inDeclaredOrderAgreeWithTheOracle(t *testing.T) {
	v := tinyVocab(t, "{", `{"`, `"`, "a", "b", "c", `a"`, `b":`, ":", "1", "2", ",", `,"`, "}", `1}`, `2,"`, `":1,"`, `":1,"b":2}`, `"a":1,"c`, `"c":1`, `"aa":1,`)
	n := choiceCount{}
	grammartest.Seeds(t, 15, func(seed uint64) {
		w := choiceWriter{rand.New(rand.NewPCG(seed, 29)), fiveNames}
		w.all.declared = true
		n.compare(t, w, w.choice(), v)
	})
	t.Logf("%+v", n)
}

// choice is a schema that declares all names, in their order, and asks for one of some of them.
func (w choiceWriter) choice() map[string]any {
	s := map[string]any{}
	for range w.IntN(3) {
		w.keyword(s)
	}
	values := "{"
	for i, name := range w.all.named() {
		text, _ := json.Marshal(w.pick(true, true, true, w.value()))
		values += strings.Repeat(",", min(i, 1)) + `"` + name + `":` + string(text)
	}
	s["properties"] = json.RawMessage(values + "}")
	var list []any
	for range 4 + w.IntN(6) {
		list = append(list, w.required())
	}
	s["anyOf"] = list
	return s
}

// choiceCount is how many schemas were compared, had no value, were not supported, and how many bits of masks were compared.
type choiceCount struct{ schemas, empty, unsupported, bits int }

func (n *choiceCount) compare(t *testing.T, w choiceWriter, choice map[string]any, v *Vocab) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": "object", "allOf": []any{choice, map[string]any{"additionalProperties": map[string]any{"enum": []any{1, 2}}}}})
	if err != nil {
		t.Fatal(err)
	}
	judge := grammartest.Oracle(t, text)
	if judge == nil {
		return
	}
	o := SchemaOptions{Space: NoSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers}
	if w.all.declared {
		o.Order = DeclaredOrder
	}
	g, err := FromSchema(text, o)
	var unsat *schema.UnsatError
	if err != nil && !errors.As(err, &unsat) {
		n.unsupported++
		return
	}
	c := w.all.choices(judge)
	if err != nil {
		if n.empty++; len(c.valid) > 0 {
			t.Fatalf("%s: %v, but some object is valid", text, err)
		}
		return
	}
	n.schemas++
	n.bits += c.compare(t, string(text), g.Matcher(v), w)
}

// maxTexts is how many texts the masks of a schema are compared behind.
const maxTexts = 200

// compare compares the bits of masks that show what they should be.
func (c choices) compare(t *testing.T, schemaText string, m *Matcher, w choiceWriter) (bits int) {
	t.Helper()
	seen := map[string]bool{}
	var visit func(text string)
	visit = func(text string) {
		seen[text] = true
		mask := m.Mask()
		for _, token := range w.Perm(m.v.Len()) {
			id, next := int32(token), text+string(m.v.Piece(int32(token)))
			want, _ := c.goOn(next)
			if m.v.IsEOG(id) {
				next = text
				_, want = c.goOn(text)
			}
			if !want && !c.shows(next) {
				continue
			}
			if bits++; mask.Allows(id) != want {
				t.Fatalf("%s: after %q: token %q is allowed: %v, a valid text follows: %v", schemaText, text, m.v.Piece(id), mask.Allows(id), want)
			}
			if !want || m.v.IsEOG(id) || seen[next] || !c.shows(next) || len(seen) == maxTexts {
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
