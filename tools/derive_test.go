package tools

import (
	"strings"
	"testing"

	"tenon/templates/canonical"
)

// accepts tells whether a turn's grammar accepts a text.
func accepts(t *testing.T, p *Plan, raw string) {
	t.Helper()
	m := compiled(t, p).Matcher(nil)
	if err := m.AcceptBytes([]byte(raw)); err != nil || !m.Done() {
		t.Errorf("the grammar refuses %q: %v\n%s", raw, err, p.Grammar())
	}
}

// Formats of no known family, as a probe renders a call of zqtool in them, and a call that a model
// writes accordingly.
func TestDetect_derivesADialectFromARenderedCall(t *testing.T) {
	for name, c := range map[string]struct{ rendering, raw string }{
		"object in tags":    {"<call>\n{\"fn\": \"zqtool\", \"with\": {\"zqkey\": \"zqvalue\"}}\n</call><|im_end|>", "Yes.\n<call>\n{\"fn\": \"get_weather\", \"with\": {\"city\": \"Rome\"}}\n</call>"},
		"array in brackets": {"[CALLS] [{\"name\": \"zqtool\", \"arguments\": {\"zqkey\": \"zqvalue\"}}][/CALLS]", "Yes.[CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}][/CALLS]"},
		"name before JSON":  {"<|fn|>zqtool<|with|>{\"zqkey\": \"zqvalue\"}<|/fn|>", "Yes.<|fn|>get_weather<|with|>{\"city\": \"Rome\"}<|/fn|>"},
		"python list":       {"[zqtool(zqkey=\"zqvalue\")]<|im_end|>", "Yes. [get_weather(city=\"Rome\")]"},
		"python in tags":    {"<py>\n[zqtool(zqkey='zqvalue')]\n</py>", "Yes.\n<py>\n[get_weather(city=\"Rome\")]\n</py>"},
		"python lines":      {"<calls>\nzqtool(zqkey=\"zqvalue\")\n</calls>", "Yes.<calls>\nget_weather(city=\"Rome\")\n</calls>"},
		"python bare":       {"\nzqtool(zqkey=\"zqvalue\")<|im_end|>", "Yes.\nget_weather(city=\"Rome\")"},
		"python fenced":     {"```tool_code\nzqtool(zqkey=\"zqvalue\")\n```", "Yes.\n```tool_code\nget_weather(city=\"Rome\")\n```"},
		"JSON fenced":       {"```json\n{\"name\": \"zqtool\", \"arguments\": {\"zqkey\": \"zqvalue\"}}\n```<|im_end|>", "Yes.\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n```"},
		"python and colons": {"<tool>zqtool(zqkey: \"zqvalue\")</tool>", "Yes.<tool>get_weather(city: \"Rome\")</tool>"},
		"python mapping":    {"<tool>zqtool({\"zqkey\": \"zqvalue\"})</tool>", "Yes.<tool>get_weather({\"city\": \"Rome\"})</tool>"},
		"python printed":    {"<tool>print(zqtool(zqkey=\"zqvalue\"))</tool>", "Yes.<tool>print(get_weather(city=\"Rome\"))</tool>"},
		"a word and python": {"Action: zqtool(zqkey=\"zqvalue\")", "Yes.\nAction: get_weather(city=\"Rome\")"},
		"a word and JSON":   {"Tool: {\"name\": \"zqtool\", \"args\": {\"zqkey\": \"zqvalue\"}}", "Yes.\nTool: {\"name\": \"get_weather\", \"args\": {\"city\": \"Rome\"}}"},
		"name and object":   {"zqtool {\"zqkey\": \"zqvalue\"}", "Yes.\nget_weather {\"city\": \"Rome\"}"},
		"a word before":     {"CALL zqtool {\"zqkey\": \"zqvalue\"}", "Yes.\nCALL get_weather {\"city\": \"Rome\"}"},
		"double brackets":   {"<<do zqtool>>\n<<set zqkey>>zqvalue<<done>>\n<<end>>", "Yes.<<do get_weather>>\n<<set city>>Rome<<done>>\n<<end>>"},
		"tags":              {"<do>\n<tool name=\"zqtool\">\n<arg name=\"zqkey\">zqvalue</arg>\n</tool>\n</do>", "Yes.\n<do>\n<tool name=\"get_weather\">\n<arg name=\"city\">Rome</arg>\n</tool>\n</do>"},
	} {
		t.Run(name, func(t *testing.T) {
			d := Detect(Evidence{Template: "unknown", Shown: Shown{Call: c.rendering}})
			if d.Name() != "derived" {
				t.Fatal(d.Name())
			}
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || deref(got.Content) != "Yes." {
				t.Errorf("%+v, content %q", got.Calls, deref(got.Content))
			}
			accepts(t, p, c.raw)
			checkProperties(t, p, []byte(c.raw), 1)
		})
	}
	d := Detect(Evidence{Template: "unknown", Shown: Shown{Call: strings.Repeat("x", 10)}})
	if d.Name() != "json" {
		t.Errorf("%s: a rendering without a call must fall back to tenon's own format", d.Name())
	}
}

