package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
)

// checkAgainstOracle compares every verdict on a schema with an independent validator's.
func checkAgainstOracle(t *testing.T, text []byte, values [][]byte) {
	t.Helper()
	s, err := Compile(string(text), Options{})
	var unsat *UnsatError
	if err != nil && !errors.As(err, &unsat) {
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", text, err)
		}
		return
	}
	judge := grammartest.Oracle(t, text)
	if judge == nil {
		t.Fatalf("the oracle refuses %s", text)
	}
	for _, value := range values {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			t.Fatal(err)
		}
		want := judge.Validate(v) == nil
		if got := unsat == nil && accepts(s.Root, parsed(t, string(value))); got != want {
			t.Errorf("%s: %s should be %v", text, value, want)
			return
		}
	}
}

func TestRandomSchemas_agreeWithTheOracle(t *testing.T) {
	const schemas, instances = 1500, 40
	for seed := range uint64(schemas) {
		w := &grammartest.Writer{Rand: rand.New(rand.NewPCG(seed, 7))}
		text, err := json.Marshal(w.Schema(3))
		if err != nil {
			t.Fatal(err)
		}
		values := make([][]byte, instances)
		for i := range values {
			if values[i], err = json.Marshal(w.Value(2)); err != nil {
				t.Fatal(err)
			}
		}
		checkAgainstOracle(t, text, values)
		checkGenerated(t, string(text), text, 3)
	}
}
