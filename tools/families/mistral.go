package families

import (
	"tenon/tools/format"
)

var familyMistral = format.Family{
	Key:       "mistral",
	About:     "Mistral 7B v0.3, Mistral Nemo, Mistral Large",
	Aliases:   []string{"mistral-nemo"},
	Section:   format.Span{Open: "[TOOL_CALLS]"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", IdKey: "id", Array: true}, format.Named{Separator: "[ARGS]", IdMark: "[CALL_ID]", Splits: []string{"[ARGS]", "[CALL_ID]"}}},
	Ends:      []string{"</s>", "[INST]", "[/INST]"},
	Results:   []string{"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CONTENT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
	Id:        format.IdNine,
	Match:     format.ByID,
	Signature: []string{`[TOOL_CALLS]`},
	Absent:    []string{`[ARGS]`},
}
