package families

import (
	"tenon/tools/format"
)

var familyKimiK2 = format.Family{
	Key:     "kimi-k2",
	About:   "Kimi K2, K2 Thinking",
	Aliases: []string{"kimi"},
	Section: format.Pair("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
	Call:    format.Pair("<|tool_call_begin|>", "<|tool_call_end|>"),
	Codecs: []format.Syntax{format.Named{
		Before: "functions.", Index: true, Separator: "<|tool_call_argument_begin|>",
		Splits: []string{"<|tool_call_argument_begin|>"},
	}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "[EOT]", "[EOS]", "[BOS]", "<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>"},
	Id:        format.IdIndexed,
	Noise:     []string{"<|tool_call_section_begin|>", "<|tool_call_section_end|>"}, // so spelt by some checkpoints: vLLM's kimi_k2 parser
	Match:     format.ByOrder,
	Signature: []string{`<|tool_call_argument_begin|>`},
}
