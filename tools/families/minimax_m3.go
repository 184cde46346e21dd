package families

import (
	"tenon/tools/format"
)

var familyMinimaxM3 = format.Family{
	Key:       "minimax-m3",
	About:     "MiniMax M3",
	Section:   format.Pair("]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>"),
	Layout:    format.Layout{Section: "\n", Between: "\n", Before: "\n"},
	Codecs:    []format.Syntax{format.Nested{Noise: "]<]minimax[>[", Call: format.Pair(`<invoke name="`, `">`), CallEnd: "</invoke>"}},
	Think:     format.Pair("<mm:think>", "</mm:think>"),
	Noise:     []string{"]<]minimax[>["},
	Ends:      []string{"[e~[", "]~b]", "]~!b["},
	Match:     format.ByOrder,
	Signature: []string{`]<]minimax[>[`, `<mm:think>`},
}
