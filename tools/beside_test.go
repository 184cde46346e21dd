package tools

import (
	"strings"
	"testing"

	"tenon/tools/parse"
)

// What a call's object says beside name and arguments, and no protocol can tell, is not dropped in
// silence: it is named and counted.
func TestParser_keysBesideArgumentsAreNoted(t *testing.T) {
	d, _ := Lookup("hermes")
	for raw, key := range map[string]string{
		`{"name": "get_time", "arguments": {}, "reason": "r"}`:                               "reason",
		`{"name": "get_time", "why": 1}`:                                                     "",
		`{"name": "get_time", "arguments": {}, "parameters": {"a": 1}}`:                      "parameters",
		`{"type": "function", "function": {"name": "get_time", "arguments": {}}, "at": 2}`:   "at",
		`{"function": {"name": "get_time", "arguments": {}, "note": ""}}`:                    "note",
		`{"content": "x", "tool_calls": [{"name": "get_time", "arguments": {}, "id": "1"}]}`: "content",
		`{"id": "1", "index": 0, "type": "function", "name": "get_time", "arguments": {}}`:   "",
	} {
		q := planFor(t, d, Thinking{}).TextParser()
		m := play(q, "<tool_call>"+raw+"</tool_call>", 0, false)
		noted, counted := "", 0
		for _, n := range q.Notes() {
			noted += n.Text
		}
		for _, r := range q.Repairs() {
			if r.Rule == parse.KeyBesideArguments && strings.Contains(r.Detail, key) {
				counted++
			}
		}
		if found := strings.Contains(noted, `left out: "`+key+`"`); key != "" && (!found || counted != 1 || len(m.Calls) != 1) || key == "" && counted > 0 {
			t.Errorf("%s: %d calls, %d counted, notes %q", raw, len(m.Calls), counted, noted)
		}
	}
}
