package families

import (
	"tenon/tools/format"
)

var familyOlmo3 = format.Family{
	Key:       "olmo3",
	About:     "Olmo 3",
	Section:   format.Pair("<function_calls>", "</function_calls>"),
	Layout:    format.Layout{Section: "\n", Between: "\n"},
	Codecs:    []format.Syntax{format.Python{}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Match:     format.ByOrder,
	Signature: []string{`<function_calls>`, `<|im_start|>`},
}
