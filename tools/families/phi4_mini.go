package families

import (
	"tenon/tools/format"
)

var familyPhi4Mini = format.Family{
	Key:       "phi4-mini",
	About:     "Phi-4 mini",
	Aliases:   []string{"phi4_mini_json"},
	Section:   format.Pair("<|tool_call|>", "<|/tool_call|>"),
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Cues:      []format.Cue{{Text: "functools", Codec: format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}}},
	Ends:      []string{"<|end|>", "<|assistant|>", "<|user|>", "<|system|>", "<|endoftext|>"},
	Results:   []string{"<|tool_response|>", "<|tool|>", "<|/tool|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|tool|>`, `<|assistant|>`, `<|end|>`},
}
