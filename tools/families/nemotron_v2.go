package families

import (
	"tenon/tools/format"
)

var familyNemotronV2 = format.Family{
	Key:       "nemotron-v2",
	About:     "Nemotron Nano v2",
	Aliases:   []string{"nemotron", "nemotron-nano-v2"},
	Section:   format.Pair("<TOOLCALL>", "</TOOLCALL>"),
	Layout:    format.Layout{Before: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Ends:      []string{"<SPECIAL_10>", "<SPECIAL_11>", "<SPECIAL_12>"},
	Results:   []string{"<TOOL_RESPONSE>", "</TOOL_RESPONSE>"},
	Match:     format.ByOrder,
	Signature: []string{`<TOOLCALL>`},
}
