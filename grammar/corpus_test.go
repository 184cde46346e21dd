package grammar

import (
	"math/rand/v2"
	"testing"

	"tenon/grammar/grammartest"
)

// readBackEvery is the step of the sample of schemas that are printed and read.
const readBackEvery = 89

// TestPrint_readBackOfMaskBench: where a printed schema is exact, our own reader
// gives back a grammar with the same masks; where it is not, one that can be read.
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

// extraEvery is the step of the sample of schemas that are compiled without extra keys.
const extraEvery = 197

// TestFromSchema_withoutExtraKeysOfMaskBench: leaving keys out leaves every schema
// that has instances some, and they are instances of the schema as it stands.
func TestFromSchema_withoutExtraKeysOfMaskBench(t *testing.T) {
	v := walkVocab(t)
	grammartest.Schemas(t, extraEvery, func(c grammartest.Case) {
		DropCaches()
		whole, err := FromSchema(c.Schema, SchemaOptions{})
		if err != nil {
			return
		}
		g, err := FromSchema(c.Schema, SchemaOptions{Extra: NoExtra, Space: NoSpace, Numbers: CanonicalNumbers})
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

// walkToEnd walks at random for a while, then the shortest way, and tells whether
// it came to an end within 300 tokens.
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
