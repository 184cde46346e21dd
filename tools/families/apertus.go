package families

import (
	"tenon/tools/format"
)

var familyApertus = format.Family{
	Key:       "apertus",
	About:     "Apertus",
	Section:   format.Pair("<|tools_prefix|>", "<|tools_suffix|>"),
	Codecs:    []format.Syntax{format.JSON{NameIsKey: true, Array: true}},
	Think:     format.Pair("<|inner_prefix|>", "<|inner_suffix|>"),
	Ends:      []string{"<|assistant_end|>", "<|assistant_start|>", "<|user_start|>", "<|user_end|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|tools_prefix|>`},
}
