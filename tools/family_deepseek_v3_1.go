package tools

var _ = register(family{
	name:    "deepseek-v3.1",
	models:  "DeepSeek V3.1",
	section: span{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"},
	call:    span{"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"},
	codecs:  []codec{namedCodec{separator: "<｜tool▁sep｜>", splits: append(spellings("<｜tool▁sep｜>"), "```json", "```", "\n")}},
	spelt:   true,
	think:   span{"<think>", "</think>"},
	ends:    []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	results: []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
	match:   byOrder,
	signs:   []string{`<｜tool▁call▁begin｜>`, `<｜tool▁sep｜>`, `</think>`},
	absent:  []string{"```json"},
})
