package tools

var _ = register(family{
	name:    "llama3",
	models:  "Llama 3.1, 3.2, 3.3",
	aliases: []string{"llama3_json", "llama3.1", "llama3.2", "llama3.3", "llama", "llama4_json"},
	codecs:  []codec{jsonCodec{nameKey: "name", argsKey: "parameters"}, pythonicCodec{method: ".call"}, pythonicCodec{listed: true}},
	opens:   []string{"<|python_tag|>"},
	ends:    []string{"<|eot_id|>", "<|eom_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>", "<|begin_of_text|>"},
	match:   byOrder,
	oneCall: true,
	signs:   []string{`<|start_header_id|>`, `"parameters": `, `ipython`},
	absent:  []string{`<function=`, `>>>`, `functools`},
})
