package families

import (
	"tenon/tools/format"
)

var familyStep3 = format.Family{
	Key:     "step3",
	About:   "Step3",
	Section: format.Pair("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
	Call:    format.Pair("<｜tool_call_begin｜>function<｜tool_sep｜>", "<｜tool_call_end｜>"),
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair(`<steptml:invoke name="`, `">`), CallEnd: "</steptml:invoke>",
		Arg: format.Pair(`<steptml:parameter name="`, `">`), ArgEnd: "</steptml:parameter>",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Noise:     []string{"<｜tool_call_begin｜>", "<｜tool_sep｜>"},
	Ends:      []string{"<｜end▁of▁sentence｜>", "<|EOT|>"},
	Match:     format.ByOrder,
	Signature: []string{`steptml`},
}
