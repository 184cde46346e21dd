package tools

import (
	"os"
	"strings"
	"testing"

	"tenon/tools/peek"
)

// worked is how many bytes a parser looks at to read a text that comes in pieces of 16 bytes.
func worked(p Parser, text string) (n int) {
	peek.Examined = func(bytes int) { n += bytes }
	defer func() { peek.Examined = nil }()
	feed(p, text, 16)
	p.Close(false)
	return n
}

// hostileUnits are what a text may repeat that is hard on a family's parser: each of its markers,
// alone and before what calls begin with.
func hostileUnits(d *Dialect) []string {
	all := []string{
		"<", "[", "{", "`", "```", "```json\n{", "{\"name\": \"get_weather\", ", "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a", "[{\"name\": \"", "\n", " ", "\"", "\\\"",
		"<function=get_weather>", "<function=get_weather>\n<parameter=city>\n", "<invoke name=\"get_weather\">", "get_weather(", "get_weather(city=\"", "Action: get_weather\n", "`get_weather`", "<tool_call>", "<tools>{\"name\": ",
	}
	for _, m := range d.Markers() {
		for _, behind := range []string{"", "get_weather", "get_weather\n", " ", "{", "{\"name\": \"get_weather\"", "\"", "<city>"} {
			all = append(all, m+behind)
		}
	}
	return all
}

// Property 4 of issue 6: what a byte costs does not grow with the text, whatever is repeated in
// it.
func TestWork_growsWithTheTextAndNoFaster(t *testing.T) {
	const size = 4 << 10
	worst, at := 0.0, ""
	for i, d := range Families() {
		p := planFor(t, d, Thinking{})
		for k, unit := range hostileUnits(d) {
			if os.Getenv("TENON_ALL") == "" && (i+k)%29 != 0 {
				continue
			}
			text := strings.Repeat(unit, 1+4*size/len(unit))
			less, more := worked(p.TextParser(), text[:size]), worked(p.TextParser(), text[:4*size])
			ratio := float64(more) / float64(less)
			if ratio > worst && more > 1<<16 {
				worst, at = ratio, d.Key+" "+unit
			}
			if ratio > 5.5 && more > 64*4*size {
				t.Errorf("%s: %q: %d bytes are looked at in %d, %d in %d: %.1f times", d.Key, unit, less, size, more, 4*size, ratio)
			}
		}
	}
	t.Logf("at worst %.2f times the work for 4 times the text, of %q", worst, at)
}

// A call of a megabyte is read in every way of writing calls, in work that grows with it and no
// faster (S1-19). By default it is a quarter of one.
func TestWork_callsOfAMegabyte(t *testing.T) {
	big := 1 << 18
	if os.Getenv("TENON_LONG") != "" {
		big = 1 << 20
	}
	line := "if a[i] < b && c > d { return \\\"x\\\" } // ü\\n"
	plain := "if a[i] < b && c > d { return 1 } // ü\n"
	inJSON, asText := strings.Repeat(line, big/len(line)), strings.Repeat(plain, big/len(plain))
	for _, c := range []struct{ family, head, value, tail string }{
		{"json", `{"tool": "write_file", "arguments": {"path": "a", "content": "`, inJSON, `"}}`},
		{"json", "```json\n" + `{"tool": "write_file", "arguments": {"path": "a", "content": "`, inJSON, "\"}}\n```"},
		{"hermes", "<tool_call>\n" + `{"name": "write_file", "arguments": {"path": "a", "content": "`, inJSON, "\"}}\n</tool_call>"},
		{"react", "Thought: x\nAction: write_file\nAction Input: " + `{"path": "a", "content": "`, inJSON, `"}`},
		{"devstral", `[TOOL_CALLS]write_file[ARGS]{"path": "a", "content": "`, inJSON, `"}`},
		{"gpt-oss", `<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>{"path": "a", "content": "`, inJSON, `"}<|call|>`},
		{"lfm2", `<|tool_call_start|>[write_file(path="a", content="`, inJSON, `")]<|tool_call_end|>`},
		{"qwen3-coder", "<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n", asText, "\n</parameter>\n</function>\n</tool_call>"},
		{"glm-4.5", "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n<arg_key>content</arg_key>\n<arg_value>", asText, "</arg_value>\n</tool_call>"},
		{"minimax-m3", "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"write_file\">\n]<]minimax[>[<path>a]<]minimax[>[</path>\n]<]minimax[>[<content>", asText, "]<]minimax[>[</content>\n]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>"},
		{"gemma4", `<|tool_call>call:write_file{path:<|"|>a<|"|>,content:<|"|>`, asText, `<|"|>}<tool_call|>`},
	} {
		d, _ := Lookup(c.family)
		p := planFor(t, d, Thinking{})
		text := c.head + c.value + c.tail
		n := worked(p.TextParser(), text)
		if got := play(p.TextParser(), text, 1<<12, false); len(got.Calls) != 1 || got.Content != nil {
			t.Errorf("%s: %d calls, text %.80q", c.family, len(got.Calls), deref(got.Content))
		}
		if n > 64*len(text) {
			t.Errorf("%s: %d bytes are looked at in %d", c.family, n, len(text))
		}
	}
}
