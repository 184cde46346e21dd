package families

import (
	"tenon/tools/format"
)

var familyFunctionaryV31 = format.Family{
	Key:       "functionary-v3.1",
	About:     "Functionary v3.1",
	Call:      format.Pair("<function=", "</function>"),
	Codecs:    []format.Syntax{format.Named{Separator: ">", Splits: []string{">"}}},
	Opens:     []string{"<|python_tag|>"},
	Ends:      []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"},
	Match:     format.ByOrder,
	Signature: []string{`<function=`, `<|start_header_id|>`},
}
