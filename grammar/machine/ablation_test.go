package machine

import (
	"flag"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"tenon/grammar/gbnf"
	"tenon/grammar/grammartest"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// ablationCase leaves out one rule of rare exactness: by a switch in its code, or by taking it out
// of the alternatives that a machine is made of.
type ablationCase struct {
	files   string // where the rule stands
	touches func(a *schema.Alt) bool
	rules   rare
	alt     func(a *schema.Alt)
	src     string // a grammar, and a text that tells the two apart
	text    string
}

func isUnique(a *schema.Alt) bool { return a.Kind == schema.Array && a.Array.Unique }
func isBounded(a *schema.Alt) bool {
	return a.Kind == schema.String && (a.String.MinLen > 0 || a.String.MaxLen != schema.Unbounded)
}
func isObject(a *schema.Alt) bool { return a.Kind == schema.Object }

const differ = `,"uniqueItems":true}` + tight

var ablations = map[string]ablationCase{
	"elements differ": {files: "unique_array.go: endElement", touches: isUnique,
		alt: func(a *schema.Alt) { a.Array.Unique = false },
		src: `root ::= %json{"type":"array","items":{"type":"string"}` + differ, text: `["a","a"`},
	"values are used up": {files: "unique_array.go: withoutSeen, reduce", touches: isUnique,
		rules: rareUsedUp,
		src:   `root ::= %json{"type":"array","items":{"enum":["a",1]}` + differ, text: `["a","`},
	"numbers are used up": {files: "unique_array.go: reduce; lex/number_without.go", touches: isUnique,
		rules: rareNumbers,
		src:   `root ::= %json{"type":"array","items":{"enum":[1,2]}` + differ, text: `[1,1`},
	"objects are used up": {files: "unique_object.go", touches: isUnique,
		rules: rareObjects,
		src:   `root ::= %json{"type":"array","items":{"properties":{"a":{"type":"boolean"}},"required":["a"],` + closed + `}` + differ, text: `[{"a":true},{"a":t`},
	"values, not texts, differ": {files: "json_canonical.go; schema/source", touches: isUnique,
		rules: rareCanonical,
		src:   `root ::= %json{"type":"array","items":{"type":"object"}` + differ, text: `[{"a":1,"b":2},{"b":2,"a":1.0}`},
	"elements are counted": {files: "kind_array.go: splitter", touches: func(a *schema.Alt) bool { return a.Kind == schema.Array && len(a.Array.Contains) > 0 },
		alt: func(a *schema.Alt) { a.Array.Contains = nil },
		src: `root ::= %json{"type":"array","contains":{"const":1}}` + tight, text: `[2]`},
	"some key must be": {files: "json_rules.go, json_member.go: Exists", touches: func(a *schema.Alt) bool { return isObject(a) && len(a.Object.Exists) > 0 },
		alt: func(a *schema.Alt) { a.Object.Exists = nil },
		src: `root ::= %json{"not":{"additionalProperties":{"type":"null"}},"type":"object"}` + tight, text: `{"a":null}`},
	"keys require keys": {files: "json_rules.go: owed", touches: func(a *schema.Alt) bool { return isObject(a) && len(a.Object.Implications) > 0 },
		alt: func(a *schema.Alt) { a.Object.Implications = nil },
		src: `root ::= %json{"properties":{"a":true,"b":true},"dependentRequired":{"a":["b"]}}` + tight, text: `{"a":1}`},
	"bounds on keys": {files: "json_rules.go: keysLeft", touches: func(a *schema.Alt) bool {
		return isObject(a) && (a.Object.MinProps > 0 || a.Object.MaxProps != schema.Unbounded)
	},
		alt: func(a *schema.Alt) { a.Object.MinProps, a.Object.MaxProps = 0, schema.Unbounded },
		src: `root ::= %json{"type":"object","maxProperties":1}` + tight, text: `{"a":1,`},
	"other keys come once": {files: "json_member.go: keySets", touches: isObject,
		rules: rareKeysApart,
		src:   `root ::= %json{"type":"object"}` + tight, text: `{"a":1,"b":1,"a":`},
	"bounds on lengths": {files: "kind_value.go: count, fits", touches: isBounded,
		alt: func(a *schema.Alt) { a.String.MinLen, a.String.MaxLen = 0, schema.Unbounded },
		src: `root ::= %json{"type":"string","maxLength":2}` + tight, text: `"abc`},
	"escapes under a bound": {files: "kind_value.go: escapeFits", touches: isBounded,
		rules: rareEscapeFits,
		src:   `root ::= %json{"type":"string","pattern":"^a*(bcd)?$","maxLength":3}[space=none]`, text: `"aaa\`},
	"names with escapes": {files: "kind_name.go: stepNameEscape", touches: isObject,
		rules: rareNameEscapes,
		src:   `root ::= %json{"properties":{"ab":{"const":1}},` + closed + `}`, text: `{"\u0061b":1}`},
	"the shortest of other keys": {files: "end_unnamed_keys.go", touches: isObject,
		rules: rareUnnamedEnds,
		src:   `root ::= %json{"minProperties":2,"additionalProperties":{"const":1},"type":"object"}` + tight, text: `{`},
}

// without runs f while a rule is left out.
func (c ablationCase) without(f func()) {
	ablation.rules = c.rules
	if c.alt != nil {
		ablation.alts = c.alts
	}
	defer func() { ablation.rules, ablation.alts = 0, nil }()
	f()
}

// alts are the alternatives of a value, with the rule taken out of copies.
func (c ablationCase) alts(list []*schema.Alt) []*schema.Alt {
	out := slices.Clone(list)
	for i, a := range list {
		if c.touches(a) {
			x := *a
			switch a.Kind {
			case schema.Array:
				array := *a.Array
				x.Array = &array
			case schema.Object:
				object := *a.Object
				x.Object = &object
			}
			c.alt(&x)
			out[i] = &x
		}
	}
	return out
}

// seen is what a machine says of texts: which are whole, what may come along them, and how far the
// end is.
type seen struct{ verdicts, next, distances uint64 }

var seed = maphash.MakeSeed()

// seenOf looks at the first bytes of each text, and at its end.
func seenOf(m *Machine, texts []string) seen {
	var verdicts, next, distances maphash.Hash
	for _, h := range []*maphash.Hash{&verdicts, &next, &distances} {
		h.SetSeed(seed)
	}
	const looked = 200
	for _, text := range texts {
		id := m.Start()
		for i := 0; i < len(text) && id != Stuck; i++ {
			if i < looked {
				maphash.WriteComparable(&next, m.NextBytes(id))
				maphash.WriteComparable(&distances, m.Distance(id))
			}
			id = m.Step(id, int(text[i]))
		}
		maphash.WriteComparable(&verdicts, id != Stuck && m.Done(id))
	}
	return seen{verdicts.Sum64(), next.Sum64(), distances.Sum64()}
}

// TestAblation_eachRuleDefendsSomething: without it a grammar reads a text differently, and a case
// of TestKinds_readWhatTheyShould does not hold.
func TestAblation_eachRuleDefendsSomething(t *testing.T) {
	for name, c := range ablations {
		t.Run(name, func(t *testing.T) {
			whole := seenOf(compiled(t, c.src, false), []string{c.text, c.text + "!"})
			c.without(func() {
				if seenOf(compiled(t, c.src, false), []string{c.text, c.text + "!"}) == whole {
					t.Errorf("%q is read as before", c.text)
				}
				if !c.failsKinds(t) {
					t.Error("all kinds read what they should")
				}
			})
		})
	}
}

// failsKinds says whether a text of a kind's case is read differently.
func (c ablationCase) failsKinds(t *testing.T) bool {
	t.Helper()
	for _, k := range kindCases {
		m := compiled(t, k.src, false)
		for _, text := range k.yes {
			if id, _ := m.Walk(m.Start(), []byte(text)); id == Stuck || !m.Done(id) {
				return true
			}
		}
		for _, text := range k.no {
			if id, n := m.Walk(m.Start(), []byte(text)); id != Stuck || n != len(text)-1 {
				return true
			}
		}
		if m.Distance(m.Start()) != k.shortest {
			return true
		}
	}
	return false
}

var ablationEvery = flag.Int("ablation.every", 997, "the step of the sample of schemas; make ablations takes all")

// lost counts the schemas of which a rule that is left out changes something.
type lost struct{ verdicts, next, distances int }

func (l *lost) add(whole, without seen) {
	l.verdicts += btoi(whole.verdicts != without.verdicts)
	l.next += btoi(whole.next != without.next)
	l.distances += btoi(whole.distances != without.distances)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestAblation_whatTheCorporaLose tells, for each rule, how many schemas of ../shared are judged
// differently without it: MaskBench, and the official suite.
func TestAblation_whatTheCorporaLose(t *testing.T) {
	counts := map[string]*[2]lost{}
	for name := range ablations {
		counts[name] = &[2]lost{}
	}
	all := [2]int{}
	add := func(corpus int, text []byte, texts []string) {
		if judged := ablate(text, texts, func(name string, whole, without seen) { counts[name][corpus].add(whole, without) }); judged {
			all[corpus]++
		}
	}
	grammartest.Schemas(t, *ablationEvery, func(c grammartest.Case) {
		var texts []string
		for _, x := range c.Tests {
			texts = append(texts, string(x.Data))
		}
		add(0, c.Schema, texts)
	})
	for _, groups := range grammartest.ReadSuite(t).Files["draft2020-12"] {
		for i, g := range groups {
			if i%min(*ablationEvery, 20) != 0 {
				continue
			}
			var texts []string
			for _, x := range g.Tests {
				texts = append(texts, string(x.Data))
			}
			add(1, g.Schema, texts)
		}
	}
	t.Logf("%d schemas of MaskBench, %d of the suite; of each those with another verdict, another byte that may come, another distance:\n%s", all[0], all[1], table(counts))
}

// ablate calls f for each rule with what a schema's machine says of texts, and what it says
// without the rule.
func ablate(text []byte, texts []string, f func(name string, whole, without seen)) bool {
	n := &gbnf.Node{Op: gbnf.JSON, Text: string(text)}
	u, err := NewUnit(n, false, lex.Limits{}, nil)
	if err != nil {
		return false
	}
	units := map[*gbnf.Node]*Unit{n: u}
	p, err := Compile(&gbnf.Grammar{Rules: []gbnf.Rule{{Name: "root", Node: n}}}, units, false)
	if err != nil {
		return false
	}
	look := func() seen {
		m := New(p, units, false)
		_ = m.Prepare() // what is too hard is so without the rule, too
		return seenOf(m, texts)
	}
	var met []*schema.Alt
	ablation.alts = func(list []*schema.Alt) []*schema.Alt {
		met = append(met, list...)
		return list
	}
	whole := look()
	ablation.alts = nil
	for name, c := range ablations {
		if slices.ContainsFunc(met, c.touches) {
			c.without(func() { f(name, whole, look()) })
		}
	}
	return true
}

func table(counts map[string]*[2]lost) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "rule\tMaskBench\tsuite\twhere it stands")
	for _, name := range slices.Sorted(maps.Keys(ablations)) {
		c := counts[name]
		fmt.Fprintf(w, "%s\t%d %d %d\t%d %d %d\t%s\n", name, c[0].verdicts, c[0].next, c[0].distances, c[1].verdicts, c[1].next, c[1].distances, ablations[name].files)
	}
	_ = w.Flush() // a builder takes everything
	return b.String()
}
