package tools

var _ = register(family{
	name:    "deepseek-v4",
	models:  "DeepSeek V4",
	section: span{"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"},
	layout:  layout{section: "\n", between: "\n", before: "\n\n"},
	codecs: []codec{taggedCodec{
		call: span{`<｜DSML｜invoke name="`, `">`}, callEnd: "</｜DSML｜invoke>",
		arg: span{`<｜DSML｜parameter name="`, `">`}, argEnd: "</｜DSML｜parameter>",
		between:       "\n",
		textAttribute: `string="true"`, jsonAttribute: `string="false"`,
	}},
	spelt:   true,
	think:   span{"<think>", "</think>"},
	noise:   []string{"｜DSML｜"},
	ends:    []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	results: []string{"<function_results>", "</function_results>", "<tool_result>", "</tool_result>"},
	match:   byOrder,
	signs:   []string{`｜DSML｜`, `tool_calls`},
	absent:  []string{`function_calls>`},
})
