package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// Loops that are counted and may begin anywhere have many states, and beside a bound on the length
// each of them has to be told alive or dead.
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
		for seed := range grammartest.Sample(1, 2) {
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

// walkMasks accepts random tokens of the masks, and holds some of each mask against what is
// accepted.
func walkMasks(t *testing.T, name string, m *Matcher, seed uint64) (text []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	for {
		mask := m.Mask()
		if mask.Len() == 0 {
			t.Fatalf("%s: nothing may follow %q", name, text)
		}
		holdMask(t, name, m, rng)
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

// holdMask holds some tokens of a mask against what is accepted.
func holdMask(t *testing.T, name string, m *Matcher, rng *rand.Rand) {
	t.Helper()
	mask := m.Mask()
	for range 20 {
		if id := int32(rng.IntN(m.v.Len())); mask.Allows(id) != m.Allowed(id) {
			t.Fatalf("%s: the mask says %v of %q", name, mask.Allows(id), m.v.Piece(id))
		}
	}
}

// letters is a schema of strings that hold each of 60 letters.
func letters(beside string) string {
	var parts []string
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567" {
		parts = append(parts, fmt.Sprintf(`{"pattern":"%c"}`, c))
	}
	return `{"type":"string","allOf":[` + strings.Join(parts, ",") + `]` + beside + `}`
}

// Whether a text can still hold all of 60 letters takes a look at how it may go on, and no search:
// the mask said one thing, and a search that was given up another.
func TestMatcher_manyPatternsMaskAndAcceptAgree(t *testing.T) {
	v, _ := realVocab(t)
	for _, beside := range []string{"", `,"minLength":100`} {
		m := mustSchema(t, letters(beside), SchemaOptions{}).Matcher(v)
		if err := m.AcceptBytes([]byte(`"`)); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(2, 4))
		for range 40 {
			holdMask(t, letters(beside), m, rng)
			if token := randomToken(m.Mask(), v, rng); m.Accept(token) != nil {
				t.Fatalf("%q is refused", v.Piece(token))
			}
		}
	}
}

// The shortest text with 60 letters is not to be found by a search; where its length matters, that
// is said when the schema is compiled.
func TestFromSchema_shortestTextTooHardToFindIsUnsupported(t *testing.T) {
	text := []byte(letters(`,"maxLength":100`))
	var unsupported *schema.UnsupportedError
	if _, err := FromSchema(text, SchemaOptions{}); !errors.As(err, &unsupported) {
		t.Errorf("%v", err)
	}
	g, err := FromSchema(text, SchemaOptions{Lenient: true})
	if err != nil || len(g.Issues()) == 0 {
		t.Fatalf("%v, and nothing is reported", err)
	}
	if m := g.Matcher(walkVocab(t)); m.Mask().Len() == 0 {
		t.Error("nothing can be written")
	}
}

// randomPattern counts loops that overlap.
func randomPattern(rng *rand.Rand, depth int) string {
	if depth == 0 {
		atoms := []string{"a", "[a-z]", "[A-Z]", ".", `\d`, `\S`, `\s`, "[^,]", "the", ", ", `\. `, "é"}
		return atoms[rng.IntN(len(atoms))]
	}
	x := randomPattern(rng, depth-1)
	switch rng.IntN(5) {
	case 0:
		return x + randomPattern(rng, depth-1) + randomPattern(rng, depth-1)
	case 1:
		return "(" + x + "|" + randomPattern(rng, depth-1) + ")"
	case 2:
		return ".*" + x
	}
	lo := rng.IntN(1 << rng.IntN(7))
	return fmt.Sprintf("(%s){%d,%d}", x, lo, lo+rng.IntN(1<<rng.IntN(8)))
}

func TestMatcher_randomPatternsBesideLengthsAreWalkedToAnEnd(t *testing.T) {
	v, _ := realVocab(t)
	grammartest.Seeds(t, 12, func(seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 31))
		c := struct {
			Pattern string `json:"pattern"`
			Type    string `json:"type"`
			Min     int    `json:"minLength"`
			Max     int    `json:"maxLength"`
		}{"^" + randomPattern(rng, 2+rng.IntN(2)) + "$", "string", rng.IntN(300), 0}
		c.Max = c.Min + rng.IntN(1<<rng.IntN(9))
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		g, err := FromSchema(text, SchemaOptions{})
		var none *schema.UnsatError
		if errors.As(err, &none) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var value string
		if err := json.Unmarshal(walkMasks(t, string(text), g.Matcher(v), seed), &value); err != nil {
			t.Fatal(err)
		}
		if n := utf8.RuneCountInString(value); n < c.Min || n > c.Max {
			t.Errorf("%s: %q has %d", text, value, n)
		}
		if ok, err := matchECMA(c.Pattern, value); err == nil && !ok {
			t.Errorf("%s: %q does not match", text, value)
		}
		DropCaches()
	})
}

// matchECMA gives up on patterns that backtrack for long.
func matchECMA(pattern, text string) (bool, error) {
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return false, err
	}
	re.MatchTimeout = time.Second
	return re.MatchString(text)
}
