package families

import (
	"tenon/tools/format"
)

var familyDevstral = format.Family{
	Key:       "devstral",
	About:     "Devstral, Magistral, Ministral 3",
	Aliases:   []string{"magistral", "ministral", "ministral3", "ministral-3", "mistral-v13"},
	Call:      format.Span{Open: "[TOOL_CALLS]"},
	Codecs:    []format.Syntax{format.Named{Separator: "[ARGS]", Splits: []string{"[ARGS]", "[CALL_ID]"}}},
	Think:     format.Pair("[THINK]", "[/THINK]"),
	Ends:      []string{"</s>", "[INST]", "[/INST]"},
	Results:   []string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
	Match:     format.ByOrder,
	Signature: []string{`[TOOL_CALLS]`, `[ARGS]`},
	Absent:    []string{`[CALL_ID]`},
}
