package tools

var _ = register(family{
	name:    "muse",
	models:  "Muse Glimmer",
	aliases: []string{"muse-glimmer"},
	section: span{"<atem:function_calls>", "</atem:function_calls>"},
	layout:  layout{section: "\n", between: "\n"},
	codecs: []codec{taggedCodec{
		call: span{`<atem:invoke name="`, `">`}, callEnd: "</atem:invoke>",
		arg: span{`<atem:parameter name="`, `">`}, argEnd: "</atem:parameter>",
		between: "\n",
	}},
	headers: &headers{
		open: []string{"<|start|>"}, close: "<|message|>", starts: []string{"assistant"},
		thinking: []string{"self"}, texts: []string{"user"}, anyone: true,
		thought: " to=self<|message|>", text: " to=user<|message|>", call: " to=%s<|message|>", preamble: " to=user<|message|>", between: "<|eom|><|start|>assistant",
	},
	ends:  []string{"<|eom|>", "<|eot|>"},
	match: byName,
	signs: []string{`<atem:function_calls>`},
})
