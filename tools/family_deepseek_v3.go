package tools

var _ = register(family{
	name:    "deepseek-v3",
	models:  "DeepSeek V3, R1 and its distillations",
	aliases: []string{"deepseek-r1", "deepseek"},
	section: span{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},
	call:    span{"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"},
	layout:  layout{between: "\n"},
	codecs: []codec{namedCodec{
		before: "function<｜tool▁sep｜>", separator: "\n```json\n", after: "\n```",
		splits: append(spellings("<｜tool▁sep｜>"), "```json", "```", "\n"),
	}},
	spelt:     true,
	think:     span{"<think>", "</think>"},
	prefilled: true,
	ends:      []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	results:   []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
	match:     byOrder,
	signs:     []string{`<｜tool▁call▁begin｜>`, `<｜tool▁sep｜>`, "```json"},
})
