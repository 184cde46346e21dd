package families

import (
	"tenon/tools/format"
)

var familyFirefunctionV2 = format.Family{
	Key:       "firefunction-v2",
	About:     "FireFunction v2",
	Aliases:   []string{"firefunction"},
	Layout:    format.Layout{Before: " "},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Cues:      []format.Cue{{Text: "functools", Codec: format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}}},
	Ends:      []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"},
	Match:     format.ByOrder,
	Signature: []string{`functools[`},
}
