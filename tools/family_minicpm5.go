package tools

var _ = register(family{
	name:    "minicpm5",
	models:  "MiniCPM5",
	layout:  layout{between: "\n", before: "\n"},
	codecs:  []codec{paramTags},
	think:   span{"<think>", "</think>"},
	ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	results: []string{"<tool_response>", "</tool_response>"},
	match:   byOrder,
	signs:   []string{`<function name=`, `<param name=`},
})
