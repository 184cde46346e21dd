package grammartest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/schema/source"
)

// A keyword that no made-up schema has is one that the oracle never judges. Those that only name
// schemas have tests of their own.
func TestDocument_hasEveryKeyword(t *testing.T) {
	missing := maps.Clone(source.Keywords)
	maps.DeleteFunc(missing, func(name string, k source.Keyword) bool {
		names := strings.HasPrefix(name, "$") && name != "$ref" || name == "definitions"
		return names || !k.In(source.Draft7) && !k.In(source.Draft2020)
	})
	var remove func(v any)
	remove = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inside := range v {
				delete(missing, key)
				remove(inside)
			}
		case []any:
			for _, e := range v {
				remove(e)
			}
		}
	}
	for seed := range uint64(1000) {
		w := Writer{Rand: rand.New(rand.NewPCG(seed, 0))}
		remove(w.Document(3))
	}
	if len(missing) > 0 {
		t.Errorf("never made up: %v", slices.Sorted(maps.Keys(missing)))
	}
}
