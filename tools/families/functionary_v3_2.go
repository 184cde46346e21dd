package families

import (
	"tenon/tools/format"
)

var familyFunctionaryV32 = format.Family{
	Key:       "functionary-v3.2",
	About:     "Functionary v3.2",
	Aliases:   []string{"functionary"},
	Codecs:    []format.Syntax{format.Named{Separator: "\n", Splits: []string{"\n"}}},
	Opens:     []string{"<|python_tag|>"},
	Cues:      []format.Cue{{Text: ">>>", Codec: format.Named{Separator: "\n", Splits: []string{"\n"}}}},
	Lead:      ">>>",
	Text:      []string{">>>all\n"},
	Ends:      []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"},
	Match:     format.ByName,
	Signature: []string{`>>>all`, `<|start_header_id|>`},
}
