package tools

var _ = register(family{
	name:     "llama4",
	models:   "Llama 4",
	aliases:  []string{"llama4_pythonic", "pythonic"},
	unmarked: true,
	section:  span{"<|python_start|>", "<|python_end|>"},
	codecs:   []codec{pythonicCodec{listed: true}, jsonCodec{nameKey: "name", argsKey: "parameters"}},
	ends:     []string{"<|eot|>", "<|eom|>", "<|header_start|>", "<|header_end|>", "<|end_of_text|>", "<|begin_of_text|>"},
	match:    byOrder,
	signs:    []string{`<|header_start|>`, `<|eot|>`},
})
