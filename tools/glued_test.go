package tools

import (
	"strings"
	"testing"
)

// A closing tag that the end token cuts off, glued on, is no text, and costs no call.
func TestParser_closingTagsThatTheEndTokenCutsOff(t *testing.T) {
	eachCall(t, func(d *Dialect, call string) {
		i := strings.LastIndex(call, "</")
		if i < 0 || !strings.HasSuffix(call, ">") || len(d.Ends) == 0 || strings.ContainsAny(call[i:], " \n") {
			return
		}
		p := planFor(t, d, Thinking{})
		for n := i + len("</"); n < len(call)-1; n++ {
			raw := call[:n] + d.Ends[0]
			if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || deref(got.Content) != "" {
				t.Errorf("%s: %q: %s", d.Key, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	})
}

// Behind an argument, what closes a call between tags may be cut off anywhere, by the end token or
// the text's end, with the family's noise in it or without.
func TestParser_closingTagsCutOffAnywhere(t *testing.T) {
	for _, d := range Families() {
		tg, ok := tagsOf(d)
		if !ok {
			continue
		}
		p := planFor(t, d, Thinking{})
		head := strings.TrimSuffix(tg.call(d, "get_weather", "city", "Rome"), tg.end)
		bare := tg.end
		for _, noise := range d.Noise {
			if strings.Contains(bare, "</") {
				bare = strings.ReplaceAll(bare, noise, "")
			}
		}
		for _, end := range []string{tg.end, bare} {
			for n := range len(end) {
				for _, behind := range []string{"", "\n", d.Ends[0], "\n" + d.Ends[0]} {
					raw := head + end[:n] + behind
					if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || deref(got.Content) != "" {
						t.Errorf("%s: %q: %s", d.Key, raw, sayMessage(got))
					}
					checkProperties(t, p, []byte(raw), 3)
				}
			}
		}
	}
}

// A byte order mark is no text between an object without markers and the end token or the next
// object. Nor is it inside of a step. A space of another script is no text before a label, even
// where its bytes come one by one.
func TestParser_byteOrderMarksBeforeTheEnd(t *testing.T) {
	for family, raw := range map[string]string{
		"llama3":  "{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Rome\"}}\ufeff<|eot_id|>",
		"json":    "{\"tool\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\ufeff<|im_end|>",
		"mistral": "[TOOL_CALLS][{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}]\ufeff</s>",
		"react":   "Action: get_weather\n\ufeffAction Input: {\"city\": \"Rome\"}",
	} {
		d, _ := Lookup(family)
		p := planFor(t, d, Thinking{})
		if got := play(p.TextParser(), raw, 0, false); len(got.Calls) != 1 || deref(got.Content) != "" {
			t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
		}
		checkProperties(t, p, []byte(raw), 3)
		checkProperties(t, p, []byte("\u00a0"+raw), 3)
	}
}

// What has no marker of the family's may be long, too, once it has named a tool.
func TestParser_longCallsOfOthers(t *testing.T) {
	d, _ := Lookup("hermes")
	p := planFor(t, d, Thinking{})
	long := strings.Repeat("a < b and so on. ", 1<<16)
	for _, around := range [][2]string{
		{"Action: write_file\nAction Input: {\"path\": \"a\", \"content\": \"", `"}`},
		{"<write_file>\n<path>a</path>\n<content>", "</content>\n</write_file>"},
		{`[TOOL_CALLS]write_file[ARGS]{"path": "a", "content": "`, `"}`},
		{`[write_file(path="a", content="`, `")]`},
		{"<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n", "\n</parameter>\n</function>"},
	} {
		if got := play(p.TextParser(), around[0]+long+around[1], 1<<10, false); len(got.Calls) != 1 || got.Content != nil {
			t.Errorf("%q: %d calls, text %.60q", around[0], len(got.Calls), deref(got.Content))
		}
	}
}
