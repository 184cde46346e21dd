package tools

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// reactTurn is a turn as a model writes it in ReAct, and what must come out of it.
type reactTurn struct {
	raw     string
	calls   int
	text    string // all that is visible, white space and fences left out
	thought string
	notes   int
	step    bool // of a declared tool
}

// anyReactTurn draws one.
func anyReactTurn(r *rand.Rand) (c reactTurn) {
	label := func(word string) string {
		word = drawn(r, word, word, strings.ToLower(word), strings.ToUpper(word))
		colon := drawn(r, ":", ":", " :", "\t:", "：")
		return drawn(r, word+colon+drawn(r, " ", ""), "**"+word+":** ", "**"+word+"**"+colon+" ", "### "+word+colon+" ")
	}
	var parts []string
	add := func(word, text string) { parts = append(parts, label(word)+text) }
	if r.IntN(2) == 0 {
		c.thought = "I look it up."
		add("Thought", c.thought)
	}
	step := func(name, input string) {
		parts = append(parts, label("Action")+drawn(r, "", "\ufeff")+name+drawn(r, "\n", "\n", " ", "\n\n")+label("Action Input")+input)
	}
	switch r.IntN(4) {
	case 0:
		c.calls, c.step = 1, true
		step("get_weather", `{"city": "Rome"}`)
	case 1:
		input := drawn(r, "(now=1)", "", `{"now": 1}`)
		if c.text = "launch" + input; input == "{\"now\": 1}" || input == "" && r.IntN(2) == 0 {
			c.text = `launch{"now":1}`
			step("launch", `{"now": 1}`)
		} else {
			add("Action", "launch"+input)
		}
		c.notes = 1
	case 2:
		add("Action", drawn(r, "None", "none", "N/A", "`none`"))
		if r.IntN(2) == 0 {
			add("Action Input", drawn(r, "None", "{}", ""))
		}
	}
	switch behind := r.IntN(3); {
	case behind == 0 || len(parts) == 0:
		add("Final Answer", "It is 20.")
		c.text += "Itis20."
	case behind == 1 && c.step:
		add("Observation", "20 C")
		if r.IntN(2) == 0 {
			add("Thought", "One more.")
			step("get_time", "{}")
			c.notes++
		} else {
			add("Final Answer", "It is 20.")
		}
	}
	c.raw = strings.Join(parts, "\n")
	if r.IntN(3) == 0 {
		c.raw = drawn(r, "```\n", "```text\n", "```\r\n", "````markdown\n\n") + c.raw
		c.raw += "\n" + c.raw[:len(c.raw)-len(strings.TrimLeft(c.raw, "`"))]
	}
	return c
}

func drawn[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// leakedLabel is a label at the start of a line, as a turn has it.
var leakedLabel = regexp.MustCompile(`(?im)(^|\n)[#* ]*(thought|action|action input|observation|final answer)[* \t]*[:：]`)

var (
	fences = regexp.MustCompile("(?m)^```+[a-z]*")
	spaces = regexp.MustCompile(`\s|\x{feff}`)
)

// Whatever way a turn in ReAct is spelt: its call leaves, or its text without a label, and the
// same however the text is cut. Steps are read in every family, all else in the one that has them.
func TestReact_anyTurnGivesItsCallOrItsText(t *testing.T) {
	rounds := 3000
	if os.Getenv("TENON_LONG") != "" {
		rounds = 100000
	}
	plans := map[string]*Plan{}
	for _, family := range []string{"react", "hermes", "qwen3-coder", "json"} {
		d, _ := Lookup(family)
		plans[family] = planFor(t, d, Thinking{})
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		c := anyReactTurn(r)
		family := "react"
		if c.step {
			family = drawn(r, "react", "hermes", "qwen3-coder", "json")
		}
		p := plans[family]
		q := p.TextParser()
		got := play(q, c.raw, 0, false)
		text := spaces.ReplaceAllString(fences.ReplaceAllString(deref(got.Content), ""), "")
		thought := strings.TrimSpace(deref(got.Reasoning))
		said := fmt.Sprintf("%s, thought %q, notes %v", sayMessage(got), thought, q.Notes())
		switch {
		case len(got.Calls) != c.calls || text != c.text || thought != c.thought || len(q.Notes()) != c.notes:
			t.Fatalf("%d, %s: %q became %s, want %+v", seed, family, c.raw, said, c)
		case leakedLabel.MatchString(deref(got.Content)), leakedLabel.MatchString(thought), c.text == "" && got.Content != nil:
			t.Fatalf("%d, %s: %q leaks: %s", seed, family, c.raw, said)
		}
		checkProperties(t, p, []byte(c.raw), uint64(seed))
	}
}
