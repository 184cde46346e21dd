package families

import (
	"tenon/tools/format"
)

// LongCat Flash Lite and Flash Thinking of 2026 write each argument between tags; the first Flash Chat wrote JSON.
var familyLongcatFlash = format.Family{
	Key:     "longcat-flash",
	About:   "LongCat Flash Lite, Flash Thinking 2601",
	Aliases: []string{"longcat-2"},
	Call:    format.Pair("<longcat_tool_call>", "</longcat_tool_call>"),
	Layout:  format.Layout{Between: "\n", Before: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<longcat_arg_key>", "</longcat_arg_key>"), Value: "<longcat_arg_value>", ArgEnd: "</longcat_arg_value>",
		Between: "\n",
	}},
	Think:     format.Pair("<longcat_think>", "</longcat_think>"),
	Ends:      []string{"</longcat_s>", "<longcat_s>"},
	Results:   []string{"<longcat_tool_response>", "</longcat_tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<longcat_tool_call>`, `<longcat_arg_key>`},
}
