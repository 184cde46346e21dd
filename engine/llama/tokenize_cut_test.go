//go:build cgo

package llama

import (
	"strings"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Issue 19: a long text without a space or a line break does not crash the tokenizer. Its tokens
// spell the text again.
// Qwen's models among others are split by a regular expression that needs stack for each letter.
func TestTokenize_aTextWithoutABreakEndsNoProcess(t *testing.T) {
	v := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{}).Vocab()
	for _, unit := range []string{"[", "a", " ", "\n", "1", "a1", "漢", "\t\n ", "'s", "e\u0301", "\x00", "[a"} {
		// half of it is too much for the stack in one piece
		text := strings.Repeat(unit, 100_000/len(unit))
		ids, err := v.Tokenize(t.Context(), text)
		if err != nil || string(detokenize(v, ids)) != text {
			t.Errorf("%q: %d tokens, %v", unit, len(ids), err)
		}
	}
}

// Texts that people write are tokenized in one piece; where one is cut, a word ends, if there is
// one.
func TestCutRun_cutsOnlyRuns(t *testing.T) {
	words := strings.Repeat("word, and (another) one.\n", 1000)
	run := strings.Repeat("x", longestRun)
	for text, want := range map[string]int{
		"": 0, "a": 1, words: len(words), run: len(run), run + " " + run: 2*len(run) + 1,
		run + "x":                         len(run),
		"so " + run + "x":                 3 + len(run),
		"abc(" + run:                      3,
		strings.Repeat(" ", longestRun+5): longestRun,
		strings.Repeat("漢", longestRun/3) + "字。": (longestRun + 1) / 3 * 3,
	} {
		if got := cutRun(text); got != want {
			t.Errorf("%.20q… of %d bytes is cut at %d, not %d", text, len(text), got, want)
		}
	}
}
