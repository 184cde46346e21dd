package families

import (
	"tenon/tools/format"
)

var familyFunctiongemma = format.Family{
	Key:       "functiongemma",
	About:     "FunctionGemma",
	Call:      format.Pair("<start_function_call>", "<end_function_call>"),
	Codecs:    []format.Syntax{format.Named{Before: "call:", Splits: []string{"call:"}, Quotes: []string{"<escape>"}, BareKeys: true}},
	Ends:      []string{"<end_of_turn>", "<start_of_turn>", "<eos>", "<bos>"},
	Results:   []string{"<start_function_response>", "<end_function_response>", "<start_function_declaration>", "<end_function_declaration>"},
	Match:     format.ByName,
	Signature: []string{`<start_function_call>`},
}
