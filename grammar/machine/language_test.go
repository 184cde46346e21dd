package machine

import (
	"slices"
	"strings"
	"testing"
)

// everyText lists the texts that a machine accepts, all of them, and fails where some text that it
// lets begin has no end. It takes languages that are finite.
func everyText(t *testing.T, m *Machine) []string {
	t.Helper()
	var all []string
	left := 200_000
	var walk func(id ConfigID, text []byte) bool
	walk = func(id ConfigID, text []byte) bool {
		if left--; left < 0 {
			t.Fatal("there is no end to the texts")
		}
		ends := m.Done(id)
		if ends {
			all = append(all, string(text))
		}
		may := m.NextBytes(id)
		for b := range 256 {
			if may.Has(byte(b)) {
				ends = walk(m.Step(id, b), append(text[:len(text):len(text)], byte(b))) || ends
			}
		}
		if !ends {
			t.Fatalf("%q has begun and has no end", text)
		}
		if d := m.Distance(id); d >= unreachable {
			t.Fatalf("behind %q the end is said to be out of reach", text)
		}
		return ends
	}
	walk(m.Start(), nil)
	slices.Sort(all)
	return all
}

// some lists all sequences of what can be chosen, each kind at most once; a choice is a text and
// its kind.
func some(choices [][2]string, before string, took ...string) []string {
	list := []string{before}
	for _, c := range choices {
		if slices.Contains(took, c[1]) {
			continue
		}
		next := before + c[0]
		if before != "" {
			next = before + "," + c[0]
		}
		list = append(list, some(choices, next, append(took[:len(took):len(took)], c[1])...)...)
	}
	return list
}

