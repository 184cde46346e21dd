package tools

import (
	"strings"
	"testing"

	"tenon/tools/format"
)

// unmatched are values that hold tags which match no others in them: what closes a call before
// anything is opened, and the beginning of a call of a tool that is not declared.
func unmatched(d *Dialect, tg tags) []string {
	around := d.Call.Close + d.Section.Close
	undeclared := strings.TrimPrefix(tg.open, d.Section.Open) + "y" + tg.name
	all := []string{
		tg.key + "x" + tg.value + "\n" + tg.valueEnd + "\n" + tg.callEnd + "\n" + undeclared,
		"a" + tg.valueEnd + tg.end + "\n" + undeclared + "\nb",
		tg.valueEnd + "x", tg.valueEnd + "\n" + tg.valueEnd + "x",
	}
	for _, end := range []string{tg.callEnd, around, tg.end} {
		if end != "" {
			all = append(all, end+"x", end+"x"+end+"x", "\n"+end+"\nx\n"+end+"\nx", end+" or "+tg.valueEnd+" or "+end+" and text")
		}
	}
	return all
}

// A value may begin with what closes calls, and hold the beginning of one that no tool has: neither
// is its end, if a tag behind it is.
func TestTagged_unmatchedTagsInsideAValue(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok {
			continue
		}
		if c, ok := d.Codecs[0].(format.Nested); ok {
			tg.key, tg.value, tg.valueEnd = c.Noise+"<", ">", c.Noise+"</y>"
		}
		p := planFor(t, d, Thinking{})
		for _, v := range unmatched(d, tg) {
			for _, args := range [][]string{{"path", "a", "content", v}, {"content", v, "path", "a"}} {
				text := tg.call(d, "write_file", args...)
				got := play(p.TextParser(), text, 0, false)
				if len(got.Calls) != 1 || strings.Trim(got.Calls[0].Arguments.(map[string]any)["content"].(string), "\n") != strings.Trim(v, "\n") {
					t.Errorf("%s: %q\nbecomes %s", d.Key, text, sayMessage(got))
				}
				checkProperties(t, p, []byte(text), 1)
			}
		}
	}
}

// A call that begins in a value and does not end there takes the value's end for its own. What
// follows then shows that it has none. Behind the last value nothing does: no call leaves.
func TestTagged_callsThatOnlyBeginInAValue(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if _, nested := d.Codecs[0].(format.Nested); !ok || nested {
			continue
		}
		p := planFor(t, d, Thinking{})
		for _, v := range []string{tg.call(d, "y", "x", "b"), tg.call(d, "get_weather", "city", "b"), "a" + tg.call(d, "y", "x", "")} {
			v = strings.TrimSuffix(v, tg.valueEnd+tg.end)
			for n, args := range [][]string{{"path", "a", "content", v}, {"content", v, "path", "a"}} {
				text := tg.call(d, "write_file", args...)
				got := play(p.TextParser(), text, 0, false)
				if len(got.Calls) != n || n > 0 && got.Calls[0].Arguments.(map[string]any)["content"] != v {
					t.Errorf("%s: %q\nbecomes %s", d.Key, text, sayMessage(got))
				}
				checkProperties(t, p, []byte(text), 1)
			}
		}
	}
}

// What such tags cost does not grow with their number, as long as the value's end has not come.
func TestWork_unmatchedTagsInAValue(t *testing.T) {
	const size = 2 << 10
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok {
			continue
		}
		p := planFor(t, d, Thinking{})
		head := tg.call(d, "write_file", "path", "a", "content", "QZQ")
		head, tail, _ := strings.Cut(head, "QZQ")
		for _, unit := range append(unmatched(d, tg), tg.key+"y"+tg.value, tg.call(d, "y"), tg.open+"y"+tg.name+tg.key, tg.end) {
			for _, end := range []string{tail, ""} {
				work := func(n int) float64 {
					return float64(worked(p.TextParser(), head+strings.Repeat(unit, 1+n/len(unit))[:n]+"x"+end))
				}
				if less, more := work(size), work(4*size); more > 5.5*less {
					t.Errorf("%s: %q: %.0f bytes are looked at in %d, %.0f in %d", d.Key, unit, less, size, more, 4*size)
				}
			}
		}
	}
}
