package tools

var _ = register(family{
	name:    "qwen3-coder",
	models:  "Qwen3-Coder",
	call:    span{"<tool_call>", "</tool_call>"},
	layout:  layout{call: "\n", between: "\n", before: "\n\n"},
	codecs:  []codec{functionTags},
	think:   span{"<think>", "</think>"},
	ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	results: []string{"<tool_response>", "</tool_response>"},
	match:   byOrder,
	signs:   []string{`<tool_call>`, `<function=`, `<parameter=`, `<|im_start|>`},
	absent:  []string{`<think>`},
})
