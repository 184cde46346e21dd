package families

import (
	"tenon/tools/format"
)

var familyLing3 = format.Family{
	Key:     "ling3",
	About:   "Ling 3, Ring (Bailing)",
	Aliases: []string{"ling", "bailing"},
	Call:    format.Pair("<tool_call>", "</tool_call>"),
	Layout:  format.Layout{Between: "\n", Before: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<arg_key>", "</arg_key>"), Value: "<arg_value>", ArgEnd: "</arg_value>",
		Between: "\n",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|role_end|>", "<role>", "</role>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<arg_key>`, `<arg_value>`, `<role>`},
}
