package grammar

import (
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"testing"

	"tenon/grammar/grammartest"
)

// spellingEvery is the step of the sample of schemas whose instances are spelled anew.
const spellingEvery = 11

var draftThreeOrFour = regexp.MustCompile(`"\$schema"\s*:\s*"[^"]*draft-0[34]`)

// TestFromSchema_everySpellingOfMaskBench: a valid instance is accepted however it is spaced,
// ordered, escaped, and its numbers are written.
func TestFromSchema_everySpellingOfMaskBench(t *testing.T) {
	texts := 0
	grammartest.Schemas(t, spellingEvery, func(c grammartest.Case) {
		DropCaches()
		g, err := FromSchema(c.Schema, SchemaOptions{})
		if err != nil {
			return // a ratchet of package schema counts these
		}
		h := fnv.New64()
		_, _ = h.Write([]byte(c.Name)) // never fails
		rng := rand.New(rand.NewPCG(h.Sum64(), 2))
		for i, x := range c.Tests {
			if !x.Valid {
				continue
			}
			for name, s := range spellings(rng, wholeIsInteger(c.Schema)) {
				text := s.Spell(x.Data)
				texts++
				if m := g.Matcher(nil); m.AcceptBytes([]byte(text)) != nil || !m.Done() {
					t.Errorf("%s: instance %d, %s, is refused: %v\n%.2000s", c.Name, i, name, g.Matcher(nil).AcceptBytes([]byte(text)), text)
				}
			}
		}
	})
	t.Logf("%d texts", texts)
}

// spellings are the ways to write an instance. Numbers are left as they are where their spelling
// says whether they are integers.
func spellings(rng *rand.Rand, numbers bool) map[string]spelling {
	all := map[string]spelling{
		"compact":  {},
		"spaced":   {Separators: [2]string{" ", " "}},
		"indented": {Separators: [2]string{"", " "}, Indent: "\t"},
		"shuffled": {Shuffle: rng},
		"escaped":  {Escape: rng},
	}
	if numbers {
		all["respelled"] = spelling{Respell: rng}
		all["everything"] = spelling{Separators: [2]string{"\n", "\r\n"}, Indent: " ", Shuffle: rng, Escape: rng, Respell: rng}
	}
	return all
}

// wholeIsInteger says whether 1.0 is an integer to a schema: not in drafts 3 and 4.
func wholeIsInteger(schema []byte) bool {
	return !draftThreeOrFour.Match(schema)
}
