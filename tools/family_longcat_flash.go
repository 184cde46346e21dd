package tools

// LongCat Flash Lite and Flash Thinking of 2026 write each argument between tags; the first Flash Chat wrote JSON.
var _ = register(family{
	name:    "longcat-flash",
	models:  "LongCat Flash Lite, Flash Thinking 2601",
	aliases: []string{"longcat-2"},
	call:    span{"<longcat_tool_call>", "</longcat_tool_call>"},
	layout:  layout{between: "\n", before: "\n"},
	codecs: []codec{taggedCodec{
		nameFirst: true,
		arg:       span{"<longcat_arg_key>", "</longcat_arg_key>"}, value: "<longcat_arg_value>", argEnd: "</longcat_arg_value>",
		between: "\n",
	}},
	think:   span{"<longcat_think>", "</longcat_think>"},
	ends:    []string{"</longcat_s>", "<longcat_s>"},
	results: []string{"<longcat_tool_response>", "</longcat_tool_response>"},
	match:   byOrder,
	signs:   []string{`<longcat_tool_call>`, `<longcat_arg_key>`},
})
