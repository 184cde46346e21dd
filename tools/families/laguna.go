package families

import (
	"tenon/tools/format"
)

var familyLaguna = format.Family{
	Key:     "laguna",
	About:   "Laguna (poolside), Spark 2.5",
	Aliases: []string{"poolside", "poolside_v1", "spark2.5"},
	Call:    format.Pair("<tool_call>", "</tool_call>"),
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true,
		Arg:       format.Pair("<arg_key>", "</arg_key>"), Value: "<arg_value>", ArgEnd: "</arg_value>",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Ends:      []string{"<assistant>", "</assistant>", "<user>", "</user>", "<system>", "</system>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<arg_key>`, `<arg_value>`, `</assistant>`},
}
