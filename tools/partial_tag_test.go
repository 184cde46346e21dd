package tools

import (
	"strings"
	"testing"
)

// A marker that only begins a tag is removed with the rest of it, and nothing else is.
func TestPartialTag_speltTagsLeaveWhole(t *testing.T) {
	n := 0
	for _, d := range Families() {
		plans := map[bool]*Plan{false: planFor(t, d, Thinking{Off: true})}
		if d.Think.Close != "" {
			plans[true] = planFor(t, d, Thinking{Open: true})
		}
		for _, m := range d.AllMarkers() {
			if m.TagEnd == "" {
				continue
			}
			n++
			for rest, want := range map[string]string{
				"get_weather" + m.TagEnd + " so":     "Write  so",
				"other" + m.TagEnd + " so":           "Write  so",
				`x" string="true"` + m.TagEnd + "so": "Write so",
				"..." + m.TagEnd:                     "Write ",
				m.TagEnd + " so":                     "Write  so",
				" is how it begins, and > ends it":   "Write  is how it begins, and > ends it",
				"`, then a name and `>`":             "Write `, then a name and `>`",
				"a name, a < b, c > d":               "Write a name, a < b, c > d",
				"no_end":                             "Write no_end",
				"two words" + m.TagEnd:               "Write two words" + left(d, m.TagEnd),
				"get_weather" + m.TagEnd + " or " + m.Text + "get_time" + m.TagEnd + " so": "Write  or  so",
			} {
				for thinking, p := range plans {
					raw := "Write " + m.Text + rest
					got := play(p.TextParser(), raw, 0, false)
					text := deref(got.Content)
					if thinking {
						text = deref(got.Reasoning)
					}
					if strings.TrimRight(text, " ") != strings.TrimRight(want, " ") || len(got.Calls) > 0 {
						t.Errorf("%s: %q became %q, want %q", d.Key, raw, text, want)
					}
					checkProperties(t, p, []byte(raw), 3)
				}
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d markers begin tags", n)
	}
}

// left is what is left of a tag's end where it stands alone.
func left(d *Dialect, end string) string {
	for _, m := range d.AllMarkers() {
		if m.Text == end {
			return ""
		}
	}
	return end
}
