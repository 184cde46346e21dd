package families

import (
	"tenon/tools/format"
)

var familyDeepseekV31 = format.Family{
	Key:       "deepseek-v3.1",
	About:     "DeepSeek V3.1",
	Section:   format.Pair("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
	Call:      format.Pair("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
	Codecs:    []format.Syntax{format.Named{Separator: "<｜tool▁sep｜>", Splits: append(format.Spellings("<｜tool▁sep｜>"), "```json", "```", "\n")}},
	Spelt:     true,
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	Results:   []string{"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
	Match:     format.ByOrder,
	Signature: []string{`<｜tool▁call▁begin｜>`, `<｜tool▁sep｜>`, `</think>`},
	Absent:    []string{"```json"},
}
