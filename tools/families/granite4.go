package families

import (
	"tenon/tools/format"
)

var familyGranite4 = format.Family{
	Key:       "granite4",
	About:     "Granite 4",
	Aliases:   []string{"granite-4.0", "granite-4.1"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n", Before: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Ends:      []string{"<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<|start_of_role|>`},
	Absent:    []string{`<|tool_call|>`},
}
