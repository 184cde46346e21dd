package grammar

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
)

const (
	corpusWalkEvery = 151 // the step of the sample of schemas that are walked
	// tokens picked freely at most, before the way to the end is taken
	corpusWalkFree = 60
	corpusWalkFar  = 20_000 // schemas whose shortest instance is longer are left out
)

// walkCount tells what became of walks.
type walkCount struct{ schemas, walks, far, unjudged int }

// TestWalk_ofMaskBenchEndsAndValidates: whatever tokens are picked from the masks of real schemas,
// a mask is never empty, the walk comes to an end, and an independent validator finds that what it
// wrote is an instance.
func TestWalk_ofMaskBenchEndsAndValidates(t *testing.T) {
	v := walkVocab(t)
	var n walkCount
	grammartest.Schemas(t, corpusWalkEvery, func(c grammartest.Case) { n.walk(t, v, c.Name, c.Schema) })
	t.Logf("%+v", n)
}

// TestWalk_ofTheOfficialSuiteEndsAndValidates walks the schemas of the suite.
func TestWalk_ofTheOfficialSuiteEndsAndValidates(t *testing.T) {
	v := walkVocab(t)
	var n walkCount
	for file, groups := range grammartest.ReadSuite(t).Files["draft2020-12"] {
		for _, g := range groups {
			if !strings.Contains(string(g.Schema), `"$ref": "http`) {
				n.walk(t, v, file+": "+g.Description, withDraft(g.Schema, "https://json-schema.org/draft/2020-12/schema"))
			}
		}
	}
	t.Logf("%+v", n)
}

func (n *walkCount) walk(t *testing.T, v *Vocab, name string, text []byte) {
	t.Helper()
	DropCaches()
	// White space without bound is left out: where a distance is a lower bound, it may seem
	// nearest to an end for ever.
	for i, o := range []SchemaOptions{{Space: NoSpace, Numbers: CanonicalNumbers}, {Space: BoundedSpace, Order: DeclaredOrder, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers}} {
		g, err := FromSchema(text, o)
		if err != nil {
			return
		}
		if g.Matcher(v).Distance() > corpusWalkFar {
			n.far++
			return
		}
		judge := grammartest.Oracle(t, text)
		n.schemas++
		if judge == nil {
			n.unjudged++
		}
		for seed := range uint64(2) {
			out, ok := corpusWalk(t, g.Matcher(v), rand.New(rand.NewPCG(seed, uint64(i))), name)
			if !ok {
				return
			}
			n.walks++
			if value, err := jsonschema.UnmarshalJSON(strings.NewReader(out)); err != nil {
				t.Errorf("%s: %.300s is not JSON: %v", name, out, err)
			} else if judge != nil && judge.Validate(value) != nil {
				t.Errorf("%s: %.300s: %.300v", name, out, judge.Validate(value))
			}
		}
	}
}

// corpusWalk picks freely for some tokens, and then what leads to an end soon.
func corpusWalk(t *testing.T, m *Matcher, rng *rand.Rand, name string) (string, bool) {
	t.Helper()
	var out []byte
	for free := rng.IntN(corpusWalkFree); len(out) < 4*corpusWalkFar; free-- {
		mask := m.Mask()
		if free <= 0 {
			if m.Done() {
				return string(out), true
			}
			mask = m.MaskWithin(m.Distance())
		}
		if mask.Len() == 0 {
			t.Errorf("%s: no token is allowed after %.300s", name, out[max(0, len(out)-300):])
			return "", false
		}
		token := randomToken(mask, m.v, rng)
		if m.v.IsEOG(token) {
			return string(out), true
		}
		if err := m.Accept(token); err != nil {
			t.Errorf("%s: after %.300s: %v", name, out, err)
			return "", false
		}
		out = append(out, m.v.Piece(token)...)
	}
	t.Errorf("%s: no end after %d bytes: …%s", name, len(out), out[len(out)-300:])
	return "", false
}
