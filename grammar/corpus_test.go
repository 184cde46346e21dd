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
