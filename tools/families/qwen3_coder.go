package families

import (
	"tenon/tools/format"
)

var familyQwen3Coder = format.Family{
	Key:       "qwen3-coder",
	About:     "Qwen3-Coder",
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n", Before: "\n\n"},
	Codecs:    []format.Syntax{format.FunctionTags},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<function=`, `<parameter=`, `<|im_start|>`},
	Absent:    []string{`<think>`},
}
