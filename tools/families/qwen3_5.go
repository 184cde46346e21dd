package families

import (
	"tenon/tools/format"
)

var familyQwen35 = format.Family{
	Key:       "qwen3.5",
	About:     "Qwen3.5, Qwen3.6, Nemotron 3, StepFun 3.5",
	Aliases:   []string{"qwen3.6", "qwen3.8", "nemotron3", "step3.5", "step3p5", "qwen3_xml"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n", Before: "\n\n"},
	Codecs:    []format.Syntax{format.FunctionTags},
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<function=`, `<parameter=`, `<|im_start|>`, `<think>`},
}
