package families

import (
	"tenon/tools/format"
)

var familySmollm3 = format.Family{
	Key:       "smollm3",
	About:     "SmolLM3",
	Aliases:   []string{"smollm"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}, format.Python{Fence: format.Pair("<code>\n", "\n</code>")}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`xml_tools`, `<tool_call>`},
	Telltales: []string{"assistant named SmolLM"},
}
