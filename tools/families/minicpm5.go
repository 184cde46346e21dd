package families

import (
	"tenon/tools/format"
)

var familyMinicpm5 = format.Family{
	Key:       "minicpm5",
	About:     "MiniCPM5",
	Layout:    format.Layout{Between: "\n", Before: "\n"},
	Codecs:    []format.Syntax{format.ParamTags},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<function name=`, `<param name=`},
}
