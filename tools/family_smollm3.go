package tools

var _ = register(family{
	name:    "smollm3",
	models:  "SmolLM3",
	aliases: []string{"smollm"},
	call:    span{"<tool_call>", "</tool_call>"},
	layout:  layout{call: "\n", between: "\n"},
	codecs:  []codec{jsonCodec{nameKey: "name", argsKey: "arguments"}, pythonicCodec{fence: span{"<code>\n", "\n</code>"}}},
	think:   span{"<think>", "</think>"},
	ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	results: []string{"<tool_response>", "</tool_response>"},
	match:   byOrder,
	signs:   []string{`xml_tools`, `<tool_call>`},
	named:   []string{"assistant named SmolLM"},
})
