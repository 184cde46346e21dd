package grammar

import (
	"fmt"
	"strconv"
	"strings"
)

// hostileSchemas are schemas that ask for more than they should, by what is hostile about them.
func hostileSchemas() map[string]string {
	all := make(map[string]string, len(hostile))
	for name, text := range hostile {
		all[name] = text()
	}
	return all
}

var hostile = map[string]func() string{
	"properties nested 10,000 deep": func() string { return nest(`{"properties":{"a":`, `{}`, `}}`, 10_000) },
	"required nested 10,000 deep": func() string {
		return nest(`{"type":"object","required":["a"],"properties":{"a":`, `{}`, `}}`, 5_000)
	},
	"items nested 10,000 deep":   func() string { return nest(`{"type":"array","items":`, `true`, `}`, 10_000) },
	"not nested 10,000 deep":     func() string { return nest(`{"not":`, `{"type":"string"}`, `}`, 10_000) },
	"allOf nested 5,000 deep":    func() string { return nest(`{"allOf":[`, `{}`, `]}`, 5_000) },
	"anyOf nested 5,000 deep":    func() string { return nest(`{"anyOf":[{"type":"string"},`, `{}`, `]}`, 5_000) },
	"oneOf nested 5,000 deep":    func() string { return nest(`{"oneOf":[{"type":"string"},`, `{"type":"null"}`, `]}`, 5_000) },
	"arrays nested in no schema": func() string { return nest(`[`, ``, `]`, 100_000) },
	"1 MB of properties": func() string {
		return `{"type":"object","properties":{` + listOf(9_000, `"property number <i>":{"type":["string","null"],"description":"of no importance at all","minLength":<i>}`) + `}}`
	},
	"enum of 5,000 strings":  func() string { return `{"enum":[` + listOf(5_000, `"value <i>"`) + `]}` },
	"enum of 5,000 numbers":  func() string { return `{"enum":[` + listOf(5_000, `<i>.5`) + `]}` },
	"enum of 5,000 integers": func() string { return `{"type":"integer","not":{"enum":[` + listOf(5_000, `<i>`) + `]}}` },
	"enum of 5,000 objects":  func() string { return `{"enum":[` + listOf(5_000, `{"k":<i>}`) + `]}` },
	"enum of 5,000 values of all kinds": func() string {
		return `{"enum":[` + listOf(1_250, `"value <i>",<i>.5,{"k":<i>,"name":"n<i>"},[<i>,"x<i>"]`) + `]}`
	},
	"const of 30,000 keys":      func() string { return `{"const":{` + listOf(30_000, `"key <i>":<i>`) + `}}` },
	"const of 100,000 elements": func() string { return `{"const":[` + listOf(100_000, `<i>`) + `]}` },
	"10,000 keys are required": func() string {
		return `{"type":"object","properties":{` + listOf(10_000, `"k<i>":{"type":"integer"}`) + `},"required":[` + listOf(10_000, `"k<i>"`) + `],"additionalProperties":false}`
	},
	"1,000 long keys are required": func() string {
		return `{"type":"object","required":[` + listOf(1_000, `"`+strings.Repeat("k", 500)+`<i>"`) + `]}`
	},
	"1,000 keys that each require the next": func() string {
		return `{"type":"object","dependentRequired":{` + listOf(1_000, `"k<i>":["k<n>"]`) + `}}`
	},
	"100,000 keys": func() string { return `{"type":"object","minProperties":100000}` },
	"tuple of 5,000": func() string {
		return `{"type":"array","prefixItems":[` + listOf(5_000, `{"const":<i>}`) + `],"items":false,"minItems":5000}`
	},
	"anyOf of 300 keys beside 300": func() string {
		return `{"type":"object","properties":{` + listOf(300, `"k<i>":{"type":"string"}`) + `},"anyOf":[` + listOf(300, `{"required":["k<i>"]}`) + `]}`
	},
	"oneOf of 100 open objects": func() string {
		return `{"oneOf":[` + listOf(100, `{"type":"object","properties":{"name":{"type":"string"},"v<i>":{"type":"integer"}},"required":["name","v<i>"]}`) + `]}`
	},
	"300 conditions within each other": func() string {
		return chain(300, `{"if":{"required":["a<i>"]},"then":{"required":["b<i>"]},"else":`, `{}`, `}`)
	},
	"divisors whose product is large": func() string {
		return `{"type":"integer","allOf":[{"multipleOf":9973},{"multipleOf":9967},{"multipleOf":9949}]}`
	},
	"names are one of 5,000": func() string {
		return `{"type":"object","propertyNames":{"enum":[` + listOf(5_000, `"name <i>"`) + `]},"required":[` + listOf(1_000, `"name <i>"`) + `]}`
	},
	"500 keys, some of another type": func() string {
		return `{"type":"object","not":{"additionalProperties":{"type":"string"},"properties":{` + listOf(500, `"p<i>":{"type":"string"}`) + `}}}`
	},
	"recursion through 60 variants": func() string {
		return `{"$ref":"#/$defs/e","$defs":{"e":{"anyOf":[` + listOf(60, `{"type":"object","properties":{"kind":{"const":"k<i>"},"left":{"$ref":"#/$defs/e"},"right":{"$ref":"#/$defs/e"}},"required":["kind","left","right"],"additionalProperties":false}`) + `,{"type":"integer"}]}}}`
	},
	"oneOf of 40 keys": func() string { return `{"oneOf":[` + listOf(40, `{"required":["k<i>"]}`) + `]}` },
	"not one of 5,000 strings": func() string {
		return `{"type":"string","not":{"enum":[` + listOf(5_000, `"value <i>"`) + `]}}`
	},
	"not one of 500 objects": func() string { return `{"type":"object","not":{"enum":[` + listOf(500, `{"k":<i>,"m":1}`) + `]}}` },
	"oneOf of 300 overlapping": func() string {
		return `{"oneOf":[` + listOf(300, `{"required":["k<i>"]}`) + `]}`
	},
	"anyOf of 1,000 objects": func() string {
		return `{"anyOf":[` + listOf(1_000, `{"type":"object","required":["k<i>"],"properties":{"k<i>":{"type":"string"}}}`) + `]}`
	},
	"anyOf of 1,500 open objects": func() string {
		return `{"anyOf":[` + listOf(1_500, `{"type":"object","properties":{"k<i>":{"type":"string"},"m":{"minimum":<i>}},"required":["k<i>"]}`) + `]}`
	},
	"product of ten choices": func() string {
		return `{"allOf":[` + listOf(10, `{"anyOf":[{"required":["a<i>"]},{"required":["b<i>"]},{"required":["c<i>"]}]}`) + `]}`
	},
	"dependencies on 30 keys": func() string {
		return `{"dependencies":{` + listOf(30, `"k<i>":{"required":["r<i>"],"properties":{"r<i>":{"type":"string"}}}`) + `}}`
	},
	"300 optional keys": func() string {
		return `{"type":"object","properties":{` + listOf(300, `"k<i>":{"type":"string"}`) + `},"additionalProperties":false}`
	},
	"reference to itself": func() string { return `{"$ref":"#"}` },
	"references in a circle": func() string {
		return `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`
	},
	"forty references that double: numbers": func() string { return doubled(`{"type":"integer"}`, `{"type":"number","minimum":3}`) },
	"forty references that double: strings": func() string { return doubled(`{"pattern":"^a+$"}`, `{"type":"string","minLength":3}`) },
	"forty references that double: arrays":  func() string { return doubled(`{"items":{"type":"string"}}`, `{"type":"array","minItems":2}`) },
	"forty references that double: objects": func() string { return doubled(`{"required":["a"]}`, `{"type":"object","maxProperties":2}`) },
	"circle through anyOf":                  func() string { return `{"anyOf":[{"$ref":"#"},{"type":"string"}]}` },
	"circle through not":                    func() string { return `{"not":{"$ref":"#"}}` },
	"chain of 5,000 references": func() string {
		return `{"$ref":"#/$defs/d0","$defs":{` + listOf(5_000, `"d<i>":{"$ref":"#/$defs/d<n>"}`) + `,"d5000":{"type":"string"}}}`
	},
	"maxLength of a million": func() string { return `{"type":"string","maxLength":1000000,"minLength":999999}` },
	"pattern and a million":  func() string { return `{"type":"string","pattern":"^(ab)*$","minLength":1000000}` },
	"catastrophic pattern":   func() string { return `{"type":"string","pattern":"^(a|a?)+(a+)+$","not":{"pattern":"(a*)*b"}}` },
	"patterns that overlap": func() string {
		return `{"patternProperties":{` + listOf(40, `"k<i>":{"minimum":<i>}`) + `}}`
	},
	"number with an exponent": func() string { return `{"minimum":1e999999999,"maximum":1e-999999999,"multipleOf":1e-400}` },
	"uniqueItems of ten values": func() string {
		return `{"type":"array","items":{"enum":[` + listOf(10, `<i>`) + `]},"uniqueItems":true,"minItems":11}`
	},
	"array of a billion": func() string {
		return `{"type":"array","minItems":1000000000,"contains":{"const":1},"minContains":999999999}`
	},
	"unevaluated after choices": func() string {
		return `{"anyOf":[` + listOf(12, `{"properties":{"k<i>":{"type":"string"}},"required":["k<i>"]}`) + `],"unevaluatedProperties":false}`
	},
	"depth of 64": func() string {
		return nest(`{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`, 64)
	},
	"not within not, with properties": func() string {
		return nest(`{"not":{"required":["a"],"properties":{"a":`, `{"type":"string"}`, `}}}`, 2_000)
	},
	"not of allOf within itself": func() string { return nest(`{"not":{"allOf":[{"minLength":1},`, `{"type":"string"}`, `]}}`, 2_000) },
	"allOf of 1,000 patterns":    func() string { return `{"type":"string","allOf":[` + listOf(1_000, `{"pattern":"x<i>y"}`) + `]}` },
	"allOf of 1,000 properties": func() string {
		return `{"allOf":[` + listOf(1_000, `{"properties":{"k<i>":{"type":"integer"},"s":{"maxLength":<n>}}}`) + `]}`
	},
	"allOf of 1,000 choices": func() string {
		return `{"allOf":[` + listOf(1_000, `{"anyOf":[{"required":["k<i>"]},{"required":["m<i>"]}]}`) + `]}`
	},
	"oneOf of 1,000 constants": func() string { return `{"oneOf":[` + listOf(1_000, `{"const":<i>}`) + `]}` },
	"oneOf of 1,000 tagged objects": func() string {
		return `{"oneOf":[` + listOf(1_000, `{"type":"object","required":["t"],"properties":{"t":{"const":"v<i>"},"p<i>":{"type":"string"}}}`) + `]}`
	},
	"oneOf of 1,000 overlapping": func() string { return `{"oneOf":[` + listOf(1_000, `{"required":["k<i>"]}`) + `]}` },
	"oneOf of 1,000 ranges": func() string {
		return `{"oneOf":[` + listOf(1_000, `{"type":"number","minimum":<i>,"exclusiveMaximum":<n>}`) + `]}`
	},
	"oneOf of 1,000 overlapping ranges": func() string { return `{"oneOf":[` + listOf(1_000, `{"type":"number","minimum":<i>}`) + `]}` },
	"oneOf of 1,000 divisors":           func() string { return `{"oneOf":[` + listOf(1_000, `{"type":"integer","multipleOf":<n>}`) + `]}` },
	"50 patterns that overlap": func() string {
		return `{"type":"object","patternProperties":{` + listOf(50, `"k.*<i>":{"minimum":<i>}`) + `}}`
	},
	"names that match 30 patterns": func() string {
		return `{"type":"object","propertyNames":{"allOf":[` + listOf(30, `{"pattern":"x.*<i>"}`) + `]}}`
	},
	"contains a billion times": func() string {
		return `{"type":"array","contains":{"type":"integer"},"minContains":1000000000,"maxContains":2000000000,"items":{"type":["integer","string"]}}`
	},
	"minLength of a billion":             func() string { return `{"type":"string","minLength":1000000000}` },
	"minLength of 30 digits":             func() string { return `{"type":"string","minLength":1000000000000000000000000000000}` },
	"pattern and minLength of a billion": func() string { return `{"type":"string","minLength":1000000000,"pattern":"^(ab|cde)*$"}` },
	"maxItems of a billion": func() string {
		return `{"type":"array","minItems":999999999,"maxItems":1000000000,"items":{"enum":[1,2]}}`
	},
	"a billion different items": func() string {
		return `{"type":"array","minItems":999999999,"uniqueItems":true,"items":{"type":"string"}}`
	},
	"a billion keys":       func() string { return `{"type":"object","minProperties":999999999}` },
	"tiny divisor":         func() string { return `{"type":"number","multipleOf":1e-300,"minimum":0.5e-299,"maximum":1e300}` },
	"divisor of 37 digits": func() string { return `{"type":"number","multipleOf":1.0000000000000000000000000000000000007}` },
	"large prime divisor":  func() string { return `{"type":"integer","multipleOf":1000000000000007}` },
	"100 divisors":         func() string { return `{"type":"integer","allOf":[` + listOf(100, `{"multipleOf":<n>}`) + `]}` },
	"numbers around 1e400": func() string { return `{"type":"number","minimum":1e400,"maximum":1e401}` },
	"const 1e999999999":    func() string { return `{"const":1e999999999}` },
	"const of 100,000 digits": func() string {
		return `{"const":` + strings.Repeat("9", 100_000) + `}`
	},
	"nested quantifiers":         func() string { return pattern(`(a+)+$`) },
	"repeated repetition":        func() string { return pattern(`^(?:(?:a|aa)*b){1000}$`) },
	"repetitions of repetitions": func() string { return pattern(`^(((a{0,100}b?){0,100}c?){0,100}){0,100}$`) },
	"far apart":                  func() string { return pattern(`a.{0,5000}b.{0,5000}c`) },
	"200 times anything":         func() string { return pattern(`^(.*a){200}$`) },
	"an exponential automaton":   func() string { return pattern(`^[ab]*a[ab]{200}$`) },
	"three exponential automata": func() string {
		return `{"type":"string","allOf":[{"pattern":"^[ab]*a[ab]{200}$"},{"pattern":"^[ab]*b[ab]{201}$"},{"pattern":"^[ab]*b[ab]{203}$"}]}`
	},
	"90 lookaheads": func() string {
		return pattern(`^` + strings.Repeat(`(?=.*a.*b.*c.*d)(?!.*x.*y.*z)(?=.{3,70}e.{10}f)`, 30) + `.*$`)
	},
	"alternation of 5,000":       func() string { return pattern(`^(` + strings.ReplaceAll(listOf(5_000, `word<i>x`), ",", "|") + `)*$`) },
	"alternation found anywhere": func() string { return pattern(strings.ReplaceAll(listOf(5_000, `w<i>x`), ",", "|")) },
	"pattern of a megabyte":      func() string { return pattern(strings.Repeat("a", 1<<20)) },
	"classes of Unicode": func() string {
		return pattern(`^(` + strings.Repeat(`\p{L}[^\p{Lu}\p{N}]|\P{Script=Han}{1,20}|`, 100) + `x){1,50}$`)
	},
	"complement of Unicode": func() string {
		return `{"type":"string","not":{"pattern":"\\p{L}{5,50}\\p{N}{3}"},"pattern":"\\p{Lu}.*\\P{L}{20}"}`
	},
	"a tree of references": func() string {
		return `{"$ref":"#/$defs/d0","$defs":{` + listOf(30, `"d<i>":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/d<n>"}}},{"properties":{"b":{"$ref":"#/$defs/d<n>"}}}]}`) + `,"d30":{"type":"string"}}}`
	},
	"500 conditions": func() string {
		return nest(`{"if":{"required":["a"]},"then":{"required":["b"]},"else":`, `{}`, `}`, 500)
	},
	"60 conditions at once": func() string {
		return `{"allOf":[` + listOf(60, `{"if":{"properties":{"t":{"const":"v<i>"}},"required":["t"]},"then":{"required":["r<i>"]}}`) + `]}`
	},
	"20 hostile patterns": func() string {
		return `{"properties":{` + listOf(20, `"k<i>":{"type":"string","allOf":[{"pattern":"^[ab]*a[ab]{200}$"},{"pattern":"^[ab]*b[ab]{201}$"},{"pattern":"^[ab]*b[ab]{203}$"}]}`) + `}}`
	},
}

