package families

import (
	"tenon/tools/format"
)

var familyJamba = format.Family{
	Key:       "jamba",
	About:     "Jamba",
	Section:   format.Pair("<tool_calls>", "</tool_calls>"),
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Ends:      []string{"<|eom|>", "<|bom|>", "<|endoftext|>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_calls>`, `<|bom|>`},
}
