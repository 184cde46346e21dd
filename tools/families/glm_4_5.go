package families

import (
	"tenon/tools/format"
)

var familyGlm45 = format.Family{
	Key:     "glm-4.5",
	About:   "GLM-4.5, GLM-4.6",
	Aliases: []string{"glm", "glm-4.6", "glm4", "glm4_moe"},
	Call:    format.Pair("<tool_call>", "</tool_call>"),
	Layout:  format.Layout{Between: "\n", Before: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<arg_key>", "</arg_key>"), Value: "<arg_value>", ArgEnd: "</arg_value>",
		Between: "\n",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Noise:     []string{"[gMASK]", "<sop>"},
	Ends:      []string{"<|user|>", "<|observation|>", "<|assistant|>", "<|system|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<arg_key>`, `<arg_value>`, `<|observation|>`},
	Absent:    []string{`clear_thinking`},
}
