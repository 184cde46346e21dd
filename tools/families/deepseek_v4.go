package families

import (
	"tenon/tools/format"
)

var familyDeepseekV4 = format.Family{
	Key:     "deepseek-v4",
	About:   "DeepSeek V4",
	Section: format.Pair("<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),
	Layout:  format.Layout{Section: "\n", Between: "\n", Before: "\n\n"},
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair(`<｜DSML｜invoke name="`, `">`), CallEnd: "</｜DSML｜invoke>",
		Arg: format.Pair(`<｜DSML｜parameter name="`, `">`), ArgEnd: "</｜DSML｜parameter>",
		Between:       "\n",
		TextAttribute: `string="true"`, JsonAttribute: `string="false"`,
	}},
	Spelt:     true,
	Think:     format.Pair("<think>", "</think>"),
	Noise:     []string{"｜DSML｜"},
	Ends:      []string{"<｜end▁of▁sentence｜>", "<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"},
	Results:   []string{"<function_results>", "</function_results>", "<tool_result>", "</tool_result>"},
	Match:     format.ByOrder,
	Signature: []string{`｜DSML｜`, `tool_calls`},
	Absent:    []string{`function_calls>`},
}
