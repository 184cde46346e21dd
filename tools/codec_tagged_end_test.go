package tools

import (
	"strings"
	"testing"

	"tenon/tools/format"
)

// tags is how a family writes a call in tags, for the tests of values that hold such.
type tags struct{ open, name, key, value, valueEnd, callEnd, end string }

func tagsOf(d *Dialect) (tags, bool) {
	var t tags
	switch c := d.Syntaxes[0].(type) {
	case format.Tagged:
		t = tags{open: d.Section.Open + d.Call.Open, name: c.Call.Close + c.NameEnd, key: c.Arg.Open, value: c.Arg.Close + c.Value, valueEnd: c.ArgEnd, callEnd: c.CallEnd}
		if !c.NameFirst {
			t.open += c.Call.Open
		}
	case format.Nested:
		t = tags{open: d.Section.Open + c.Noise + c.Call.Open, name: c.Call.Close, callEnd: c.Noise + c.CallEnd}
	default:
		return t, false
	}
	t.end = t.callEnd + d.Call.Close + d.Section.Close
	return t, true
}

// call writes a call with arguments in the order of their keys and values.
func (t tags) call(d *Dialect, name string, args ...string) string {
	all := t.open + name + t.name
	for i := 0; i < len(args); i += 2 {
		if c, ok := d.Syntaxes[0].(format.Nested); ok {
			all += c.Noise + "<" + args[i] + ">" + args[i+1] + c.Noise + "</" + args[i] + ">"
			continue
		}
		all += t.key + args[i] + t.value + args[i+1] + t.valueEnd
	}
	return all + t.end
}

// What closes a call inside a value must not close the call that holds it, in any family that
// writes tags: a damaged call would be sent. So it is where all that closes a call is quoted as it
// is written, without the call's beginning.
func TestTagged_closingTagsInsideAValue(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok {
			continue
		}
		_, nested := d.Syntaxes[0].(format.Nested)
		valueEnd := tg.valueEnd
		if nested {
			valueEnd = d.Syntaxes[0].(format.Nested).Noise + "</content>"
		}
		p := planFor(t, d, Thinking{})
		for name, v := range quotingValues(d, tg, valueEnd) {
			if nested && strings.Contains(v, valueEnd) {
				continue // elements have no way to say that
			}
			write := func(first, second string) string {
				values := map[string]string{"content": v, "path": "a"}
				return tg.call(d, "write_file", first, values[first], second, values[second])
			}
			for place, text := range map[string]string{
				"first":        write("content", "path"),
				"last":         write("path", "content"),
				"before text":  write("path", "content") + "\nDone. <b>That</b> is it.",
				"before calls": write("path", "content") + "\n" + write("content", "path"),
			} {
				got := play(p.TextParser(), text, 0, false)
				if len(got.Calls) == 0 {
					t.Errorf("%s: %s, %s: no call of %q", d.Key, name, place, text)
				}
				for _, c := range got.Calls {
					if args := c.Arguments.(map[string]any); c.Name != "write_file" || strings.Trim(args["content"].(string), "\n") != v {
						t.Errorf("%s: %s, %s: %q\nbecame %q", d.Key, name, place, text, args)
					}
				}
				checkProperties(t, p, []byte(text), 1)
			}
		}
	}
}

// quotingValues are values that hold calls and parts of calls of a family.
func quotingValues(d *Dialect, tg tags, valueEnd string) map[string]string {
	example := tg.call(d, "get_weather", "city", "Rome", "days", "3")
	return map[string]string{
		"spaced out":          "cat <<EOF\n" + strings.Join([]string{valueEnd, tg.callEnd, d.Call.Close, d.Section.Close}, "\n") + "\nEOF",
		"in a here-document":  "cat > x <<'EOF'\n" + valueEnd + tg.end + "\nEOF\nls",
		"in quotation marks":  "echo '" + valueEnd + tg.end + "' and \"" + valueEnd + tg.end + "\" in code",
		"in brackets":         "f(" + valueEnd + tg.end + ")[" + valueEnd + tg.end + "]",
		"in an element":       "<pre>" + valueEnd + tg.end + "</pre>",
		"in a fence":          "It ends with\n```xml\n" + valueEnd + tg.end + "\n```\nas said.",
		"the end at the end":  "It ends with\n" + valueEnd + tg.end,
		"in a sentence":       "It ends with" + valueEnd + tg.end + " as said.",
		"in lines of text":    "It ends with\n" + valueEnd + "\n" + tg.end + "\nas said.",
		"twice":               valueEnd + tg.end + " a " + valueEnd + tg.end + " b",
		"of an argument":      "a" + valueEnd + "b",
		"without that":        "a" + tg.end + "b",
		"a part":              "a" + valueEnd + tg.end[:len(tg.end)-1] + "b",
		"a call":              "a" + example + "b",
		"a call at the end":   "a\n" + example,
		"two calls":           "a" + example + example + "b",
		"two calls, text":     "a" + example + " and " + example + "b",
		"no arguments":        "a" + tg.call(d, "get_time") + "b",
		"an end, then a call": "a'" + valueEnd + tg.end + "'b" + example + "c",
	}
}
