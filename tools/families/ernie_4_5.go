package families

import (
	"tenon/tools/format"
)

var familyErnie45 = format.Family{
	Key:       "ernie-4.5",
	About:     "ERNIE 4.5",
	Aliases:   []string{"ernie"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Think:     format.Pair("<think>", "</think>"),
	Text:      []string{"<response>", "</response>"},
	Ends:      []string{"<|im_end|>", "<|im_start|>", "</s>"},
	Results:   []string{"<tool_output>", "</tool_output>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<tool_output>`},
}
