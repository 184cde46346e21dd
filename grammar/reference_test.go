package grammar

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestReference_examplesHold runs the examples of GBNF.md.
func TestReference_examplesHold(t *testing.T) {
	text, err := os.ReadFile("GBNF.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(text), "```gbnf\n")[1:]
	if len(examples) < 6 {
		t.Fatalf("only %d examples", len(examples))
	}
	for _, x := range examples {
		src, rest, _ := strings.Cut(x, "```\n")
		g := mustParse(t, src)
		for _, line := range strings.Split(rest, "\n") {
			word, list, _ := strings.Cut(line, " ")
			if word != "accepts" && word != "refuses" {
				continue
			}
			var texts []string
			if err := json.Unmarshal([]byte("["+list+"]"), &texts); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			for _, s := range texts {
				if accepts(g, s) != (word == "accepts") {
					t.Errorf("%s\n%s %q: it does not", src, word, s)
				}
			}
		}
	}
}
