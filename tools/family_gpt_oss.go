package tools

var _ = register(family{
	name:    "gpt-oss",
	models:  "gpt-oss (OpenAI harmony)",
	aliases: []string{"harmony", "openai", "gptoss"},
	codecs:  []codec{jsonCodec{nameKey: "name", argsKey: "arguments"}},
	headers: &headers{
		open: []string{"<|start|>", "<|channel|>"}, close: "<|message|>", inside: []string{"<|constrain|>"},
		starts:   []string{"assistant", "analysis", "commentary", "final"},
		thinking: []string{"analysis"}, texts: []string{"user"}, several: []string{"multi_tool_use.parallel", "multi_tool_use"},
		call: " to=functions.%s<|channel|>commentary json<|message|>", thought: "<|channel|>analysis<|message|>", text: "<|channel|>final<|message|>", preamble: "<|channel|>commentary<|message|>", between: "<|end|><|start|>assistant",
	},
	ends:    []string{"<|call|>", "<|end|>", "<|return|>", "<|endoftext|>"},
	match:   byName,
	oneCall: true,
	signs:   []string{`<|channel|>`, `<|message|>`, `commentary`},
})
