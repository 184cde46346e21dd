package families

import (
	"tenon/tools/format"
)

var familyDeepseekV3 = format.Family{
	Key:     "deepseek-v3",
	About:   "DeepSeek V3, R1 and its distillations",
	Aliases: []string{"deepseek-r1", "deepseek"},
	Section: format.Pair("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
	Call:    format.Pair("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
	Layout:  format.Layout{Between: "\n"},
	Codecs: []format.Syntax{format.Named{
		Before: "function<｜tool▁sep｜>", Separator: "\n```json\n", After: "\n```",
		Splits: append(format.Spellings("<｜tool▁sep｜>"), "```json", "```", "\n"),
	}},
	Spelt:     true,
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Ends:      []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	Results:   []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
	Match:     format.ByOrder,
	Signature: []string{`<｜tool▁call▁begin｜>`, `<｜tool▁sep｜>`, "```json"},
}
