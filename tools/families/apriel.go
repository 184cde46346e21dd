package families

import (
	"tenon/tools/format"
)

var familyApriel = format.Family{
	Key:       "apriel",
	About:     "Apriel 1.5, 1.6",
	Aliases:   []string{"apriel-1.5"},
	Section:   format.Pair("<tool_calls>", "</tool_calls>"),
	Layout:    format.Layout{Before: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", IdKey: "id", Array: true}},
	Think:     format.Pair("", "[BEGIN FINAL RESPONSE]"),
	Noise:     []string{"[END FINAL RESPONSE]"},
	Ends:      []string{"<|end|>", "<|assistant|>", "<|user|>", "<|system|>"},
	Results:   []string{"<|tool_result|>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_calls>`, `<|tool_result|>`},
}
