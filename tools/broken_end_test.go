package tools

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What closes an argument may be another tag than the family's: with a name that is like it, or
// the argument's own. Before the call's end, or the next argument, it is the argument's end, which
// a repair tells. With a space in it it is the family's. A tag that the value opens is the
// value's.
func TestTagged_closersWithAnotherName(t *testing.T) {
	for family, forms := range map[string][2]string{
		"qwen3-coder": {"<tool_call>\n<function=get_weather>\n<parameter=city>\n", "\n</function>\n</tool_call>"},
		"glm-4.5":     {"<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>", "\n</tool_call>"},
		"minimax-m2":  {"<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">", "\n</invoke>\n</minimax:tool_call>"},
	} {
		d, _ := Lookup(family)
		closers := []string{"</city>", "</parameter>", "< /parameter>", "</ parameter>", "</param>", "</parameters>"}
		if family == "glm-4.5" {
			closers = []string{"</city>", "</arg_value>", "< /arg_value>", "</value>", "</ arg_key>", "</arg_values>"}
		}
		p := planFor(t, d, Thinking{Off: true})
		for i, end := range closers {
			text := forms[0] + "Rome" + end + forms[1]
			got := play(p.TextParser(), text, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != "Rome" {
				t.Errorf("%s: %q becomes %s", family, text, sayMessage(got))
			}
			if told := len(got.Repairs) > 0; told != (i != 1 && !strings.Contains(end, " ")) {
				t.Errorf("%s: %q: repairs %q", family, text, got.Repairs)
			}
			checkProperties(t, p, []byte(text), 1)
			text = strings.Replace(forms[0], "city", "days", 1) + "3" + strings.ReplaceAll(end, "city", "days") + "\n" + forms[0][strings.LastIndex(forms[0][:strings.Index(forms[0], "city")], "<"):] + "Rome" + end + forms[1]
			if got := play(p.TextParser(), text, 0, false); len(got.Calls) != 1 || !cmp.Equal(got.Calls[0].Arguments, any(map[string]any{"city": "Rome", "days": 3.0})) {
				t.Errorf("%s: %q becomes %s", family, text, sayMessage(got))
			}
		}
		for _, v := range []string{"a <b>Rome</b>", "<city>Rome</city>", "Rome</i>"} {
			text := forms[0] + v + forms[1]
			got := play(p.TextParser(), text, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != v || len(got.Repairs) > 0 {
				t.Errorf("%s: %q becomes %s", family, text, sayMessage(got))
			}
		}
	}
}
