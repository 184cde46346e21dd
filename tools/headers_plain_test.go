package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Some engines strip special tokens: of harmony's headers only the words are left.
func TestHeaders_withoutTheirMarkers(t *testing.T) {
	weather := []messageCall{{Name: "get_weather", Arguments: map[string]any{"city": "Rome"}}}
	none := []messageCall{}
	d, _ := Lookup("gpt-oss")
	p := planFor(t, d, Thinking{})
	for raw, want := range map[string]struct {
		reasoning, content string
		calls              []messageCall
	}{
		`analysisWe need it.assistantcommentary to=functions.get_weather json{"city": "Rome"}`:                           {"We need it.", "", weather},
		"analysisWe.\n\nassistantcommentary to=functions.get_weather json{\"city\": \"Rome\"}assistantfinalIt is asked.": {"We.", "It is asked.", weather},
		`commentary to=functions.get_weather {"city": "Rome"}`:                                                           {"", "", weather},
		`assistantcommentary to=functions.get_weather code{"city": "Rome"}`:                                              {"", "", weather},
		"analysisUser says hi.assistantfinalHello!":                                                                      {"User says hi.", "Hello!", none},
		"analysis of the data. assistantfinal is a word.":                                                                {"", "analysis of the data. assistantfinal is a word.", none},
		"finally, assistants analyse":                                                                                    {"", "finally, assistants analyse", none},
	} {
		got := play(p.TextParser(), raw, 0, false)
		if diff := cmp.Diff(want.calls, got.Calls); diff != "" || deref(got.Content) != want.content || deref(got.Reasoning) != want.reasoning {
			t.Errorf("%q: content %q, thinking %q, calls (-want +got):\n%s", raw, deref(got.Content), deref(got.Reasoning), diff)
		}
		checkProperties(t, p, []byte(raw), 3)
	}
}
