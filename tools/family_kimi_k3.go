package tools

var _ = register(family{
	name:    "kimi-k3",
	models:  "Kimi K3",
	section: span{"<|open|>tools<|sep|>", "<|close|>tools<|sep|>"},
	codecs: []codec{taggedCodec{
		call: span{`<|open|>call tool="`, `"<|sep|>`}, callEnd: "<|close|>call<|sep|>",
		arg: span{`<|open|>argument key="`, `"<|sep|>`}, argEnd: "<|close|>argument<|sep|>",
		textAttribute: `type="string"`, jsonAttribute: `type="`, attribute: `type="`, index: ` index="`,
	}},
	think: span{"<|open|>think<|sep|>", "<|close|>think<|sep|>"},
	text:  []string{"<|open|>response<|sep|>", "<|close|>response<|sep|>"},
	noise: []string{"<|open|>", "<|close|>", "<|sep|>"},
	ends:  []string{"<|end_of_msg|>", "<|close|>message<|sep|>"},
	match: byOrder,
	signs: []string{`<|open|>`, `<|sep|>`, `<|close|>`},
})
