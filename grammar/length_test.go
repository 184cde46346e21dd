package grammar

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"unicode/utf8"
)

// Loops that are counted and may begin anywhere have many states, and beside a bound on the length each of them has to be told alive or dead.
func TestMatcher_countedLoopsBesideLengthsAreWalkedToAnEnd(t *testing.T) {
	v, _ := realVocab(t)
	for _, c := range []struct {
		pattern  string
		min, max int
		states   int // that a walk makes, at most
	}{
		{`^([A-Z].{10,80}\. ){3,10}$`, 250, 3000, 40_000},
		{`^([A-Z].{10,80}\. ){3,10}$`, 300, 300, 40_000},
		{`a.{12}$`, 50, 50, 80_000},
		{`.*a.{30}`, 50, 60, 80_000},
		{`^(ab|cde){3,300}$`, 301, 302, 20_000},
		{`^(abc)*$`, 100, 102, 20_000},
	} {
		text := fmt.Sprintf(`{"type":"string","pattern":%q,"minLength":%d,"maxLength":%d}`, c.pattern, c.min, c.max)
		for seed := range uint64(2) {
			m := mustSchema(t, text, SchemaOptions{}).Matcher(v)
			var value string
			if err := json.Unmarshal(walkMasks(t, text, m, seed), &value); err != nil {
				t.Fatal(err)
			}
			if n := utf8.RuneCountInString(value); n < c.min || n > c.max || !regexp.MustCompile(c.pattern).MatchString(value) {
				t.Errorf("%s: %q", text, value)
			}
			if m.renewed > 0 || m.Effort().States > c.states {
				t.Errorf("%s: %d states are made, and automata filled %d times", text, m.Effort().States, m.renewed)
			}
			DropCaches()
		}
	}
}

// walkMasks accepts random tokens of the masks, and holds some of each mask against what is accepted.
func walkMasks(t *testing.T, name string, m *Matcher, seed uint64) (text []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	for {
		mask := m.Mask()
		if mask.Len() == 0 {
			t.Fatalf("%s: nothing may follow %q", name, text)
		}
		for range 20 {
			if id := int32(rng.IntN(m.v.Len())); mask.Allows(id) != m.Allowed(id) {
				t.Fatalf("%s: after %q the mask says %v of %q", name, text, mask.Allows(id), m.v.Piece(id))
			}
		}
		token := randomToken(mask, m.v, rng)
		if m.v.IsEOG(token) || m.Done() && rng.IntN(3) == 0 {
			return text
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("%s: after %q: %v", name, text, err)
		}
		text = append(text, m.v.Piece(token)...)
	}
}
