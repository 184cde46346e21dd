package grammar

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar/grammartest"
)

// TestMask_ofPatternsAgreesWithTheOracle holds whole masks inside of texts and keys of made-up
// patterns against reading byte by byte, and what becomes of their tokens against an independent
// validator.
func TestMask_ofPatternsAgreesWithTheOracle(t *testing.T) {
	w := newWholeMasks(t)
	grammartest.Seeds(t, 6, func(seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 41))
		text, err := json.Marshal(searched(rng))
		if err != nil {
			t.Fatal(err)
		}
		w.schema(grammartest.Case{Name: string(text), Schema: text})
	})
	t.Logf("%s: %+v", w.v.name, w.count)
}

// searched makes up a schema of texts, or of objects or arrays of them.
func searched(rng *rand.Rand) any {
	texts := patterned(rng, 2)
	switch rng.IntN(6) {
	case 0:
		return map[string]any{"type": "object", "patternProperties": map[string]any{randomSearch(rng): texts, randomSearch(rng): true}, "additionalProperties": rng.IntN(2) == 0}
	case 1:
		return map[string]any{"type": "object", "propertyNames": texts, "minProperties": rng.IntN(3)}
	case 2:
		return map[string]any{"type": "array", "items": texts, "uniqueItems": rng.IntN(2) == 0}
	}
	return texts
}

// patterned makes up a set of texts.
func patterned(rng *rand.Rand, depth int) map[string]any {
	s := map[string]any{"type": "string"}
	list := func() (list []any) {
		for range 2 + rng.IntN(3) {
			list = append(list, patterned(rng, depth-1))
		}
		return list
	}
	for n := rng.IntN(8); ; n = rng.IntN(8) {
		switch {
		case n == 0 && depth > 0:
			s["not"] = patterned(rng, depth-1)
		case n == 1 && depth > 0:
			s[[]string{"allOf", "anyOf", "oneOf"}[rng.IntN(3)]] = list()
		case n == 2:
			s["maxLength"] = rng.IntN(1 << rng.IntN(8))
		case n == 3:
			s["minLength"] = rng.IntN(1 << rng.IntN(6))
		case n == 4 && rng.IntN(2) == 0:
			s["format"] = []string{"date", "date-time", "ipv4", "ipv6", "uuid", "uri", "email", "duration", "json-pointer"}[rng.IntN(9)]
		default:
			s["pattern"] = randomSearch(rng)
			return s
		}
	}
}

// randomSearch is a pattern that may be found anywhere, or must not be.
func randomSearch(rng *rand.Rand) string {
	words := func() string {
		all := strings.Fields("the in on er user name pass word token id http :// é über 日本 本 の ни и a the\\s \\d\\d [A-Z]{2} _id -x \\.com \\w+@ \\/ ^a z$ ^.$ ☃ 😀 \\u00a0 \\s\\s")
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return strings.Join(all[:1+rng.IntN(6)], "|")
	}
	switch rng.IntN(5) {
	case 0:
		return "^" + randomPattern(rng, 1) + "$"
	case 1:
		return randomPattern(rng, 1)
	case 2:
		return "^(?!.*(" + words() + "))"
	case 3:
		return fmt.Sprintf(`^[%s]{%d,}$`, []string{`\w\s-`, `\S`, `^,;`, `a-zÀ-ÿ `, `\x20-\x7e`, `^\x00-\x1f`, `぀-ヿ`, `^の`}[rng.IntN(8)], rng.IntN(3))
	}
	return words()
}
