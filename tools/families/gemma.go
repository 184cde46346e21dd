package families

import (
	"tenon/tools/format"
)

var familyGemma = format.Family{
	Key:     "gemma",
	About:   "Gemma 2, Gemma 3: taught no format, so tenon's JSON",
	Aliases: []string{"gemma2", "gemma3"},
	Ours:    true,
	Layout:  format.Layout{Between: "\n", Before: "\n\n"},
	Codecs: []format.Syntax{
		format.JSON{NameKey: "tool", ArgsKey: "arguments"}, format.Python{Listed: true},
		format.Python{Fence: format.Pair("```tool_code\n", "\n```")},
	},
	Ends:      []string{"<end_of_turn>", "<start_of_turn>", "<eos>", "<bos>"},
	Match:     format.ByOrder,
	Signature: []string{`<start_of_turn>`},
	Absent:    []string{`<start_function_call>`},
}
