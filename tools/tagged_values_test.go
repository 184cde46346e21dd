package tools

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/ordered"
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

// A value may begin with what closes calls, and hold the beginning of one that no tool has:
// neither is its end, if a tag behind it is.
func TestTagged_unmatchedTagsInsideAValue(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok {
			continue
		}
		if c, ok := d.Syntaxes[0].(format.Nested); ok {
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
		if _, nested := d.Syntaxes[0].(format.Nested); !ok || nested {
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

// oddParts are what the values of the next test are made of: what closes calls and arguments, what
// opens them, with names that are declared and such that are not, noise, and parts of all of it.
func oddParts(d *Dialect, tg tags) []string {
	all := []string{
		"x", "a b", "\n", " ", `"`, "'", "`", "<", "</", ">", "[", "{", "}", "é", "<b>", "</b>", "y\n",
		d.Call.Open, d.Call.Close, d.Section.Open, d.Section.Close, tg.valueEnd, tg.callEnd, tg.end, tg.valueEnd + tg.end, tg.valueEnd + "\n" + tg.callEnd,
		tg.open + "y" + tg.name, tg.open + "get_time" + tg.name, tg.key + "x" + tg.value, tg.key + "path" + tg.value,
		tg.call(d, "y"), tg.call(d, "y", "z", "1"), tg.call(d, "get_time"), tg.call(d, "bash", "command", "ls"),
	}
	all = append(all, d.Noise...)
	for _, t := range all {
		if runes := []rune(t); len(runes) > 2 {
			all = append(all, string(runes[:len(runes)/2]))
		}
	}
	return all
}

// readsAsMore tells whether a part of a value reads as more of the turn: an argument that follows
// the end of one, or that the tool has, or a call of a tool that is declared. Then nobody can
// tell.
func readsAsMore(d *Dialect, tg tags, v string) bool {
	open := strings.TrimPrefix(tg.open, d.Section.Open)
	more := []string{tg.key + "path", tg.key + "content", open + "get_time", open + "bash"}
	if tg.valueEnd != "" {
		more = append(more, tg.valueEnd+tg.key)
	}
	space := strings.NewReplacer(" ", "", "\n", "")
	return slices.ContainsFunc(more, func(m string) bool { return strings.Contains(space.Replace(v), space.Replace(m)) })
}

// oddTags are tagsOf a family, for a value of the argument key, also of a family whose strings
// stand between delimiters.
func oddTags(d *Dialect, key string) (tg tags, between, ok bool) {
	tg, ok = tagsOf(d)
	switch c := d.Syntaxes[0].(type) {
	case format.Nested:
		tg.key, tg.value, tg.valueEnd = c.Noise+"<", ">", c.Noise+"</"+key+">"
	case format.Named:
		if len(c.Quotes) > 0 {
			q, end := c.Quotes[0], "}"+d.Call.Close
			return tags{open: d.Call.Open + c.Before, name: "{", key: ",", value: ":" + q, valueEnd: q, callEnd: "}", end: end}, true, true
		}
	}
	return tg, false, ok
}

// A value of such parts, in a call as the family's own grammar writes it, comes back exactly, or
// no call leaves: never one with a part of the value, but where that reads as more of the turn, as
// what begins another call does in the last argument. One without the beginning of an argument or
// of a call comes back, and so do most of the others; not where it holds a delimiter of strings,
// or ends with what may belong to its end.
func TestTagged_oddValuesComeBackExactlyOrNotAtAll(t *testing.T) {
	for i, d := range Families() {
		for at, key := range []string{"path", "content"} {
			tg, between, ok := oddTags(d, key)
			if !ok {
				continue
			}
			p, parts, r := hostilePlan(t, d), oddParts(d, tg), rand.New(rand.NewPCG(22, uint64(2*i+at)))
			rounds, exact := 150, 0
			if os.Getenv("TENON_ALL") != "" {
				rounds = 10000
			}
			form := formNamed(t, d, "write_file")
			for n := range rounds {
				v := ""
				for range 1 + r.IntN(6) {
					v += parts[r.IntN(len(parts))]
				}
				values := []string{"a", "a"}
				values[at] = v
				text := fill(form.text, values, ordered.String)
				got := play(p.TextParser(), text, 0, false)
				unclear := between && strings.Contains(v, tg.valueEnd) || tg.key != "" && strings.Contains(v, tg.key) || endsWithNoise(d, v)
				switch {
				case cmp.Equal(got.Calls, []messageCall{meant(t, form, values)}):
					exact++
				case readsAsMore(d, tg, v), key == "path" && strings.Contains(v, strings.TrimSuffix(strings.TrimPrefix(tg.open, d.Section.Open), `"`)), unclear && len(got.Calls) == 0:
				default:
					t.Errorf("%s: %q\nbecomes %s", d.Key, text, sayMessage(got))
				}
				if n%10 == 0 {
					checkProperties(t, p, []byte(text), r.Uint64())
				}
			}
			t.Logf("%s: %d of %d came back", d.Key, exact, rounds)
			if exact*100 < 80*rounds && !between {
				t.Errorf("%s: only %d of %d values came back", d.Key, exact, rounds)
			}
		}
	}
}

// The noise before a nested call's tags may be missing before any of them, or come twice: nothing
// of it gets into a value. Where it is text, twice it may be a value's own, as half of it may: no
// call.
func TestTagged_noiseThatIsMissingOrTwice(t *testing.T) {
	d, _ := Lookup("minimax-m3")
	noise := d.Syntaxes[0].(format.Nested).Noise
	const whole = "N<tool_call>\nN<invoke name=\"get_weather\">\nN<city>RomeN</city>\nN<days>3N</days>\nN</invoke>\nN</tool_call>"
	for _, c := range []struct {
		from, to string
		// calls, where noise is text, and where it is a token; -1: half of it is a value's
		// own
		text, tokens int
	}{
		{"N<city>", "<city>", 1, 1}, {"N</city>", "</city>", 1, 1}, {"N<days>", "<days>", 1, 1}, {"N</days>", "</days>", 1, 1},
		{"N<city>RomeN</city>", "<city>Rome</city>", 1, 1}, {"N<city>", "NN<city>", 1, 1}, {"N</city>", "NN</city>", 0, 1},
		{"N</days>", "N</ days>", 1, 1}, {"N</invoke>", "NN</invoke>", 1, 1}, {"N</invoke>", "</invoke>", 1, 1}, {"N<invoke", "<invoke", 1, 1},
		{"N</tool_call>", "NN</tool_call>", 1, 1}, {"N</tool_call>", "</tool_call>", 1, 1}, {"N<tool_call>", "<tool_call>", 1, 1}, {"N<invoke", "NN<invoke", 1, 1},
		{"N</city>", noise[:9] + "</city>", 0, -1}, {"N</city>", noise[4:] + "</city>", 0, -1},
	} {
		text := strings.ReplaceAll(strings.Replace(whole, c.from, c.to, 1), "N", noise)
		check := func(where string, want int, got message) {
			exact := []messageCall{{Name: "get_weather", Arguments: map[string]any{"city": "Rome", "days": 3.0}}}[:max(want, 0)]
			if want >= 0 && !cmp.Equal(got.Calls, exact) {
				t.Errorf("%s: %q for %q becomes %s", where, c.to, c.from, sayMessage(got))
			}
		}
		p := planFor(t, d, Thinking{})
		check("text", c.text, play(p.TextParser(), text, 0, false))
		checkProperties(t, p, []byte(text), 1)
		p = planFor(t, &Dialect{d.With([]string{noise})}, Thinking{})
		check("tokens", c.tokens, spellingTokens(p.SymbolParser(), text, []string{noise}))
	}
	// in ordinary letters
	v := strings.ReplaceAll("aN</city>N</invoke>N</tool_call> b", "N", noise)
	p := planFor(t, &Dialect{d.With([]string{noise})}, Thinking{})
	got := spellingTokens(p.SymbolParser(), strings.ReplaceAll(strings.Replace(whole, "Rome", "QZQ0", 1), "N", noise), []string{noise}, v)
	if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != v {
		t.Errorf("%q becomes %s", v, sayMessage(got))
	}
}

// endsWithNoise tells whether a value ends with noise.
func endsWithNoise(d *Dialect, v string) bool {
	return slices.ContainsFunc(d.Noise, func(noise string) bool { return strings.HasSuffix(v, noise) })
}

func formNamed(t *testing.T, d *Dialect, tool string) form {
	t.Helper()
	all := formsOf(t, d)
	i := slices.IndexFunc(all, func(f form) bool { return f.tool == tool })
	if i < 0 {
		t.Fatalf("%s: no form of %s", d.Key, tool)
	}
	return all[i]
}
