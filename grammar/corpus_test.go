package grammar

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// readBackEvery is the step of the sample of schemas that are printed and read.
const readBackEvery = 199

// TestPrint_readBackOfMaskBench: where a printed schema is exact, our own reader gives back a
// grammar with the same masks; where it is not, one that can be read.
func TestPrint_readBackOfMaskBench(t *testing.T) {
	v := walkVocab(t)
	exact, all := 0, 0
	grammartest.Schemas(t, readBackEvery, func(c grammartest.Case) {
		DropCaches()
		g, err := FromSchema(c.Schema, SchemaOptions{Order: DeclaredOrder, Space: BoundedSpace, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers})
		if err != nil {
			return
		}
		p, err := g.Print(GBNF)
		if err != nil || len(p.Text) > 300_000 {
			return
		}
		all++
		back, err := Parse(p.Text, Options{})
		if err != nil {
			t.Errorf("%s: the printed text does not read back: %v", c.Name, err)
			return
		}
		if !p.Exact {
			return
		}
		exact++
		for seed := range uint64(2) {
			compareWalk(t, g.Matcher(v), back.Matcher(v), rand.New(rand.NewPCG(seed, 7)), c.Name)
		}
	})
	t.Logf("%d printed and read back, %d of them exact", all, exact)
	if all > 0 && exact == 0 {
		t.Error("no schema of the sample is printed exactly")
	}
}

// toolsEvery is the step of the sample of schemas that are printed as tools of one grammar.
const toolsEvery = 179

// TestPrint_readBackOfManyTools: a printed grammar of several tools, each with choices of its own,
// judges the instances of each as the grammar does, but for what the printer says it loosened or
// narrowed.
func TestPrint_readBackOfManyTools(t *testing.T) {
	for _, target := range []Target{GBNF, XGrammar} {
		var n agreement
		var tools printCase
		var b strings.Builder
		judge := func() {
			DropCaches()
			tools.g = mustParse(t, "root ::= "+b.String())
			n.check(t, &ourReader{}, target, tools)
			tools = printCase{}
			b.Reset()
		}
		i := 0
		grammartest.Schemas(t, toolsEvery, func(c grammartest.Case) {
			o := printOptions[i%len(printOptions)]
			o.Lenient = true
			if _, err := FromSchema(c.Schema, o); err != nil || len(c.Schema) > 20_000 {
				return
			}
			tool := string('A' + rune(i%toolsAtOnce))
			if i%toolsAtOnce > 0 {
				b.WriteString(" | ")
			}
			b.WriteString(Quote(tool) + JSON(c.Schema, o))
			tools.name += c.Name + " "
			for _, text := range instanceTexts(c) {
				tools.texts = append(tools.texts, tool+text)
			}
			if i++; i%toolsAtOnce == 0 {
				judge()
			}
		})
		if i%toolsAtOnce > 0 {
			judge()
		}
		t.Logf("%s: %+v", target, n)
	}
}

// toolsAtOnce is how many tools a grammar of them has.
const toolsAtOnce = 7

// ourReader judges texts by a printed grammar as Parse reads it.
type ourReader struct{ g *Grammar }

func (r *ourReader) Compile(text string) (err error) {
	r.g, err = Parse(text, Options{})
	return err
}

func (r *ourReader) Accepts(text string) (bool, error) { return accepts(r.g, text), nil }

// extraEvery is the step of the sample of schemas that are compiled without extra keys.
const extraEvery = 797

// TestFromSchema_withoutExtraKeysOfMaskBench: leaving keys out leaves every schema that has
// instances some, and they are instances of the schema as it stands.
func TestFromSchema_withoutExtraKeysOfMaskBench(t *testing.T) {
	v := walkVocab(t)
	grammartest.Schemas(t, extraEvery, func(c grammartest.Case) {
		DropCaches()
		whole, err := FromSchema(c.Schema, SchemaOptions{})
		if err != nil {
			return
		}
		g, err := FromSchema(c.Schema, SchemaOptions{Extra: NoExtra, Space: NoSpace, Numbers: CanonicalNumbers})
		var unsupported *schema.UnsupportedError
		if errors.As(err, &unsupported) && unsupported.Keyword == "uniqueItems" {
			return // without extra keys there may be few objects
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			return
		}
		for seed := range uint64(2) {
			out, ended := walkToEnd(t, g.Matcher(v), rand.New(rand.NewPCG(seed, 3)))
			if ended && !accepts(whole, out) {
				t.Errorf("%s: %s is no instance", c.Name, out)
			}
		}
	})
}

// walkToEnd walks at random for a while, then the shortest way, and tells whether it came to an
// end within 300 tokens.
func walkToEnd(t *testing.T, m *Matcher, rng *rand.Rand) (string, bool) {
	t.Helper()
	var out []byte
	for i := range 300 {
		mask := m.Mask()
		if i > 30 {
			mask = m.MaskWithin(0)
		}
		if m.Done() && i > 30 {
			break
		}
		if mask.Len() == 0 {
			return string(out), false
		}
		token := randomToken(mask, m.v, rng)
		if m.v.IsEOG(token) {
			break
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("after %q: %v", out, err)
		}
		out = append(out, m.v.Piece(token)...)
	}
	return string(out), m.Done()
}
