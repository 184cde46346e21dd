package families

import (
	"tenon/tools/format"
)

var familySeedOss = format.Family{
	Key:     "seed-oss",
	About:   "Seed-OSS",
	Aliases: []string{"seed"},
	Call:    format.Pair("<seed:tool_call>", "</seed:tool_call>"),
	Layout:  format.Layout{Call: "\n", Between: "\n", Before: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair("<function=", ">"), CallEnd: "</function>",
		Arg: format.Pair("<parameter=", ">"), ArgEnd: "</parameter>",
		Between: "\n",
	}},
	Think:     format.Pair("<seed:think>", "</seed:think>"),
	Noise:     []string{"<seed:cot_budget_reflect>", "</seed:cot_budget_reflect>"},
	Ends:      []string{"<seed:eos>", "<seed:bos>"},
	Match:     format.ByOrder,
	Signature: []string{`<seed:eos>`},
}
