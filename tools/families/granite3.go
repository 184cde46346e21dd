package families

import (
	"tenon/tools/format"
)

var familyGranite3 = format.Family{
	Key:       "granite3",
	About:     "Granite 3",
	Aliases:   []string{"granite"},
	Section:   format.Span{Open: "<|tool_call|>"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Think:     format.Pair("<think>", "</think>"),
	Text:      []string{"<response>", "</response>"},
	Ends:      []string{"<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|tool_call|>`, `<|start_of_role|>`},
}
