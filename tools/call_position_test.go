package tools

import (
	"strings"
	"testing"
)

// A call without markers is one where it begins the visible turn, whatever follows it, and where
// it ends the turn or stands before another call; in the midst of text it is text.
func TestCallPosition_bareCalls(t *testing.T) {
	for text, c := range map[string]struct {
		content string
		calls   int
	}{
		"CALL":                       {"", 1},
		"CALL\nI wait.":              {"I wait.", 1},
		"CALL I wait.":               {"I wait.", 1},
		"I ask.\nCALL":               {"I ask.", 1},
		"I ask: CALL":                {"I ask:", 1},
		"I ask.\nCALL\nCALL":         {"I ask.", 2},
		"I ask.\nCALL\nI wait.":      {"I ask.\nCALL\nI wait.", 0},
		"I ask CALL, I wait.":        {"I ask CALL, I wait.", 0},
		"<think>hm</think>CALL\nSo.": {"So.", 1},
		"<think>hm CALL and so on</think>I wait.": {"I wait.", 0},
	} {
		for family, call := range map[string]string{
			"hermes": `{"name": "get_time", "arguments": {}}`, "json": `{"tool": "get_time", "arguments": {}}`, "qwen3-coder": `[get_time()]`,
		} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			raw := strings.ReplaceAll(text, "CALL", call)
			got := play(p.TextParser(), raw, 0, false)
			if want := strings.ReplaceAll(c.content, "CALL", call); deref(got.Content) != want || len(got.Calls) != c.calls {
				t.Errorf("%s: %q gives %d calls and %q", family, raw, len(got.Calls), deref(got.Content))
			}
			checkProperties(t, p, []byte(raw), 2)
		}
	}
}
