package families

import (
	"tenon/tools/format"
)

var familyPhi = format.Family{
	Key:       "phi",
	About:     "Phi-3.5, Phi-4: taught no format, so tenon's JSON",
	Aliases:   []string{"phi3.5", "phi4"},
	Ours:      true,
	Layout:    format.Layout{Between: "\n", Before: "\n\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}},
	Ends:      []string{"<|end|>", "<|assistant|>", "<|user|>", "<|system|>", "<|endoftext|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|end|>`, `<|assistant|>`},
	Absent:    []string{`<|tool|>`, `<tool_calls>`, `<arg_key>`},
}
