package families

import (
	"tenon/tools/format"
)

var familyLlama4 = format.Family{
	Key:       "llama4",
	About:     "Llama 4",
	Aliases:   []string{"llama4_pythonic", "pythonic"},
	Unmarked:  true,
	Section:   format.Pair("<|python_start|>", "<|python_end|>"),
	Codecs:    []format.Syntax{format.Python{Listed: true}, format.JSON{NameKey: "name", ArgsKey: "parameters"}},
	Ends:      []string{"<|eot|>", "<|eom|>", "<|header_start|>", "<|header_end|>", "<|end_of_text|>", "<|begin_of_text|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|header_start|>`, `<|eot|>`},
}
