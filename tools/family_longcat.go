package tools

var _ = register(family{
	name:   "longcat",
	models: "LongCat",
	call:   span{"<longcat_tool_call>", "</longcat_tool_call>"},
	layout: layout{call: "\n", between: "\n"},
	codecs: []codec{jsonCodec{nameKey: "name", argsKey: "arguments"}, taggedCodec{
		nameFirst: true,
		arg:       span{"<longcat_arg_key>", "</longcat_arg_key>"}, value: "<longcat_arg_value>", argEnd: "</longcat_arg_value>",
	}},
	think:   span{"<longcat_think>", "</longcat_think>"},
	ends:    []string{"</longcat_s>", "<longcat_s>"},
	results: []string{"<longcat_tool_response>", "</longcat_tool_response>"},
	match:   byOrder,
	signs:   []string{`<longcat_tool_call>`},
})
