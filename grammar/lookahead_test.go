package grammar

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

// lookaheads puts lookaheads into a random pattern.
func lookaheads(rng *rand.Rand, depth int) string {
	p := randomPattern(rng, 1+rng.IntN(2))
	for range 1 + rng.IntN(2) {
		ahead := randomPattern(rng, rng.IntN(3))
		if depth > 0 && rng.IntN(3) == 0 {
			ahead = lookaheads(rng, depth-1)
		}
		p = fmt.Sprintf("(?%c%s%s)%s", "=!"[rng.IntN(2)], []string{"", ".*"}[rng.IntN(2)], ahead, p)
		switch rng.IntN(6) {
		case 0:
			p = randomPattern(rng, 1) + p
		case 1:
			p = fmt.Sprintf("(%s){%d,%d}", p, rng.IntN(3), 2+rng.IntN(30))
		}
	}
	return []string{"", "^"}[rng.IntN(2)] + p + []string{"", "", "$"}[rng.IntN(3)]
}

// strange are characters of which the oracle does not know whether they are white space, or end
// lines.
var strange = regexp.MustCompile(`[^\n -~é]`)

// TestMatcher_randomLookaheadsAreWalkedToAnEnd: no mask is empty, each agrees with what is
// accepted, and what is written matches.
func TestMatcher_randomLookaheadsAreWalkedToAnEnd(t *testing.T) {
	v := walkVocab(t)
	hard, walked, far := 0, 0, 0
	try := func(seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 37))
		s := map[string]any{"type": "string", "pattern": lookaheads(rng, 2)}
		if rng.IntN(3) == 0 {
			s["minLength"] = rng.IntN(80)
		}
		if rng.IntN(3) == 0 {
			s["maxLength"] = 80 + rng.IntN(80)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		g, err := FromSchema(text, SchemaOptions{})
		var unsupported *schema.UnsupportedError
		if errors.As(err, &unsupported) {
			hard++
			return
		}
		if err != nil {
			return // no text matches
		}
		m := g.Matcher(v)
		out := lookaheadWalk(t, string(text), m, seed)
		if walked++; out == nil {
			far++
			return
		}
		var value string
		if err := json.Unmarshal(out, &value); err != nil {
			t.Fatalf("%s: %s: %v", text, out, err)
		}
		if ok, err := matchECMA(s["pattern"].(string), value); err == nil && !ok && !strange.MatchString(value) {
			t.Errorf("%s: %q does not match", text, value)
		}
		if m.renewed > 0 {
			t.Logf("%s: %d renewals, %d states", text, m.renewed, m.Effort().States)
		}
		DropCaches()
	}
	try(37)  // $ behind lookaheads
	try(136) // ^ within a lookahead
	grammartest.Seeds(t, 25, try)
	t.Logf("%d patterns are walked, %d too far from an end, %d are too hard", walked, far, hard)
}

// lookaheadWalk writes at random for a while, and then goes to an end. It gives nothing where that
// is far: what the shortest way is may be too hard to say.
func lookaheadWalk(t *testing.T, name string, m *Matcher, seed uint64) (text []byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 41))
	for steps := range 600 {
		mask := m.Mask()
		if mask.Len() == 0 {
			t.Fatalf("%s: nothing may follow %q", name, text)
		}
		if steps < 40 {
			holdMask(t, name, m, rng)
		} else if mask = m.MaskWithin(0); mask.Len() == 0 {
			t.Fatalf("%s: nothing may follow %q on the way to an end", name, text)
		}
		token := randomToken(mask, m.v, rng)
		if m.v.IsEOG(token) {
			return text
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("%s: after %q: %v", name, text, err)
		}
		text = append(text, m.v.Piece(token)...)
		if m.pieces > freePieces { // each token takes half a second by now
			return nil
		}
	}
	return nil
}

// TestMatcher_masksInPiecesAreBounded: each space of this text doubles the ways through the
// lookaheads, until every mask fills a workspace. A matcher that has had many such is content with
// a token that may come.
func TestMatcher_masksInPiecesAreBounded(t *testing.T) {
	g, err := FromSchema([]byte(`{"maxLength":94,"minLength":48,"pattern":"^(?=.*(?!.*, \\d.)(.*\\s){43,70}).\\S.","type":"string"}`), SchemaOptions{Space: NoSpace})
	if err != nil {
		t.Fatal(err)
	}
	m := g.Matcher(walkVocab(t))
	m.pieces, m.renewed = freePieces, 1000 // both are used up
	lookaheadWalk(t, "", m, 0xd104ff93)    // to the first of them
	before := m.pieces
	if mask := m.Mask(); before == freePieces || before > freePieces+4 || m.pieces > before+2 || mask.Len() == 0 {
		t.Errorf("%d pieces at first and then %d, %d tokens may come", before-freePieces, m.pieces-before, mask.Len())
	}
}

// TestMatcher_whatIsTooHardIsNotLedInto: only the empty text matches, since each turn of the loop
// sees more letters than it takes. To find that out of what follows a letter is too hard.
func TestMatcher_whatIsTooHardIsNotLedInto(t *testing.T) {
	text := `{"type":"string","maxLength":108,"pattern":"^((?=([a-z]){39,39})(?=(?=.*\\s\\Sa)(?=.*[A-Z])(é|.))([^,]){0,15}){0,22}$"}`
	g, err := FromSchema([]byte(text), SchemaOptions{Space: NoSpace})
	var unsupported *schema.UnsupportedError
	if errors.As(err, &unsupported) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m := g.Matcher(walkVocab(t))
	if err := m.AcceptBytes([]byte(`"`)); err != nil {
		t.Fatal(err)
	}
	if mask := m.Mask(); mask.Len() != 1 || !mask.Allows('"') {
		t.Errorf("%d tokens may come", mask.Len())
	}
}
