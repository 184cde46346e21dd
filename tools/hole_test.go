package tools

import (
	"strings"
	"testing"
)

// A marker that begins a tag leaves with the rest of it, and takes nothing else along.
func TestHole_speltTagsLeaveWhole(t *testing.T) {
	n := 0
	for _, d := range Families() {
		plans := map[bool]*Plan{false: planFor(t, d, Thinking{Off: true})}
		if d.think.close != "" {
			plans[true] = planFor(t, d, Thinking{Open: true})
		}
		for _, m := range d.markers() {
			if m.hole == "" {
				continue
			}
			n++
			for rest, want := range map[string]string{
				"get_weather" + m.hole + " so":     "Write  so",
				"other" + m.hole + " so":           "Write  so",
				`x" string="true"` + m.hole + "so": "Write so",
				"..." + m.hole:                     "Write ",
				m.hole + " so":                     "Write  so",
				" is how it begins, and > ends it": "Write  is how it begins, and > ends it",
				"`, then a name and `>`":           "Write `, then a name and `>`",
				"a name, a < b, c > d":             "Write a name, a < b, c > d",
				"no_end":                           "Write no_end",
				"two words" + m.hole:               "Write two words" + left(d, m.hole),
				"get_weather" + m.hole + " or " + m.text + "get_time" + m.hole + " so": "Write  or  so",
			} {
				for thinking, p := range plans {
					raw := "Write " + m.text + rest
					got := play(p.TextParser(), raw, 0, false)
					text := deref(got.Content)
					if thinking {
						text = deref(got.Reasoning)
					}
					if strings.TrimRight(text, " ") != strings.TrimRight(want, " ") || len(got.Calls) > 0 {
						t.Errorf("%s: %q became %q, want %q", d.name, raw, text, want)
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
	for _, m := range d.markers() {
		if m.text == end {
			return ""
		}
	}
	return end
}
