package families

import (
	"tenon/tools/format"
)

var familyMinimaxM1 = format.Family{
	Key:       "minimax-m1",
	About:     "MiniMax M1",
	Section:   format.Pair("<tool_calls>", "</tool_calls>"),
	Layout:    format.Layout{Section: "\n", Between: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<end_of_sentence>", "<beginning_of_sentence>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_calls>`, `<beginning_of_sentence>`},
}
