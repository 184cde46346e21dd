package tools

import (
	"strings"
	"testing"

	"tenon/tools/parse"
)

// A token of four bytes must cost less than 2 µs (issue 6), whatever it is part of. ns/op is per
// token.
func BenchmarkParser_token(b *testing.B) {
	for _, c := range []struct{ name, family, head, unit string }{
		{"text", "hermes", "", "plain words, <b>tags</b> and code. "},
		{"thinking", "hermes", "<think>", "plain words, <b>tags</b> and code. "},
		{"json-argument", "hermes", `<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "`, `x = f(y) + 1\n`},
		{"tagged-argument", "qwen3-coder", "<tool_call>\n<function=write_file>\n<parameter=content>\n", "if a < b && c > d {\n"},
		{"undecided-tags", "qwen3-coder", "<tool_call>\n<function=write_file>\n<parameter=content>\n", "</parameter> "},
		{"openers", "hermes", "", "<tool_call>"},
		{"brackets", "llama3", "", "{["},
		{"names", "kimi-k2", "", "get_weather of functions.get_time: "},
		{"white-space", "gpt-oss", "<|channel|>", "    "},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := Lookup(c.family)
			plan := planFor(b, d, Thinking{})
			text := []byte(strings.Repeat(c.unit, 64<<10/len(c.unit)))
			b.ReportAllocs()
			p, at := plan.TextParser(), 0
			p.Token([]byte(c.head), false)
			for b.Loop() {
				if at+4 > len(text) {
					b.StopTimer()
					p, at = plan.TextParser(), 0
					p.Token([]byte(c.head), false)
					b.StartTimer()
				}
				p.Token(text[at:at+4], false)
				at += 4
			}
		})
	}
}

// The same for the parser that follows the grammar.
func BenchmarkCaptures_token(b *testing.B) {
	for _, c := range []struct{ name, family, head, unit string }{
		{"text", "hermes", "", "plain words, <b>tags</b> and code. "},
		{"thinking", "hermes", "<think>", "plain words, <b>tags</b> and code. "},
		{"json-argument", "hermes", "<tool_call>\n" + `{"name": "write_file", "arguments": {"path": "a", "content": "`, `x = f(y) + 1\n`},
		{"tagged-argument", "qwen3-coder", "<tool_call>\n<function=write_file>\n<parameter=content>\n", "if a < b && c > d {\n"},
		{"dictionary-argument", "gemma4", `<|tool_call>call:write_file{content:<|"|>`, "if a < b && c > d {\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := Lookup(c.family)
			plan := planFor(b, d, Thinking{})
			text := []byte(strings.Repeat(c.unit, 64<<10/len(c.unit)))
			b.ReportAllocs()
			p, at := plan.Parser(), 0
			p.Token([]byte(c.head), false)
			for b.Loop() {
				if at+4 > len(text) {
					b.StopTimer()
					p, at = plan.Parser(), 0
					p.Token([]byte(c.head), false)
					b.StartTimer()
				}
				p.Token(text[at:at+4], false)
				at += 4
			}
			if p.(*parse.Constrained).Rest != nil {
				b.Fatal("left the grammar")
			}
		})
	}
}
