package chat

import (
	"bytes"
	"slices"
	"testing"

	"tenon/engine"
)

// after feeds tokens, round after round, and returns after how many the loop was noticed; -1 if it
// was not.
func after(round []engine.Token, rounds int) int {
	var g loopGuard
	for n := range rounds * len(round) {
		if g.token(round[n%len(round)]) {
			return n + 1
		}
	}
	return -1
}

func ids(n int) []engine.Token {
	out := make([]engine.Token, n)
	for i := range out {
		out[i] = engine.Token{ID: int32(i), Bytes: []byte("x")}
	}
	return out
}

func TestLoopGuard_noticesWhatComesAgain(t *testing.T) {
	for period, want := range map[int]int{1: loopTokens + 1, 2: loopTokens + 2, 30: loopTokens + 30, 64: loopTokens + 64} {
		if got := after(ids(period), 2*loopTokens); got != want {
			t.Errorf("a loop of %d tokens was noticed after %d, want %d", period, got, want)
		}
	}
}

func TestLoopGuard_leavesDataAlone(t *testing.T) {
	row := append(slices.Repeat(ids(2), 30), engine.Token{ID: 99, Bytes: []byte("\n")})
	for name, c := range map[string]struct {
		round  []engine.Token
		rounds int
	}{
		"a list of a thousand zeros":      {ids(2), 1000},
		"a table of zeros":                {row, 30},
		"base64 of an empty file":         {ids(1), 2000},
		"a ruler of dashes":               {ids(1), 400},
		"two hundred equal lines of CSV":  {ids(10), 200},
		"a longer period than is watched": {ids(maxPeriod + 1), 100},
		"thirty like records":             {ids(40), 30},
		"deeply indented code":            {append(ids(50), engine.Token{ID: 99, Bytes: bytes.Repeat([]byte(" "), 400)}), 30},
		"an empty canvas":                 {[]engine.Token{{ID: 98, Bytes: bytes.Repeat([]byte(" "), 80)}, {ID: 99, Bytes: []byte("\n")}}, 48},
	} {
		if got := after(c.round, c.rounds); got >= 0 {
			t.Errorf("%s: a loop after %d tokens", name, got)
		}
	}
}

func TestLoopGuard_whiteSpaceWithoutEnd(t *testing.T) {
	spaces := []engine.Token{{ID: 1, Bytes: []byte("\n   ")}, {ID: 2, Bytes: []byte("\t")}}
	if got := after(spaces, 1000); got != loopSpace*2/5 {
		t.Errorf("noticed after %d tokens", got)
	}
	word := append(spaces, engine.Token{ID: 3, Bytes: []byte(" x ")})
	if got := after(word, 100); got >= 0 {
		t.Errorf("words between white space are a loop after %d tokens", got)
	}
}

func BenchmarkLoopGuard(b *testing.B) {
	var g loopGuard
	tokens := ids(1000)
	for i := 0; b.Loop(); i++ {
		g.token(tokens[i%len(tokens)])
	}
}
