package tools

var _ = register(family{
	name:    "gemma",
	models:  "Gemma 2, Gemma 3: taught no format, so tenon's JSON",
	aliases: []string{"gemma2", "gemma3"},
	ours:    true,
	layout:  layout{between: "\n", before: "\n\n"},
	codecs: []codec{
		jsonCodec{nameKey: "tool", argsKey: "arguments"}, pythonicCodec{listed: true},
		pythonicCodec{fence: span{"```tool_code\n", "\n```"}},
	},
	ends:   []string{"<end_of_turn>", "<start_of_turn>", "<eos>", "<bos>"},
	match:  byOrder,
	signs:  []string{`<start_of_turn>`},
	absent: []string{`<start_function_call>`},
})
