package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar"
	"tenon/tools/format"
	"tenon/tools/ordered"
)

// hostileValues are strings that look like what stands around them.
func hostileValues(d *Dialect) []string {
	all := []string{
		"", " ", "\n", "a", " a", "a ", "\na", "a\n", "\n\na\n\n", "\ta\t", "a\r\nb", "null", "true", "12", "-1.5e3", `"quoted"`, `'x'`, `\`, `\n`, `a\"b`,
		"{}", `{"a": 1}`, "[1, 2]", "<b>bold</b>", "a < b && c > d", "&lt;&amp;", "<![CDATA[x]]>", "]]>", "]]", "```json\n{}\n```", "```",
		"</parameter>", "</function>", "<parameter=b>", "</invoke>", "</tool_call>", "<tool_call>", "</arg_value>", "a</a>", "<a>b</a>", "<item>1</item>",
		"f(a=\"x\")", "[f()]", "Action: f", "Action Input: {}", "Observation: x", "日本語 🙂 ü", "\u2028", "%s", "*** Begin Patch\n+x", "call:f{a:1}", "functools[", ">>>all\n",
	}
	for _, m := range d.Markers() {
		all = append(all, m, "x"+m+"y", m[:len(m)/2])
	}
	return all
}

// What the grammar admits as the text of a string, both parsers read back as that string: with
// every family's own marks in it, as the only argument, behind another, in a list and in an
// object.
func TestRoundTrip_valuesThatLookLikeMarkup(t *testing.T) {
	places := map[string]string{
		"alone":   `{"type":"object","properties":{"a":%s},"required":["a"]}`,
		"between": `{"type":"object","properties":{"n":{"const":7},"a":%s,"b":{"enum":["z"]}},"required":["n","a","b"]}`,
		"in list": `{"type":"object","properties":{"a":{"type":"array","items":%s,"minItems":1}},"required":["a"],"additionalProperties":false}`,
		"nested":  `{"type":"object","properties":{"o":{"type":"object","properties":{"a":%s},"required":["a"],"additionalProperties":false}},"required":["o"],"additionalProperties":false}`,
	}
	for i, d := range Families() {
		if os.Getenv("TENON_ALL") == "" && i%12 > 0 && d.Key != "minimax-m3" && d.Key != "minicpm5" {
			continue
		}
		admitted := 0
		for place, schema := range places {
			planned := func(value string) *Plan {
				tool := Tool{Name: "f", Parameters: json.RawMessage(fmt.Sprintf(schema, value))}
				p, err := d.Plan(Turn{Tools: []Tool{tool}, Choice: Choice{Mode: Required}, Thinking: Thinking{Off: true}})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			model := shortest(t, compiled(t, planned(`{"enum":["`+stand+`"]}`)))
			if !strings.Contains(model, stand) {
				continue // containers that the mask does not look into
			}
			p := planned(`{"type":"string"}`)
			g := compiled(t, p)
			for _, v := range hostileValues(d) {
				written := v
				if strings.Contains(model, `"`+stand+`"`) {
					written = ordered.String(v)[1 : len(ordered.String(v))-1]
				}
				text := strings.ReplaceAll(model, stand, written)
				m := g.Matcher(nil)
				if m.AcceptBytes([]byte(text)) != nil || !m.Done() {
					continue
				}
				admitted++
				want := strings.ReplaceAll(string(shape(t, planned(`{"enum":["`+stand+`"]}`), model)), `"`+stand+`"`, ordered.String(v))
				for name, q := range map[string]Parser{"captures": p.Parser(), "tolerant": p.TextParser()} {
					if ambiguous(d, v, name) {
						continue
					}
					got := play(q, text, 0, false)
					if args, _ := json.Marshal(first(got.Calls)); !sameJSON(args, []byte(want)) {
						t.Errorf("%s: %s, %s: %q as %q gives %s, text %q", d.Key, place, name, v, text, args, deref(got.Content))
					}
				}
			}
		}
		if admitted < 40 {
			t.Errorf("%s admits only %d values", d.Key, admitted)
		}
	}
}

// ambiguous tells whether a text means something else: a section where a family writes such, and,
// for a reader that must also mend what has no ends, an end or another argument.
func ambiguous(d *Dialect, v, parser string) bool {
	if c, ok := d.Syntaxes[0].(format.Tagged); ok && (c.CDATA && strings.HasPrefix(v, format.CDATAOpen) || parser == "tolerant" && v == "<parameter=b>") {
		return true
	}
	// noise before an end may be the end's, come twice
	_, nested := d.Syntaxes[0].(format.Nested)
	return nested && parser == "tolerant" && endsWithNoise(d, v)
}

// stand is where the value goes.
const stand = "QZQ"

func first(calls []messageCall) any {
	if len(calls) != 1 {
		return nil
	}
	return calls[0].Arguments
}

// shape is the arguments that a text calls with.
func shape(t *testing.T, p *Plan, text string) []byte {
	t.Helper()
	args, err := json.Marshal(first(play(p.Parser(), text, 0, false).Calls))
	if err != nil {
		t.Fatal(err)
	}
	return args
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}

// shortest is the shortest text that a grammar accepts.
func shortest(t *testing.T, g *grammar.Grammar) string {
	t.Helper()
	m := g.Matcher(byteVocab(t))
	var out []byte
	for !m.Done() || m.Distance() > 0 {
		mask := m.MaskWithin(1)
		next := int32(-1)
		for b := range int32(256) {
			if mask.Allows(b) {
				next = b
				break
			}
		}
		if next < 0 || m.Accept(next) != nil || len(out) > 4000 {
			t.Fatalf("no way on after %q", out)
		}
		out = append(out, byte(next))
	}
	return string(out)
}
