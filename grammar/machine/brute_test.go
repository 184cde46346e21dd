package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
)

// What small schemas say is found here without any automaton: all values that can be put together
// of their parts are listed as texts, and a validator of some lines says which of them count.

// instance is a value and a text of it.
type instance struct {
	text string
	val  any
}

// schemas makes random schemas.
type schemas struct{ *rand.Rand }

// with says whether a rule is to be, one time in n.
func (r schemas) with(n int) bool { return r.IntN(n) == 0 }

// some is a few of a list, at least so many, in its order.
func (r schemas) some(list []any, least int) []any {
	out := []any{}
	for i, x := range list {
		if r.with(2) || len(list)-i <= least-len(out) {
			out = append(out, x)
		}
	}
	return out
}

func (r schemas) schema(depth int) map[string]any {
	switch n := r.IntN(6); {
	case n < 2 && depth > 0:
		return r.object(depth)
	case n < 4 && depth > 0:
		return r.array(depth)
	case n == 4:
		return r.string()
	}
	return map[string]any{"enum": r.some([]any{true, nil, "", "a", "b", "aab", false}, 1)}
}

func (r schemas) string() map[string]any {
	s := map[string]any{"type": "string", "pattern": []string{"^[ab]*$", "^a*b?$", "^(ab?)*$"}[r.IntN(3)], "maxLength": 1 + r.IntN(2)}
	if r.with(3) {
		s["minLength"] = 1
	}
	return s
}

func (r schemas) object(depth int) map[string]any {
	s := map[string]any{"type": "object", "additionalProperties": false}
	keys, props := r.some([]any{"a", "b", "cc"}, 0), map[string]any{}
	for _, key := range keys {
		props[key.(string)] = r.schema(depth - 1)
	}
	s["properties"] = props
	if r.with(3) {
		s["patternProperties"] = map[string]any{"^[xy]$": r.schema(0)}
	}
	if r.with(2) {
		s["required"] = r.some(keys, 0)
	}
	if r.with(4) {
		s["minProperties"] = 1 + r.IntN(2)
	}
	if r.with(4) {
		s["maxProperties"] = 1 + r.IntN(3)
	}
	if len(keys) > 1 && r.with(3) {
		deps := map[string]any{keys[0].(string): r.some(keys[1:], 1)}
		if r.with(2) {
			deps[keys[1].(string)] = []any{keys[0]}
		}
		s["dependentRequired"] = deps
	}
	if r.with(5) {
		s["not"] = map[string]any{"type": "object", "additionalProperties": map[string]any{"enum": r.some([]any{nil, true, "a"}, 1)}}
	}
	return s
}

func (r schemas) array(depth int) map[string]any {
	s := map[string]any{"type": "array", "maxItems": 1 + r.IntN(3), "items": r.schema(depth - 1)}
	if r.with(3) {
		s["prefixItems"] = []any{r.schema(0)}
	}
	if r.with(3) {
		s["minItems"] = 1 + r.IntN(2)
	}
	if r.with(2) {
		s["uniqueItems"] = true
	} else if r.with(2) {
		s["contains"] = map[string]any{"enum": r.some([]any{true, nil, "a"}, 1)}
		s["minContains"] = r.IntN(3)
		if r.with(2) {
			s["maxContains"] = 1 + r.IntN(2)
		}
	}
	return s
}

// lister puts values together, up to a number of them.
type lister struct {
	declared bool // keys come in the order of their declaration
	left     int
}

