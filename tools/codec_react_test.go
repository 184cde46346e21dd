package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReact_fenceAroundTheInputIsNoText(t *testing.T) {
	d, _ := Lookup("react")
	want := []messageCall{{Name: "get_weather", Arguments: map[string]any{"city": "Rome"}}}
	for _, input := range []string{"```json\n{\"city\": \"Rome\"}\n```", "```\nRome\n```\n", "```{\"city\": \"Rome\"}```"} {
		raw := "Action: get_weather\nAction Input: " + input
		for n := range 4 {
			got := play(planFor(t, d, Thinking{}).TextParser(), raw, n, false)
			if diff := cmp.Diff(want, got.Calls); diff != "" || got.Content != nil {
				t.Errorf("%q: %+v in pieces of %d\n%s", raw, got, n, diff)
			}
		}
	}
}

// A line of text has no close: cut off, it is no input, for nobody knows what would have followed.
func TestReact_inputThatIsCutOffIsNoCall(t *testing.T) {
	d, _ := Lookup("react")
	for _, input := range []string{"Ro", "``", "```json", "{\"city\": \"Ro"} {
		raw := "Action: get_weather\nAction Input: " + input
		if got := play(planFor(t, d, Thinking{}).TextParser(), raw, 0, true); len(got.Calls) > 0 {
			t.Errorf("%q: %+v", raw, got.Calls)
		}
	}
}
