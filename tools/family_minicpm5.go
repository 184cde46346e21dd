package tools

var _ = register(family{
	name:   "minicpm5",
	models: "MiniCPM5",
	layout: layout{between: "\n", before: "\n"},
	codecs: []codec{taggedCodec{
		call: span{`<function name="`, `">`}, callEnd: "</function>",
		arg: span{`<param name="`, `">`}, argEnd: "</param>", cdata: true,
	}},
	think:   span{"<think>", "</think>"},
	ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	results: []string{"<tool_response>", "</tool_response>"},
	match:   byOrder,
	signs:   []string{`<function name=`, `<param name=`},
})
