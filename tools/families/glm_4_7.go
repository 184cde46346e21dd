package families

import (
	"tenon/tools/format"
)

var familyGlm47 = format.Family{
	Key:     "glm-4.7",
	About:   "GLM-4.7, GLM-5",
	Aliases: []string{"glm-5"},
	Call:    format.Pair("<tool_call>", "</tool_call>"),
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<arg_key>", "</arg_key>"), Value: "<arg_value>", ArgEnd: "</arg_value>",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Noise:     []string{"[gMASK]", "<sop>"},
	Ends:      []string{"<|user|>", "<|observation|>", "<|assistant|>", "<|system|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<arg_key>`, `<arg_value>`, `<|observation|>`, `clear_thinking`},
}
