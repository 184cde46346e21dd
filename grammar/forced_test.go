package grammar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// merges is a tokenizer of byte pairs: those that come first are joined first.
type merges struct {
	ids   map[string]int32
	ranks map[[2]string]int
}

func randomMerges(t *testing.T, letters string, n int, rng *rand.Rand) (*merges, *Vocab) {
	m := &merges{map[string]int32{}, map[[2]string]int{}}
	var texts []string
	add := func(s string) {
		if _, ok := m.ids[s]; !ok {
			m.ids[s] = int32(len(texts))
			texts = append(texts, s)
		}
	}
	for _, c := range letters {
		add(string(c))
	}
	for range n {
		pair := [2]string{texts[rng.IntN(len(texts))], texts[rng.IntN(len(texts))]}
		if _, ok := m.ranks[pair]; !ok && len(pair[0]+pair[1]) < 6 {
			m.ranks[pair] = len(m.ranks)
			add(pair[0] + pair[1])
		}
	}
	return m, tinyVocab(t, texts...)
}

func (m *merges) tokenize(text []byte) []int32 {
	parts := strings.Split(string(text), "")
	for {
		best, at := len(m.ranks), -1
		for i := range len(parts) - 1 {
			if r, ok := m.ranks[[2]string{parts[i], parts[i+1]}]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			break
		}
		parts = slices.Replace(parts, at, at+2, parts[at]+parts[at+1])
	}
	var out []int32
	for _, p := range parts {
		out = append(out, m.ids[p])
	}
	return out
}

// TestForcedTokens_areWhatTheModelWrites: whatever follows a forced text, the tokens that are said
// to be forced are those that the tokenizer gives for the whole.
func TestForcedTokens_areWhatTheModelWrites(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	const letters = "abc"
	var behind []string
	for level := []string{""}; len(level[0]) < 5; {
		behind = append(behind, level...)
		var next []string
		for _, s := range level {
			for _, c := range letters {
				next = append(next, s+string(c))
			}
		}
		level = next
	}
	given, all := 0, 0
	for range 300 {
		tok, v := randomMerges(t, letters, 3+rng.IntN(8), rng)
		text := ""
		for range 1 + rng.IntN(8) {
			text += string(letters[rng.IntN(len(letters))])
		}
		m := mustParse(t, "root ::= "+Quote(text)+" [a-c]*").Matcher(v)
		if string(m.Forced()) != text {
			t.Fatalf("%q is forced, not %q", m.Forced(), text)
		}
		tokens := m.ForcedTokens(tok.tokenize)
		certain := tok.tokenize([]byte(text))
		for _, s := range behind {
			whole := tok.tokenize([]byte(text + s))
			if len(common(tokens, whole)) < len(tokens) {
				t.Fatalf("%v: %q is forced as %v, and %q is cut as %v", tok.ranks, text, tokens, text+s, whole)
			}
			certain = common(certain, whole)
		}
		given, all = given+len(tokens), all+len(certain)
	}
	if given < all*9/10 {
		t.Errorf("%d tokens are given of %d that are certain", given, all)
	}
}

// TestForcedTokens_ofRealTokens: all but the end of a forced text is given, though its last
// character begins many tokens.
func TestForcedTokens_ofRealTokens(t *testing.T) {
	v, tok := realVocab(t)
	m := mustParse(t, `root ::= "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"" [a-z]+`).Matcher(v)
	var text []byte
	for _, id := range m.ForcedTokens(tok.Tokenize) {
		text = append(text, v.Piece(id)...)
	}
	if want := "<tool_call>\n{\"name\": \"get_weather\", \"arguments\":"; string(text) != want {
		t.Errorf("%q is given, want %q", text, want)
	}
}

// randomRules is a small grammar over a and b, without left recursion.
func randomRules(rng *rand.Rand) string {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, "%s ::= %s\n", []string{"root", "r", "s"}[i], randomNode(rng, 3))
	}
	return b.String()
}

func randomNode(rng *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{`"a"`, `"b"`, `"ab"`, `[ab]`, `%regex "a+b?"`, `%until("b")`, `"é"`}[rng.IntN(7)]
	}
	x, y := randomNode(rng, depth-1), randomNode(rng, depth-1)
	switch rng.IntN(7) {
	case 0:
		return x + " | " + y
	case 1:
		return "(" + x + ")" + []string{"?", "*", "+", "{2}", "{1,3}", "{2,}"}[rng.IntN(6)]
	case 2:
		return "(" + x + ") (" + y + ")"
	case 3:
		return `"b" ` + []string{"root", "r", "s"}[rng.IntN(3)] + " | " + x
	}
	return randomNode(rng, depth-1)
}

// TestForcedAndDistance_byBruteForce: the bytes that are forced and the distance to the end are
// what a search over all texts finds, in every state that short texts lead to.
func TestForcedAndDistance_byBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	v := walkVocab(t)
	for range 150 {
		src := randomRules(rng)
		g, err := Parse(src, Options{})
		if err != nil {
			if !strings.Contains(err.Error(), "recursive") && !strings.Contains(err.Error(), "never") && !strings.Contains(err.Error(), "no text") {
				t.Fatalf("%s%v", src, err)
			}
			continue
		}
		m := g.Matcher(v)
		checkAhead(t, m, src, 3, nil)
		tightWalk(t, g, v, rng)
	}
}

const aheadLetters = "ab\xc3\xa9"

// checkAhead compares what a state says of what lies ahead with a search.
func checkAhead(t *testing.T, m *Matcher, src string, depth int, path []byte) {
	t.Helper()
	const far = 7
	if want := nearestEnd(m, far); want <= far && m.Distance() != want || want > far && m.Distance() <= far {
		t.Fatalf("%safter %q the end is %d away, not %d", src, path, want, m.Distance())
	}
	forced := m.Forced()
	if want := onlyWay(m, far); !bytes.HasPrefix(forced, want) || len(want) < far && len(forced) > len(want) {
		t.Fatalf("%safter %q %q is forced, not %q", src, path, want, forced)
	}
	if depth == 0 {
		return
	}
	for _, c := range []byte(aheadLetters) {
		if m.AcceptBytes([]byte{c}) == nil {
			checkAhead(t, m, src, depth-1, append(slices.Clip(path), c))
			m.Rollback(1)
		}
	}
}

// nearestEnd is how many bytes lead to an end, or more than most.
func nearestEnd(m *Matcher, most int) int {
	if m.Done() {
		return 0
	}
	nearest := most + 1
	for _, c := range []byte(aheadLetters) {
		if nearest > 1 && m.AcceptBytes([]byte{c}) == nil {
			nearest = min(nearest, 1+nearestEnd(m, nearest-2))
			m.Rollback(1)
		}
	}
	return nearest
}

// onlyWay is the text up to the first choice, or the end.
func onlyWay(m *Matcher, most int) (out []byte) {
	defer func() { m.Rollback(len(out)) }()
	for len(out) < most && !m.Done() {
		next := []byte{}
		for b := range 256 {
			if m.AcceptBytes([]byte{byte(b)}) == nil {
				next = append(next, byte(b))
				m.Rollback(1)
			}
		}
		if len(next) != 1 || m.AcceptBytes(next) != nil {
			break
		}
		out = append(out, next[0])
	}
	return out
}