// Lines of labels, as in ReAct, are read and written as the template has them: one call or two,
// with text before them or without.
func TestDetect_linesOfLabels(t *testing.T) {
	for name, call := range map[string]string{
		"colons":    "Tool: %n\nArguments: %a",
		"ReAct":     "Action: %n\nAction Input: %a",
		"arrows":    "Call> %n\nArgs> %a",
		"one line":  "Tool: %n Arguments: %a",
		"one label": "Call> %n %a",
		"bold":      "**Tool:** %n\n**Arguments:** %a",
		"heading":   "### Call\nTool: %n\nArguments: %a",
		"next line": "Call:\n%n\n%a",
		"closed":    "Tool: %n\nArguments: %a\nDone.",
		"fenced":    "Tool: %n\n```json\n%a\n```",
	} {
		with := func(name, args string) string {
			return "\n" + strings.NewReplacer("%n", name, "%a", args).Replace(call)
		}
		one, other := with(canonical.Tool, `{"zqkey": "zqvalue"}`), with(canonical.Other, `{"zqkey": "zqvalue"}`)
		b := Bind(Evidence{Template: "unknown", Shown: Shown{
			Generation: "<a>\n", TurnEnd: "</a>", Answer: "<a>\n" + canonical.Text + "</a>", Call: "<a>\n" + one + "</a>",
			TwoCalls: "<a>\n" + one + other + "</a>", TextCall: "<a>\n" + canonical.Text + one + "</a>",
		}})
		if b.Dialect.Key != "derived" || !b.Exact {
			t.Errorf("%s: %s, exactly %v: %v", name, b.Dialect.Key, b.Exact, b.Tried)
			continue
		}
		p := planFor(t, &Dialect{b.Dialect}, Thinking{})
		rome, now := with("get_weather", `{"city": "Rome"}`), with("get_time", `{}`)
		for raw, want := range map[string]int{rome: 1, "Yes." + rome: 1, "Yes." + rome + now: 2, "Yes." + with("launch", `{}`): 0, "Yes." + with("get_weather", "") + "\nand wait.": 0} {
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != want || want > 0 && strings.Trim(deref(got.Content), "Yes.") != "" {
				t.Errorf("%s: %q became %s", name, raw, sayMessage(got))
			}
			if want > 0 {
				accepts(t, p, raw)
			}
			checkProperties(t, p, []byte(raw), 1)
		}
	}
}

// A template renders turns from their header to their end: neither is a part of the calls.
func TestDetect_whatStandsAroundATurnIsNoPartOfItsCalls(t *testing.T) {
	for name, c := range map[string]struct{ start, call, end, raw string }{
		"doubled brackets": {"<|bot|>", `<<invoke>>zqtool<<with>>{"zqkey": "zqvalue"}<<done>>`, "<|eot|>", `Yes.<<invoke>>get_weather<<with>>{"city": "Rome"}<<done>><|eot|>`},
		"no tags":          {"@a ", `@calls[{"fn": "zqtool", "kw": {"zqkey": "zqvalue"}}]`, "@end", `Yes.@calls[{"fn": "get_weather", "kw": {"city": "Rome"}}]@end`},
		"tags in tags": {"<|im_start|>assistant\n", "<do>\n<name>zqtool</name>\n<args>{\"zqkey\": \"zqvalue\"}</args>\n</do>", "<|im_end|>\n",
			"Yes.\n<do>\n<name>get_weather</name>\n<args>{\"city\": \"Rome\"}</args>\n</do><|im_end|>"},
		"attributes": {"<a>", `<call tool="zqtool"><arg key="zqkey">zqvalue</arg></call>`, "</a>", `Yes.<call tool="get_weather"><arg key="city">Rome</arg></call></a>`},
	} {
		t.Run(name, func(t *testing.T) {
			d := Detect(Evidence{Template: "unknown", Shown: Shown{
				Generation: c.start, TurnEnd: c.end, Call: c.start + c.call + c.end, TextCall: c.start + canonical.Text + c.call + c.end, Answer: c.start + canonical.Text + c.end,
			}})
			if d.Name() != "derived" {
				t.Fatal(d.Name())
			}
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || deref(got.Content) != "Yes." {
				t.Errorf("%+v, content %q", got.Calls, deref(got.Content))
			}
			compiled(t, p)
			checkProperties(t, p, []byte(c.raw), 1)
		})
	}
}

