package jinja

import (
	"fmt"
	"os"
	"testing"
)

// benchVars is a conversation of 200 messages with 60 tools.
func benchVars(b *testing.B) *Dict {
	var messages []any
	messages = append(messages, map[string]any{"role": "system", "content": "You are a helpful assistant."})
	for i := 0; len(messages) < 200; i++ {
		id := fmt.Sprintf("call%05d", i)
		messages = append(messages,
			map[string]any{"role": "user", "content": fmt.Sprintf("Question %d: what is the weather in the %dth city of the list, and why? Größe.", i, i)},
			map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": id, "type": "function",
				"function": map[string]any{"name": "tool_7", "arguments": map[string]any{"city": "Oslo", "days": 3, "note": "a \"quoted\" text\nwith lines"}}}}},
			map[string]any{"role": "tool", "name": "tool_7", "tool_call_id": id, "content": `{"temp": -3, "sky": "clear", "wind": [1, 2, 3]}`},
			map[string]any{"role": "assistant", "content": "It is cold there because winter has come to the north again, as it does every year."})
	}
	messages = append(messages[:199], map[string]any{"role": "user", "content": "Thanks!"})
	var tools []any
	for i := range 60 {
		properties := map[string]any{}
		for j := range 6 {
			properties[fmt.Sprintf("param_%d", j)] = map[string]any{"type": "string", "description": "What this parameter is good for, said in one sentence."}
		}
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": fmt.Sprintf("tool_%d", i),
			"description": "Does something useful with the things that it is given.",
			"parameters":  map[string]any{"type": "object", "properties": properties, "required": []any{"param_0", "param_1"}}}})
	}
	given := map[string]any{"messages": messages, "tools": tools}
	vars := NewDict()
	for name, v := range given {
		value, err := FromGo(v, Content)
		if err != nil {
			b.Fatal(err)
		}
		vars.Set(name, value)
	}
	vars.Set("add_generation_prompt", Bool(true))
	vars.Set("bos_token", NewString("<s>", Trusted))
	vars.Set("eos_token", NewString("</s>", Trusted))
	return vars
}

// BenchmarkRender renders 200 messages with 60 tools through templates in wide use.
func BenchmarkRender(b *testing.B) {
	for _, name := range []string{
		"Qwen-Qwen3-0.6B", "Qwen3.5-4B", "Qwen3-Coder", "meta-llama-Llama-3.1-8B-Instruct", "microsoft-Phi-3.5-mini-instruct",
		"openai-gpt-oss-120b", "deepseek-ai-DeepSeek-V3.1", "GLM-4.6", "google-gemma-4-31B-it", "moonshotai-Kimi-K2", "ibm-granite-granite-4.0",
	} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile(templatesDir + "/" + name + ".jinja")
			if err != nil {
				b.Skipf("no template %s", name)
			}
			t, err := Parse(string(data))
			if err != nil {
				b.Fatal(err)
			}
			vars := benchVars(b)
			out, err := t.Render(vars, Options{Now: goldenNow})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(out.Text)))
			for b.Loop() {
				if _, err := t.Render(vars, Options{Now: goldenNow}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
