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

// Arguments that are named on their line end with it, so that the text behind leaves; where text
// can be meant, no line is the last.
func TestReact_textBehindNamedArgumentsLeaves(t *testing.T) {
	d, _ := Lookup("react")
	p := planFor(t, d, Thinking{})
	const text = "Now I wait for the result, and I tell you about it as soon as I have it."
	for input, waits := range map[string]bool{
		`path="a.txt", content="some 'text'"`: false,
		"path=\"a.txt\",\ncontent=\"x\"":      false,
		"path=\"a.txt\", content=\"some":      true,
	} {
		raw := "Action: write_file\nAction Input: " + input
		q := p.TextParser()
		feed(q, raw, 1)
		if most, _ := heldBack(q, "\n\n"+text); (most >= len(text)) != waits {
			t.Errorf("%d bytes are kept back behind %q", most, raw)
		}
		got := play(p.TextParser(), raw+"\n\n"+text, 0, false)
		if calls := len(got.Calls); calls != 1 && !waits || !waits && deref(got.Content) != text {
			t.Errorf("%q: %d calls, %q", raw, calls, deref(got.Content))
		}
		checkProperties(t, p, []byte(raw+"\n\n"+text), 3)
	}
	if got := play(p.TextParser(), "Action: get_weather\nAction Input: city=\"Rome\"\nand more", 0, false); len(got.Calls) != 1 || got.Content != nil {
		t.Errorf("%+v: the tool takes text, of which the line may be the first", got)
	}
}
