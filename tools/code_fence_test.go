package tools

import (
	"os"
	"strings"
	"testing"

	"tenon/tools/format"
)

// unmarkedFamilies write calls with no marker: what they look like is common in text.
var unmarkedFamilies = map[string]bool{
	"chatml": true, "command-r-plus": true, "gemma": true, "json": true, "llama3": true, "llama4": true, "phi": true, "react": true, "rwkv": true, "xlam": true,
}

// eachCall visits every family's call, as its transcript has it.
func eachCall(t *testing.T, visit func(d *Dialect, call string)) {
	t.Helper()
	for _, tr := range transcripts(t) {
		if !strings.HasSuffix(tr.path, "/one-call.txtar") {
			continue
		}
		d, _ := Lookup(tr.family)
		call := strings.TrimSpace(tr.raw)
		for _, end := range d.Ends {
			call = strings.TrimSuffix(call, end)
		}
		if d.Headers != nil { // which the generation prompt begins
			call = "<|start|>assistant " + call
		}
		visit(d, call)
	}
}

// onePlanEach are the families' plans by name.
func onePlanEach(t *testing.T, th Thinking) map[string]*Plan {
	all := map[string]*Plan{}
	for _, d := range Families() {
		all[d.Key] = planFor(t, d, th)
	}
	return all
}

// The rule of doc.go about calls in code, in every family: between markers a call is one wherever
// it stands; one without markers must begin or end the turn. Code that holds nothing but calls
// goes with them, other code stays.
func TestCodeFence_callsInCode(t *testing.T) {
	k, plans := 0, onePlanEach(t, Thinking{Off: true})
	// calls that are made: of any family; of those that write markers; of none
	const always, atEnd, never = 2, 1, 0
	for _, c := range []struct {
		// the contents; OPEN and END stand for what is around code
		text, marked, unmarked string
		whom                   int
	}{
		{"OPENCALLEND", "", "", always},
		{"I look.\nOPENCALLEND", "I look.", "I look.", always},
		{"I look.\nOPENCALL", "I look.", "I look.", always},
		{"OPENCALLEND\nDone.", "Done.", "Done.", always},
		{"I look.\nOPENCALLEND\nDone.", "I look.\n\nDone.", "I look.\nOPENCALLEND\nDone.", atEnd},
		{"I look.\nOPENCALL\nAnd so on.END\nDone.", "I look.\nOPEN\nAnd so on.END\nDone.", "I look.\nOPENCALL\nAnd so on.END\nDone.", atEnd},
		{"I look.\nOPENFirst:\nCALLEND\nDone.", "I look.\nOPENFirst:\nEND\nDone.", "I look.\nOPENFirst:\nCALLEND\nDone.", atEnd},
		{"I look.\nOPENno callEND\nDone.", "I look.\nOPENno callEND\nDone.", "I look.\nOPENno callEND\nDone.", never},
	} {
		for open, end := range map[string]string{"```\n": "\n```", "```xml\n": "\n```", "```json\n": "\n```", "```tool_call\n\n": "\n```\n", "````\n": "\n````", "``` json\n": "\n```", "```": "```"} {
			eachCall(t, func(d *Dialect, call string) {
				if unmarkedFamilies[d.Key] && !strings.HasSuffix(open, "\n") || strings.Contains(call, format.FenceMark) && strings.Count(c.text, "\n") > 2 {
					// their calls stand on lines of their own, or are in a
					// fence themselves
					return
				}
				fill := strings.NewReplacer("OPEN", open, "END", end, "CALL", call).Replace
				want, calls := fill(c.marked), 1
				if unmarkedFamilies[d.Key] {
					want = fill(c.unmarked)
				}
				if c.whom == never || c.whom == atEnd && unmarkedFamilies[d.Key] {
					calls = 0
				}
				p := plans[d.Key]
				got := play(p.TextParser(), fill(c.text), 0, false)
				if squeezed(deref(got.Content)) != squeezed(want) || len(got.Calls) != calls {
					t.Errorf("%s: %q gives %d calls and %q, want %d and %q", d.Key, fill(c.text), len(got.Calls), deref(got.Content), calls, want)
				}
				if k++; k%11 == 0 || os.Getenv("TENON_ALL") != "" {
					checkProperties(t, p, []byte(fill(c.text)), 6)
				}
			})
		}
	}
}

// squeezed is a text without the line breaks that stand beside calls.
func squeezed(s string) string {
	for strings.Contains(s, "\n\n") {
		s = strings.ReplaceAll(s, "\n\n", "\n")
	}
	return strings.TrimSpace(s)
}

// On a line, backticks around nothing but a call go with it; everything else that stands around it
// stays.
func TestCodeFence_callsOnALine(t *testing.T) {
	k, plans := 0, onePlanEach(t, Thinking{Off: true})
	for text, want := range map[string]string{
		"I ask `CALL` now.":                      "I ask  now.",
		"``CALL``":                               "",
		"As in `a` and `CALL` and `b`.":          "As in `a` and  and `b`.",
		"I ask \"CALL\" now.":                    "I ask \"\" now.",
		"I ask 'CALL'.":                          "I ask ''.",
		"<pre>CALL</pre> is it.":                 "<pre></pre> is it.",
		"| call | CALL | x |":                    "| call |  | x |",
		"A call (CALL).":                         "A call ().",
		"> CALL\nis it":                          "> \nis it",
		"- CALL\n- other":                        "- \n- other",
		"So:\n\n    CALL\n\nNow.":                "So:\n\n    \n\nNow.",
		"`x CALL` y":                             "`x ` y",
		"Code:\n```py\nx\n```\nCALL\n```":        "Code:\n```py\nx\n```\n\n```",
		"```py\nx\n```\nCALL\n```py\ny\n```\nok": "```py\nx\n```\n\n```py\ny\n```\nok",
	} {
		eachCall(t, func(d *Dialect, call string) {
			if unmarkedFamilies[d.Key] || strings.Contains(call, format.FenceMark) || strings.HasPrefix(call, ">>>") && strings.Contains(text, ">CALL") {
				return
			}
			p := plans[d.Key]
			raw := strings.ReplaceAll(text, "CALL", call)
			if got := play(p.TextParser(), raw, 0, false); deref(got.Content) != want || len(got.Calls) != 1 {
				t.Errorf("%s: %q gives %d calls and %q", d.Key, raw, len(got.Calls), deref(got.Content))
			}
			if k++; k%11 == 0 || os.Getenv("TENON_ALL") != "" {
				checkProperties(t, p, []byte(raw), 6)
			}
		})
	}
}

// Code in a call's arguments is data.
func TestCodeFence_codeInArgumentsIsData(t *testing.T) {
	eachCall(t, func(d *Dialect, call string) {
		p := planFor(t, d, Thinking{Off: true})
		const value = "a `b` ~~~ c"
		raw := "I look.\n```xml\n" + strings.ReplaceAll(call, "Zürich", value) + "\n```"
		got := play(p.TextParser(), raw, 0, false)
		if len(got.Calls) != 1 || got.Calls[0].Arguments.(map[string]any)["city"] != value {
			t.Errorf("%s: %q gives %+v", d.Key, raw, got.Calls)
		}
	})
}