// Calls that nothing reads give no dialect, rather than one that takes brackets and words out of
// text or loses calls.
func TestDetect_whatNothingReadsIsNotDerived(t *testing.T) {
	for name, rendering := range map[string]string{
		"shell":         "$ zqtool --zqkey=zqvalue",
		"shell in tags": "<sh>zqtool --zqkey \"zqvalue\"</sh>",
		"lines":         "@call zqtool\n  zqkey: \"zqvalue\"\n@end",
		"elements":      "<zqtool><zqkey>zqvalue</zqkey></zqtool>",
		"attributes":    "<call name=\"zqtool\" zqkey=\"zqvalue\"/>",
		"positional":    "zqtool(\"zqvalue\")",
	} {
		d := Detect(Evidence{Template: "unknown", Shown: Shown{Call: rendering, TextCall: "zqtext\n" + rendering}})
		if d.Name() != "json" {
			t.Errorf("%s: %s, want tenon's own format", name, d.Name())
		}
	}
}

// What two calls in a turn look like says what stands around each and what around all.
func TestDetect_twoCallsShowWhatStandsAroundAll(t *testing.T) {
	call := func(name, args string) string { return `{"name": "` + name + `", "args": ` + args + `}` }
	for one, two := range map[string]string{
		"<a>%1</a>":        "<a>%1</a>\n<a>%2</a>",
		"<a>\n%1\n</a>":    "<a>\n%1\n%2\n</a>",
		"<a><b>%1</b></a>": "<a><b>%1</b><b>%2</b></a>",
		"<a> [%1]</a>":     "<a> [%1, %2]</a>",
	} {
		const args = `{"zqkey": "zqvalue"}`
		d := Detect(Evidence{Template: "unknown", Shown: Shown{
			Call:     strings.Replace(one, "%1", call(canonical.Tool, args), 1),
			TwoCalls: strings.NewReplacer("%1", call(canonical.Tool, args), "%2", call(canonical.Other, args)).Replace(two),
		}})
		if d.Name() != "derived" {
			t.Errorf("%s: %v", two, d.Name())
			continue
		}
		p := planFor(t, d, Thinking{})
		raw := strings.NewReplacer("%1", call("get_weather", `{"city": "Rome"}`), "%2", call("get_time", "{}")).Replace(two)
		if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 2 || got.Content != nil {
			t.Errorf("%s: %d calls, content %q", two, len(got.Calls), deref(got.Content))
		}
		accepts(t, p, raw)
	}
}

// A model whose template knows no thinking is not offered any; what it thinks nevertheless is read
// as such.
func TestDetect_derivedDialectsThinkAsTheTemplateDoes(t *testing.T) {
	for template, want := range map[string]bool{"unknown": false, "{{ '<think>' }}": true} {
		d := Detect(Evidence{Template: template, Shown: Shown{Call: "<py>[zqtool(zqkey=\"zqvalue\")]</py>"}})
		if d.Name() != "derived" {
			t.Fatal(d.Name())
		}
		p := planFor(t, d, Thinking{})
		if got := compiled(t, p).Matcher(nil).AcceptBytes([]byte("<think>x</think>y")) == nil; got != want {
			t.Errorf("%s: thinking is offered: %v, want %v", template, got, want)
		}
		if m := play(p.TextParser(), "<think>x</think>y", 0, false); deref(m.Reasoning) != "x" || deref(m.Content) != "y" {
			t.Errorf("%s: thinking %q, text %q", template, deref(m.Reasoning), deref(m.Content))
		}
	}
}

// A code fence is common in text: no format has it as a marker, which text would lose.
func TestDetect_aCodeFenceIsNoMarker(t *testing.T) {
	for _, open := range []string{"```json", "```tool", "```"} {
		call := open + "\n{\"name\": \"zqtool\", \"arguments\": {\"zqkey\": \"zqvalue\"}}\n```"
		other := strings.Replace(call, canonical.Tool, canonical.Other, 1)
		d := Detect(Evidence{Template: "unknown", Shown: Shown{Call: call + "<|im_end|>", TwoCalls: call + "\n" + other + "<|im_end|>", TextCall: canonical.Text + "\n" + call + "<|im_end|>"}})
		for _, m := range d.Markers() {
			if strings.Contains(m, "```") {
				t.Errorf("%s: %q is a marker", open, m)
			}
		}
		p := planFor(t, d, Thinking{})
		raw := strings.NewReplacer(canonical.Tool, "get_weather", "zqkey", "city", "zqvalue", "Rome").Replace("Yes.\n" + call)
		if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || deref(got.Content) != "Yes." {
			t.Errorf("%s: %+v, content %q", open, got.Calls, deref(got.Content))
		}
		code := "Code:\n```js\nif (a) {\n  b()\n}\n```\nDone."
		if got := play(p.TextParser(), code, 0, false); deref(got.Content) != code {
			t.Errorf("%s: %q became %q", open, code, deref(got.Content))
		}
		compiled(t, p)
		checkProperties(t, p, []byte(raw), 1)
	}
}
