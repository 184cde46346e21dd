package families

import (
	"tenon/tools/format"
)

var familyMistralSmall = format.Family{
	Key:       "mistral-small",
	About:     "Mistral Small 3.2",
	Aliases:   []string{"mistral-small-3.2"},
	Call:      format.Span{Open: "[TOOL_CALLS]"},
	Codecs:    []format.Syntax{format.Named{Separator: "[ARGS]", IdMark: "[CALL_ID]", Splits: []string{"[ARGS]", "[CALL_ID]"}}},
	Think:     format.Pair("[THINK]", "[/THINK]"),
	Ends:      []string{"</s>", "[INST]", "[/INST]"},
	Results:   []string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
	Id:        format.IdNine,
	Match:     format.ByID,
	Signature: []string{`[TOOL_CALLS]`, `[CALL_ID]`, `[ARGS]`},
}
