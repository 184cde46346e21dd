package tools

var _ = register(family{
	name:      "qwen3.5",
	models:    "Qwen3.5, Qwen3.6, Nemotron 3, StepFun 3.5",
	aliases:   []string{"qwen3.6", "qwen3.8", "nemotron3", "step3.5", "step3p5", "qwen3_xml"},
	call:      span{"<tool_call>", "</tool_call>"},
	layout:    layout{call: "\n", between: "\n", before: "\n\n"},
	codecs:    []codec{functionTags},
	think:     span{"<think>", "</think>"},
	prefilled: true,
	ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	results:   []string{"<tool_response>", "</tool_response>"},
	match:     byOrder,
	signs:     []string{`<tool_call>`, `<function=`, `<parameter=`, `<|im_start|>`, `<think>`},
})
