package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"tenon/tools/format"
	"tenon/tools/ordered"
)

// slip is a way in which models get JSON wrong: how they write an object with stands in the places
// of its strings. ok is false where the values cannot be written so.
type slip struct {
	name  string
	write func(object string, values []string) (text string, ok bool)
}

var jsonKey = regexp.MustCompile(`"(\w+)":`)

// always is a slip that every value has.
func always(write func(object string, values []string) string) func(string, []string) (string, bool) {
	return func(object string, values []string) (string, bool) { return write(object, values), true }
}

// lacking is a slip of values that do not hold some texts.
func lacking(write func(object string, values []string) string, texts ...string) func(string, []string) (string, bool) {
	return func(object string, values []string) (string, bool) {
		all := strings.Join(values, "\n")
		return write(object, values), !slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(all, s) })
	}
}

func filled(object string, values []string) string { return fill(object, values, ordered.String) }

var slips = []slip{
	{"unescaped quotes", lacking(func(o string, v []string) string { return fill(o, v, unescapedQuotes) }, anotherMember)},
	{"raw line breaks", lacking(func(o string, v []string) string {
		return lineBreaks.Replace(filled(o, v))
	}, `\`)},
	{"unescaped quotes, raw line breaks", lacking(func(o string, v []string) string {
		return lineBreaks.Replace(fill(o, v, unescapedQuotes))
	}, `\`, anotherMember)},
	{"Python's repr", always(func(o string, v []string) string {
		o = strings.NewReplacer("true", "True", "null", "None").Replace(jsonKey.ReplaceAllString(o, "'$1':"))
		return fill(o, v, pythonRepr)
	})},
	{"typographic quotes", lacking(func(o string, v []string) string {
		o = jsonKey.ReplaceAllString(o, "“$1”:")
		return fill(o, v, func(s string) string { return "“" + quotesAsTheyAre(s) + "”" })
	}, "“", "”")},
	{"three quotes", lacking(func(o string, v []string) string { return fill(o, v, around(`"""`)) }, `"""`, `\`, `"`+"\n")},
	{"backticks", lacking(func(o string, v []string) string { return fill(o, v, around("`")) }, "`", `\`)},
	{"in a string", always(func(o string, v []string) string { return ordered.String(filled(o, v)) })},
	{"escaped once more", always(func(o string, v []string) string { s := ordered.String(filled(o, v)); return s[1 : len(s)-1] })},
	{"trailing comma", always(func(o string, v []string) string { return strings.TrimSuffix(filled(o, v), "}") + ",}" })},
	{"missing brace", always(func(o string, v []string) string { return strings.TrimSuffix(filled(o, v), "}") })},
	{"extra brace", always(func(o string, v []string) string { return filled(o, v) + "}" })},
	{"doubled braces", always(func(o string, v []string) string { return "{" + filled(o, v) + "}" })},
	{"bare keys", always(func(o string, v []string) string { return filled(jsonKey.ReplaceAllString(o, "$1:"), v) })},
	{"in lines", always(func(o string, v []string) string {
		return filled(strings.NewReplacer(`{"`, "{\n  \"", `,"`, ",\n  \"").Replace(o), v)
	})},
}

func around(quote string) func(string) string {
	return func(s string) string { return quote + s + quote }
}

var lineBreaks = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r")

// anotherMember is a value that, its quotes not escaped, reads as the end of one and another
// member: nobody can tell.
const anotherMember = `a", "b": "c`

func unescapedQuotes(s string) string { return `"` + quotesAsTheyAre(s) + `"` }

// quotesAsTheyAre is a string as it stands in JSON, between its quotes, with those in it not
// escaped.
func quotesAsTheyAre(v string) string {
	parts := strings.Split(v, `"`)
	for i, part := range parts {
		s := ordered.String(part)
		parts[i] = s[1 : len(s)-1]
	}
	return strings.Join(parts, `"`)
}

// pythonRepr is a string as Python prints it.
func pythonRepr(s string) string {
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	out := quote
	for _, r := range s {
		switch {
		case string(r) == quote || r == '\\':
			out += `\` + string(r)
		case r == '\n':
			out += `\n`
		case r == '\r':
			out += `\r`
		case r == '\t':
			out += `\t`
		case r < 0x100 && !unicode.IsPrint(r):
			out += fmt.Sprintf(`\x%02x`, r)
		case r < 0x10000 && !unicode.IsPrint(r):
			out += fmt.Sprintf(`\u%04x`, r)
		default:
			out += string(r)
		}
	}
	return out + quote
}

// otherJSON tells whether a text is JSON that says something else than an object: no reader can
// know what was meant then.
func otherJSON(text, object string) bool {
	return json.Valid([]byte(text)) && !sameJSON([]byte(text), []byte(object))
}

func TestHostile_slipsComeBackExactlyOrNotAtAll(t *testing.T) {
	tried, back := map[string]int{}, map[string]int{}
	eachHostile(t, func(d *Dialect, p *Plan, forms []form, r *rand.Rand, rounds int) {
		for _, f := range forms {
			if f.to == 0 {
				continue
			}
			for _, s := range slips {
				for range 4 * rounds {
					values := []string{snippets[r.IntN(len(snippets))], snippets[r.IntN(len(snippets))]}
					object := f.text[f.from:f.to]
					args, ok := s.write(object, values)
					if !ok || otherJSON(args, filled(object, values)) && s.name != "in a string" {
						continue
					}
					tried[s.name]++
					if checkSlip(t, p, f.text[:f.from]+args+f.text[f.to:], meant(t, f, values), s.name) {
						back[s.name]++
					}
				}
			}
		}
	})
	for _, s := range slips {
		t.Logf("%s: %d of %d came back", s.name, back[s.name], tried[s.name])
		if back[s.name]*10 < tried[s.name]*7 {
			t.Errorf("%s: only %d of %d came back", s.name, back[s.name], tried[s.name])
		}
	}
}

// checkSlip holds a text to what may leave of it: the call that was meant, or none. It says
// whether that came.
func checkSlip(t *testing.T, p *Plan, text string, want messageCall, name string) bool {
	t.Helper()
	whole := play(p.TextParser(), text, 0, false)
	for _, got := range whole.Calls {
		if !cmp.Equal(got, want) {
			t.Errorf("%s: %s: %q becomes %+v", p.core.Dialect.Key, name, text, got)
		}
	}
	if diff := cmp.Diff(whole, play(p.TextParser(), text, 7, false)); diff != "" {
		t.Errorf("%s: %s: %q in pieces (-whole +cut):\n%s", p.core.Dialect.Key, name, text, diff)
	}
	return len(whole.Calls) == 1
}

// A marker that is left out, comes twice or stands among line breaks, and a turn that is cut off,
// leave the calls that were meant or none.
func TestHostile_brokenMarkersDamageNoCall(t *testing.T) {
	n, calls := 0, 0
	eachHostile(t, func(d *Dialect, p *Plan, forms []form, r *rand.Rand, rounds int) {
		_, tagged := tagsOf(d)
		if c, ok := d.Syntaxes[0].(format.Named); ok {
			tagged = len(c.Quotes) > 0
		}
		for _, f := range forms {
			for range 60 * rounds {
				values := []string{plainValue(r), plainValue(r)}
				text := f.text + f.text
				at := r.IntN(len(text))
				m := markerAt(d, text, at)
				cutOff := false
				switch kind := r.IntN(4); {
				case kind == 0:
					text, cutOff = text[:at], true
				case m == 0 || kind >= 2 && tagged:
					// what stands between tags more is a part of the value
					continue
				case kind == 1:
					text = text[:at] + text[at+m:]
				case kind == 2:
					text = text[:at] + text[at:at+m] + text[at:]
				default:
					text = text[:at] + "\n" + text[at:at+m] + "\n" + text[at+m:]
				}
				text = fill(text, values, ordered.String)
				n++
				want := meant(t, f, values)
				got := play(p.TextParser(), text, 0, cutOff)
				for _, c := range got.Calls {
					calls++
					if !sameButForLines(c, want) {
						t.Errorf("%s: %q becomes %+v", d.Key, text, c)
					}
				}
			}
		}
	})
	t.Logf("%d texts with two calls, of which %d left", n, calls)
}

// sameButForLines compares calls; a line break at a value's end may be its own, or stand before
// the end that is missing.
func sameButForLines(a, b messageCall) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	trim := strings.NewReplacer(`\n\n"`, `"`, `\n"`, `"`)
	return trim.Replace(string(x)) == trim.Replace(string(y))
}

// plainValue is a snippet that is not about calls.
func plainValue(r *rand.Rand) string { return strconv.Itoa(r.IntN(100)) + " of \"x\"\nand <b>y</b>" }

// markerAt is how long the marker is that stands at an offset, 0 if none does. Half a tag is none.
func markerAt(d *Dialect, text string, at int) (n int) {
	for _, m := range d.Markers() {
		if strings.HasPrefix(text[at:], m) && strings.ContainsAny(m[:1], "<[") {
			n = max(n, len(m))
		}
	}
	return n
}