// doubled is a union of two schemas at the end of references of which each stands for two unions:
// 2^40 ways lead there.
func doubled(a, b string) string {
	const steps = 40
	var defs strings.Builder
	for i := range steps {
		either := fmt.Sprintf(`{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/b%d"}]}`, i+1, i+1)
		fmt.Fprintf(&defs, `"a%d":%s,"b%d":%s,`, i, either, i, either)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/a0","$defs":{%s"a%d":%s,"b%d":%s}}`, defs.String(), steps, a, steps, b)
}

func nest(open, core, closing string, n int) string {
	return strings.Repeat(open, n) + core + strings.Repeat(closing, n)
}

// chain is nest with an index in each opening.
func chain(n int, open, core, closing string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(open, "<i>", strconv.Itoa(i)))
	}
	return b.String() + core + strings.Repeat(closing, n)
}

// list writes n items, in each of which <i> is its index and <n> the next one.
func listOf(n int, item string) string {
	items := make([]string, n)
	for i := range items {
		items[i] = strings.NewReplacer("<i>", strconv.Itoa(i), "<n>", strconv.Itoa(i+1)).Replace(item)
	}
	return strings.Join(items, ",")
}

// pattern is a schema with a pattern beside an innocent one.
func pattern(p string) string {
	return `{"type":"object","properties":{"a":{"type":"string","pattern":` + strconv.Quote(p) + `},"b":{"type":"string","pattern":"^x+$"}}}`
}
