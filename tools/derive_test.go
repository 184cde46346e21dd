package tools

import (
	"strings"
	"testing"

	"tenon/grammar"
)

// Formats of no known family, as a probe renders a call of zqtool in them, and a call that a model writes accordingly.
func TestDetect_derivesADialectFromARenderedCall(t *testing.T) {
	for name, c := range map[string]struct{ rendering, raw string }{
		"object in tags":    {"<call>\n{\"fn\": \"zqtool\", \"with\": {\"zqkey\": \"zqvalue\"}}\n</call><|im_end|>", "Yes.\n<call>\n{\"fn\": \"get_weather\", \"with\": {\"city\": \"Rome\"}}\n</call>"},
		"array in brackets": {"[CALLS] [{\"name\": \"zqtool\", \"arguments\": {\"zqkey\": \"zqvalue\"}}][/CALLS]", "Yes.[CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}][/CALLS]"},
		"name before JSON":  {"<|fn|>zqtool<|with|>{\"zqkey\": \"zqvalue\"}<|/fn|>", "Yes.<|fn|>get_weather<|with|>{\"city\": \"Rome\"}<|/fn|>"},
		"tags":              {"<do>\n<tool name=\"zqtool\">\n<arg name=\"zqkey\">zqvalue</arg>\n</tool>\n</do>", "Yes.\n<do>\n<tool name=\"get_weather\">\n<arg name=\"city\">Rome</arg>\n</tool>\n</do>"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Detect(Evidence{Template: "unknown", Renderings: []string{c.rendering}})
			if err != nil || d.Name() != "derived" {
				t.Fatalf("%v, %v", d.Name(), err)
			}
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), c.raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || deref(got.Content) != "Yes." {
				t.Errorf("%+v, content %q", got.Calls, deref(got.Content))
			}
			if _, err := grammar.Parse(p.Grammar(), grammar.Options{}); err != nil {
				t.Error(err)
			}
			checkProperties(t, p, []byte(c.raw), 1)
		})
	}
	d, err := Detect(Evidence{Template: "unknown", Renderings: []string{strings.Repeat("x", 10)}})
	if err != nil || d.Name() != "json" {
		t.Errorf("%s, %v: a rendering without a call must fall back to tenon's own format", d.Name(), err)
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
			d, err := Detect(Evidence{Template: "unknown", Renderings: []string{
				c.start + c.call + c.end, c.start + probeText + c.call + c.end, c.start + probeText + c.end,
			}})
			if err != nil || d.Name() != "derived" {
				t.Fatalf("%v, %v", d.Name(), err)
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
