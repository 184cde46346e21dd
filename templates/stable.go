package templates

import (
	"regexp"
	"strings"
)

// A VolatileRule names text that a client puts into a conversation and changes with every request,
// so that no two prompts would begin alike, and that says nothing to a model.
type VolatileRule struct {
	Name, About string
	// begins is what the text begins with: messages without it are not searched.
	begins  string
	pattern *regexp.Regexp
}

// VolatileRules lists what is left out of every prompt.
func VolatileRules() []VolatileRule { return append([]VolatileRule(nil), volatileRules...) }

var volatileRules = []VolatileRule{
	{
		Name:    "claude-code-billing",
		About:   "Claude Code's first system line counts requests for billing (x-anthropic-billing-header: …; cch=…;)",
		begins:  "x-anthropic-billing-header:",
		pattern: regexp.MustCompile(`(?m)^x-anthropic-billing-header:[^\n]*(\n|\z)`),
	},
}

// dropVolatile looks at system messages only: what a user or a tool writes is never touched.
func dropVolatile(h *healing) {
	for i := range h.turns {
		t := &h.turns[i]
		if t.Role != System && t.Role != Developer {
			continue
		}
		for _, v := range volatileRules {
			if !strings.Contains(t.Text, v.begins) {
				continue
			}
			if text := v.pattern.ReplaceAllString(t.Text, ""); text != t.Text {
				t.Text = text
				h.note(ruleVolatile, t.index, v.Name)
			}
		}
	}
}
