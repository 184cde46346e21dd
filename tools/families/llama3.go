package families

import (
	"tenon/tools/format"
)

var familyLlama3 = format.Family{
	Key:       "llama3",
	About:     "Llama 3.1, 3.2, 3.3",
	Aliases:   []string{"llama3_json", "llama3.1", "llama3.2", "llama3.3", "llama", "llama4_json"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "parameters"}, format.Python{Method: ".call"}, format.Python{Listed: true}},
	Opens:     []string{"<|python_tag|>"},
	Ends:      []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"},
	Match:     format.ByOrder,
	OneCall:   true,
	Signature: []string{`<|start_header_id|>`, `"parameters": `, `ipython`},
	Absent:    []string{`<function=`, `>>>`, `functools`},
}
