package tools

var _ = register(family{
	name:    "kimi-k2",
	models:  "Kimi K2, K2 Thinking",
	aliases: []string{"kimi"},
	section: span{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"},
	call:    span{"<|tool_call_begin|>", "<|tool_call_end|>"},
	codecs: []codec{namedCodec{
		before: "functions.", index: true, separator: "<|tool_call_argument_begin|>",
		splits: []string{"<|tool_call_argument_begin|>"},
	}},
	think: span{"<think>", "</think>"},
	ends:  []string{"<|im_end|>", "[EOT]", "[EOS]", "[BOS]", "<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>"},
	id:    idIndexed,
	noise: []string{"<|tool_call_section_begin|>", "<|tool_call_section_end|>"}, // so spelt by some checkpoints: vLLM's kimi_k2 parser
	match: byOrder,
	signs: []string{`<|tool_call_argument_begin|>`},
})
