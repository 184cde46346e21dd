package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// An element with the name of a tool and its arguments inside is a call in every family; any other
// element is text.
func TestToolNameTag_callsAsElements(t *testing.T) {
	declared := append(defaultTools(t), Tool{Name: "table", Parameters: json.RawMessage(`{"type":"object","properties":{"rows":{"type":"integer"}},"required":["rows"]}`)})
	for _, c := range []struct {
		raw, content string
		calls        []messageCall
	}{
		{"<get_weather>\n<city>Rome</city>\n</get_weather>", "", []messageCall{{Name: "get_weather", Arguments: map[string]any{"city": "Rome"}}}},
		{"I look.\n<get_weather><city>Rome</city><days>3</days></get_weather>\nDone.", "I look.\n\nDone.", []messageCall{{Name: "get_weather", Arguments: map[string]any{"city": "Rome", "days": 3.0}}}},
		{"<write_file>\n<path>a.html</path>\n<content>\n<p>x</p>\n<path>y</path>\n</content>\n</write_file>", "", []messageCall{{Name: "write_file", Arguments: map[string]any{"path": "a.html", "content": "<p>x</p>\n<path>y</path>"}}}},
		{"```xml\n<get_time>\n</get_time>\n```", "", []messageCall{{Name: "get_time", Arguments: map[string]any{}}}},
		{"<table rows=\"3\"><tr><td>x</td></tr></table>", "<table rows=\"3\"><tr><td>x</td></tr></table>", nil},
		{"<table><tr><td>x</td></tr></table>", "<table><tr><td>x</td></tr></table>", nil},
		{"<table><rows>many</rows></table>", "<table><rows>many</rows></table>", nil},
		{"Use <get_weather> with <city>Rome</city>.", "Use <get_weather> with <city>Rome</city>.", nil},
		{"<get_weather><city>Rome</city>", "<get_weather><city>Rome</city>", nil},
		{"<get_weather><city>Rome</city> and text", "<get_weather><city>Rome</city> and text", nil},
		{"<get_weather><town>Rome</town></get_weather>", "<get_weather><town>Rome</town></get_weather>", nil},
		{"<other><city>Rome</city></other>", "<other><city>Rome</city></other>", nil},
	} {
		for _, d := range Families() {
			p := planned(t, d, Turn{Tools: declared, Parallel: true, Thinking: Thinking{Off: true}})
			got := play(p.TextParser(), c.raw, 0, false)
			if diff := cmp.Diff(c.calls, got.Calls, cmpopts.EquateEmpty()); diff != "" || deref(got.Content) != c.content {
				t.Errorf("%s: %q became %q and %s", d.Key, c.raw, deref(got.Content), diff)
			}
			checkProperties(t, p, []byte(c.raw), 4)
		}
	}
}
