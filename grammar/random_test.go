package grammar

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// TestFromSchema_agreesWithTheOracle: of schemas made up, the matcher accepts what an independent
// validator finds valid, however it is spelled, and nothing else; and what a walk through the
// masks writes is valid.
func TestFromSchema_agreesWithTheOracle(t *testing.T) {
	v := walkVocab(t)
	n := walkCount{}
	grammartest.Seeds(t, 150, func(seed uint64) {
		w := &grammartest.Writer{Rand: rand.New(rand.NewPCG(seed, 11))}
		text, err := json.Marshal(w.Document(3))
		if err != nil {
			t.Fatal(err)
		}
		checkVerdicts(t, text, w)
		n.walk(t, v, string(text), text)
	})
	t.Logf("%+v", n)
}

// checkVerdicts compares the matcher's verdicts on values made up with the oracle's.
func checkVerdicts(t *testing.T, schemaText []byte, w *grammartest.Writer) {
	t.Helper()
	judge := grammartest.Oracle(t, schemaText)
	g, err := FromSchema(schemaText, SchemaOptions{})
	var unsat *schema.UnsatError
	if judge == nil || err != nil && !errors.As(err, &unsat) {
		return
	}
	for range 20 {
		raw, err := json.Marshal(w.Value(2))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		want := judge.Validate(decoded) == nil
		for name, s := range spellings(w.Rand, true) {
			if text := s.Spell(raw); g != nil && accepts(g, text) != want || g == nil && want {
				t.Fatalf("%s: %s, %s: should be %v", schemaText, name, text, want)
			}
		}
	}
}
