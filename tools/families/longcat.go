package families

import (
	"tenon/tools/format"
)

var familyLongcat = format.Family{
	Key:    "longcat",
	About:  "LongCat",
	Call:   format.Pair("<longcat_tool_call>", "</longcat_tool_call>"),
	Layout: format.Layout{Call: "\n", Between: "\n"},
	Codecs: []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}, format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<longcat_arg_key>", "</longcat_arg_key>"), Value: "<longcat_arg_value>", ArgEnd: "</longcat_arg_value>",
	}},
	Think:     format.Pair("<longcat_think>", "</longcat_think>"),
	Ends:      []string{"</longcat_s>", "<longcat_s>"},
	Results:   []string{"<longcat_tool_response>", "</longcat_tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<longcat_tool_call>`},
}