// in puts brackets around each text that passes.
func in(brackets string, list []string, pass func(text string) bool) []string {
	var out []string
	for _, text := range list {
		if pass(text) {
			out = append(out, brackets[:1]+text+brackets[1:])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestMachine_languagesAreWhatTheSchemaSays: all texts of small schemas, beside all members and
// elements put together in every order and filtered as the schema says.
func TestMachine_languagesAreWhatTheSchemaSays(t *testing.T) {
	const abc = `"properties":{"a":{"const":true},"b":{"const":true},"c":{"const":true}},` + closed
	const xy = `"patternProperties":{"^[xy]$":{"enum":[true,null]}},` + closed
	members := func(keys string) (list [][2]string) {
		for _, key := range keys {
			list = append(list, [2]string{`"` + string(key) + `":true`, string(key)})
		}
		return list
	}
	null := [][2]string{{`"x":true`, "x"}, {`"x":null`, "x"}, {`"y":true`, "y"}, {`"y":null`, "y"}}
	has := func(text, keys string) bool {
		return !strings.ContainsFunc(keys, func(r rune) bool { return !strings.Contains(text, string(r)) })
	}
	count := func(text string) int { return strings.Count(text, ":") }
	ordered := func(text string) bool {
		last := rune(0)
		for _, r := range text {
			if r >= 'a' && r <= 'c' {
				if r < last {
					return false
				}
				last = r
			}
		}
		return true
	}
	any := func(string) bool { return true }
	none := ""
	for name, c := range map[string]struct {
		schema, options string
		want            []string
	}{
		"required":                {abc + `,"required":["b"]`, none, in("{}", some(members("abc"), ""), func(x string) bool { return has(x, "b") })},
		"bounds":                  {abc + `,"minProperties":2,"maxProperties":2`, none, in("{}", some(members("abc"), ""), func(x string) bool { return count(x) == 2 })},
		"required and a bound":    {abc + `,"required":["b","c"],"maxProperties":2`, none, in("{}", some(members("bc"), ""), func(x string) bool { return count(x) == 2 })},
		"implied":                 {abc + `,"dependentRequired":{"a":["b"],"b":["c"]}`, none, in("{}", some(members("abc"), ""), func(x string) bool { return (!has(x, "a") || has(x, "b")) && (!has(x, "b") || has(x, "c")) })},
		"implied and forbidden":   {`"properties":{"a":{"const":true},"b":{"const":true},"c":false},"dependentRequired":{"a":["b"],"b":["c"]},` + closed, none, []string{"{}"}},
		"declared":                {abc, ", order=declared", in("{}", some(members("abc"), ""), ordered)},
		"declared and required":   {abc + `,"required":["a","c"]`, ", order=declared", []string{`{"a":true,"b":true,"c":true}`, `{"a":true,"c":true}`}},
		"declared and bounds":     {abc + `,"minProperties":2`, ", order=declared", in("{}", some(members("abc"), ""), func(x string) bool { return ordered(x) && count(x) > 1 })},
		"declared and implied":    {abc + `,"dependentRequired":{"c":["a"]}`, ", order=declared", in("{}", some(members("abc"), ""), func(x string) bool { return ordered(x) && (!has(x, "c") || has(x, "a")) })},
		"declared, then others":   {`"properties":{"a":{"const":true}},"patternProperties":{"^[xy]$":{"const":true}},` + closed, ", order=declared", []string{`{"a":true,"x":true,"y":true}`, `{"a":true,"x":true}`, `{"a":true,"y":true}`, `{"a":true}`, `{"x":true,"y":true}`, `{"x":true}`, `{"y":true}`, `{}`}},
		"declared, others wanted": {`"properties":{"a":{"const":true}},"required":["a"],"patternProperties":{"^x$":{"const":true}},` + closed, ", order=declared", []string{`{"a":true,"x":true}`, `{"a":true}`}},
		"others":                  {xy, none, in("{}", some(null, ""), any)},
		"others and bounds":       {xy + `,"minProperties":2`, none, in("{}", some(null, ""), func(x string) bool { return count(x) == 2 })},
		"an obligation":           {xy + `,"not":{"additionalProperties":{"type":"null"}}`, none, in("{}", some(null, ""), func(x string) bool { return has(x, "t") })},
		"an obligation and room":  {xy + `,"not":{"additionalProperties":{"type":"null"}},"maxProperties":1`, none, []string{`{"x":true}`, `{"y":true}`}},
		"obligations of names":    {`"properties":{"x":{"enum":[true,null]},"y":{"enum":[true,null]}},` + closed + `,"not":{"additionalProperties":{"type":"null"}},"maxProperties":2`, none, in("{}", some(null, ""), func(x string) bool { return has(x, "t") })},
		"obligations, names, room": {`"properties":{"x":{"enum":[true,null]},"y":{"enum":[true,null]},"z":{"const":true}},` + closed + `,"not":{"additionalProperties":{"type":"null"}},"maxProperties":2`, none,
			in("{}", some(append(null, [2]string{`"z":true`, "z"}), ""), func(x string) bool { return has(x, "t") && count(x) < 3 })},
		"declared, implied, bounds": {abc + `,"dependentRequired":{"c":["a"]},"minProperties":2`, ", order=declared", in("{}", some(members("abc"), ""), func(x string) bool { return ordered(x) && count(x) > 1 && (!has(x, "c") || has(x, "a")) })},
		"declared, implied, next":   {abc + `,"dependentRequired":{"c":["b"]},"minProperties":2`, ", order=declared", in("{}", some(members("abc"), ""), func(x string) bool { return ordered(x) && count(x) > 1 && (!has(x, "c") || has(x, "b")) })},
		"a slash, canonical":        {`"properties":{"/":{"const":true}},"required":["/"],` + closed, none, []string{`{"/":true}`}},
	} {
		t.Run(name, func(t *testing.T) {
			m := compiled(t, `root ::= %json{`+c.schema+`}[space=none, escapes=canonical, numbers=canonical`+c.options+`]`, false)
			slices.Sort(c.want)
			if got := everyText(t, m); !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestMachine_arraysAreWhatTheSchemaSays does so for arrays.
func TestMachine_arraysAreWhatTheSchemaSays(t *testing.T) {
	one := func(texts ...string) (list [][2]string) {
		for _, text := range texts {
			list = append(list, [2]string{text, text})
		}
		return list
	}
	objects := [][2]string{{`{}`, "-"}, {`{"a":true}`, "a"}, {`{"b":true}`, "b"}, {`{"a":true,"b":true}`, "ab"}, {`{"b":true,"a":true}`, "ab"}}
	var twice, thrice []string // elements that need not differ
	for _, x := range []string{"true", "false"} {
		for _, y := range []string{"true", "false"} {
			twice = append(twice, x+","+y)
			for _, z := range []string{"true", "false"} {
				thrice = append(thrice, x+","+y+","+z)
			}
		}
	}
	upTo := slices.Concat([]string{"", "true", "false"}, twice, thrice)
	any := func(string) bool { return true }
	for name, c := range map[string]struct {
		schema string
		want   []string
	}{
		"different":              {`"items":{"enum":[false,null,"a",true]},"uniqueItems":true`, in("[]", some(one("false", "null", `"a"`, "true"), ""), any)},
		"different strings":      {`"items":{"enum":["a","b","ab"]},"uniqueItems":true`, in("[]", some(one(`"a"`, `"b"`, `"ab"`), ""), any)},
		"different objects":      {`"items":{"properties":{"a":{"const":true},"b":{"const":true}},` + closed + `},"uniqueItems":true`, in("[]", some(objects, ""), any)},
		"different, required":    {`"items":{"properties":{"a":{"type":"boolean"}},"required":["a"],` + closed + `},"uniqueItems":true`, in("[]", some(one(`{"a":true}`, `{"a":false}`), ""), any)},
		"different, and strings": {`"items":{"anyOf":[{"properties":{"a":{"const":true}},` + closed + `},{"enum":["x","y"]}]},"uniqueItems":true`, in("[]", some(one("{}", `{"a":true}`, `"x"`, `"y"`), ""), any)},
		"different, two kinds":   {`"items":{"anyOf":[{"properties":{"a":{"type":"boolean"}},"required":["a"],` + closed + `},{"properties":{"c":{"const":true}},` + closed + `}]},"uniqueItems":true`, in("[]", some(one("{}", `{"a":true}`, `{"a":false}`, `{"c":true}`), ""), any)},
		"bounds":                 {`"items":{"enum":[true,false]},"minItems":2,"maxItems":3`, in("[]", append(twice, thrice...), any)},
		"contained":              {`"items":{"enum":[true,false]},"contains":{"const":false},"maxItems":3`, in("[]", upTo, func(x string) bool { return strings.Contains(x, "false") })},
		"contained so often":     {`"items":{"enum":[true,false]},"contains":{"const":false},"minContains":2,"maxContains":2,"maxItems":3`, in("[]", upTo, func(x string) bool { return strings.Count(x, "false") == 2 })},
		"contained at most":      {`"items":{"enum":[true,false]},"contains":{"const":false},"minContains":0,"maxContains":1,"maxItems":3`, in("[]", upTo, func(x string) bool { return strings.Count(x, "false") < 2 })},
		"a prefix":               {`"prefixItems":[{"const":false}],"items":{"enum":[true,false]},"maxItems":3`, in("[]", upTo, func(x string) bool { return !strings.HasPrefix(x, "true") })},
	} {
		t.Run(name, func(t *testing.T) {
			m := compiled(t, `root ::= %json{"type":"array",`+c.schema+`}[space=none, escapes=canonical, numbers=canonical]`, false)
			if got := everyText(t, m); !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}
