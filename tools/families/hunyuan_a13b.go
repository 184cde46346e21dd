package families

import (
	"tenon/tools/format"
)

var familyHunyuanA13b = format.Family{
	Key:       "hunyuan-a13b",
	About:     "Hunyuan A13B",
	Aliases:   []string{"hunyuan"},
	Section:   format.Pair("<tool_calls>", "</tool_calls>"),
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Think:     format.Pair("<think>", "</think>"),
	Text:      []string{"<answer>", "</answer>"},
	Ends:      []string{"<|eos|>", "<|startoftext|>", "<|extra_0|>"},
	Results:   []string{"<tool_responses>", "</tool_responses>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_calls>`, `<tool_responses>`},
}