// instances lists all values of a schema.
func (l *lister) instances(s map[string]any) []instance {
	var list []instance
	switch s["type"] {
	case "object":
		var keys []string
		for key := range s["properties"].(map[string]any) {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		if s["patternProperties"] != nil {
			keys = append(keys, "x", "y")
		}
		list = l.objects(s, keys, instance{"{", map[string]any{}})
	case "array":
		list = l.arrays(s, instance{"[", []any{}})
	case "string":
		for _, text := range []string{"", "a", "b", "aa", "ab", "ba", "bb"} {
			list = append(list, instance{`"` + text + `"`, text})
		}
	default:
		for _, x := range s["enum"].([]any) {
			text, _ := json.Marshal(x)
			list = append(list, instance{string(text), x})
		}
	}
	l.left -= len(list)
	return slices.DeleteFunc(list, func(x instance) bool { return !valid(s, x.val) })
}

func valueOf(s map[string]any, key string) map[string]any {
	if p, ok := s["properties"].(map[string]any)[key]; ok {
		return p.(map[string]any)
	}
	return s["patternProperties"].(map[string]any)["^[xy]$"].(map[string]any)
}

// objects lists an object that has begun with all that may come of it by more of some keys.
func (l *lister) objects(s map[string]any, keys []string, begun instance) []instance {
	list := []instance{{begun.text + "}", begun.val}}
	had := begun.val.(map[string]any)
	for i, key := range keys {
		if _, ok := had[key]; ok || l.left < 0 {
			continue
		}
		rest := keys
		if l.declared {
			rest = keys[i+1:]
		}
		for _, v := range l.instances(valueOf(s, key)) {
			next := maps.Clone(had)
			next[key] = v.val
			list = append(list, l.objects(s, rest, instance{begun.text + comma(begun.text) + `"` + key + `":` + v.text, next})...)
		}
	}
	l.left -= len(list)
	return list
}

// arrays does so for an array.
func (l *lister) arrays(s map[string]any, begun instance) []instance {
	list := []instance{{begun.text + "]", begun.val}}
	had := begun.val.([]any)
	if len(had) == s["maxItems"].(int) || l.left < 0 {
		return list
	}
	for _, v := range l.instances(elementOf(s, len(had))) {
		list = append(list, l.arrays(s, instance{begun.text + comma(begun.text) + v.text, append(had[:len(had):len(had)], v.val)})...)
	}
	l.left -= len(list)
	return list
}

func elementOf(s map[string]any, i int) map[string]any {
	if prefix, ok := s["prefixItems"].([]any); ok && i < len(prefix) {
		return prefix[i].(map[string]any)
	}
	return s["items"].(map[string]any)
}

func comma(begun string) string {
	if len(begun) == 1 {
		return ""
	}
	return ","
}

// bound is a keyword's number, or another where there is none.
func bound(s map[string]any, keyword string, other int) int {
	if n, ok := s[keyword].(int); ok {
		return n
	}
	return other
}

// TestMachine_smallSchemasAreReadAsBruteForceSays: random schemas of few values. Behind every
// beginning of them the masks, the bytes that are forced and the distance to an end are what the
// list of all texts says.
func TestMachine_smallSchemasAreReadAsBruteForceSays(t *testing.T) {
	r := schemas{rand.New(rand.NewPCG(27, 1))}
	for n := 0; n < 60; {
		s := r.object(2)
		if r.with(2) {
			s = r.array(2)
		}
		options := "space=none, escapes=canonical, numbers=canonical"
		l := lister{declared: r.with(3), left: 20_000}
		if l.declared {
			options += ", order=declared"
		}
		list := l.instances(s)
		if l.left < 0 || len(list) == 0 {
			continue
		}
		text, _ := json.Marshal(s)
		m, err := compile("root ::= %json"+string(text)+"["+options+"]", false)
		if err != nil { // it is told that it cannot be enforced
			continue
		}
		n++
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Logf("%s [%s]", text, options)
			checkLanguage(t, m, list)
		})
	}
}

// checkLanguage compares all that a machine says behind the beginnings of texts with the list of
// all texts.
func checkLanguage(t *testing.T, m *Machine, all []instance) {
	t.Helper()
	var texts []string
	for _, x := range all {
		texts = append(texts, x.text)
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) > 60 { // of many, some
		few := texts[:0:0]
		for i := 0; i < len(texts); i += len(texts)/30 + 1 {
			few = append(few, texts[i])
		}
		checkBeginnings(t, m, texts, few)
		return
	}
	checkBeginnings(t, m, texts, texts)
}

// checkBeginnings looks at every beginning of some texts of a language.
func checkBeginnings(t *testing.T, m *Machine, all, some []string) {
	t.Helper()
	v := pieceVocab(t, some)
	k := NewMasks(m, v)
	seen := map[string]bool{}
	for _, text := range some {
		id := m.Start()
		for i := 0; i <= len(text); i++ {
			if begun := text[:i]; !seen[begun] {
				seen[begun] = true
				from := sort.SearchStrings(all, begun)
				to := from + sort.Search(len(all)-from, func(j int) bool { return !strings.HasPrefix(all[from+j], begun) })
				checkBehind(t, k, id, begun, all[from:to])
			}
			if i < len(text) {
				if id = m.Step(id, int(text[i])); id == Stuck {
					t.Fatalf("%q is refused at byte %d", text, i)
				}
			}
		}
	}
}

// checkBehind compares what is said behind a beginning with the texts that begin so.
func checkBehind(t *testing.T, k *Masks, id ConfigID, begun string, texts []string) {
	t.Helper()
	rests, nearest := map[string]bool{}, len(texts[0])
	for _, text := range texts {
		rest := text[len(begun):]
		nearest = min(nearest, len(rest))
		for n := range min(len(rest), 4) {
			rests[rest[:n+1]] = true
		}
	}
	mask := k.Mask(id, nil)
	for token := int32(1); int(token) < k.v.Len(); token++ {
		if piece := string(k.v.Piece(token)); mask.Allows(token) != rests[piece] {
			t.Fatalf("behind %q the mask says %v of %q", begun, mask.Allows(token), piece)
		}
	}
	ends := texts[0] == begun
	if k.m.Done(id) != ends {
		t.Fatalf("behind %q the text may end: %v", begun, k.m.Done(id))
	}
	if d := k.m.Distance(id); d < nearest-slack || ends && d != 0 || d > nearest+slack {
		t.Fatalf("behind %q the end is said to be %d bytes away, and is %d", begun, d, nearest)
	}
	if want, got := forced(begun, texts), string(k.m.Forced(nil, id)); got != want {
		t.Fatalf("behind %q %q is forced, want %q", begun, got, want)
	}
}

// slack is how far the distance may be from the shortest way to an end: it is a bound where one
// key asks for others, and taken to be so where elements must differ.
const slack = 20

// forced is what all texts have in common behind a beginning, up to where one ends.
func forced(begun string, texts []string) string {
	common := texts[0]
	for _, text := range texts {
		for !strings.HasPrefix(text, common) {
			common = common[:len(common)-1]
		}
	}
	return common[len(begun):]
}
