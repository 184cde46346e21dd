package families

import (
	"tenon/tools/format"
)

var familyMinimaxM2 = format.Family{
	Key:     "minimax-m2",
	About:   "MiniMax M2",
	Aliases: []string{"minimax", "minimax-m2.5"},
	Section: format.Pair("<minimax:tool_call>", "</minimax:tool_call>"),
	Layout:  format.Layout{Section: "\n", Between: "\n", Before: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair(`<invoke name="`, `">`), CallEnd: "</invoke>",
		Arg: format.Pair(`<parameter name="`, `">`), ArgEnd: "</parameter>",
		Between: "\n",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Prefills:  true,
	Ends:      []string{"[e~[", "]~b]", "]~!b["},
	Match:     format.ByOrder,
	Signature: []string{`<minimax:tool_call>`, `<invoke name=`},
}
