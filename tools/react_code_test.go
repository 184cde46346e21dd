package tools

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Thoughts and code may open each in the other, and a step in either may be none. The parser comes
// to its end wherever the text is cut, and what is no call is the text as it was written.
func TestReact_thoughtsAndCodeInAnyOrder(t *testing.T) {
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{})
	lines := []string{"Thought: x", "```", "```json", "`Action: get_time`", "Action: get_time", "Action: nobody", "but no", "- a", ""}
	check := func(text string) {
		t.Helper()
		got := play(p.TextParser(), text, 0, false)
		if len(got.Calls) == 0 && deref(got.Reasoning) == "" && strings.TrimSpace(deref(got.Content)) != strings.TrimSpace(text) {
			t.Errorf("%q becomes %q", text, deref(got.Content))
		}
		checkProperties(t, p, []byte(text), 1)
	}
	check("Thought: x\n```\nAction: get_time\nbut no\n```\nand so on")
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text []string
		for range 2 + r.IntN(6) {
			text = append(text, lines[r.IntN(len(lines))])
		}
		check(strings.Join(text, "\n"))
	}
}
