package families

import (
	"tenon/tools/format"
)

// xLAM writes an array in one of four ways; the bare one is what its template shows.
var familyXlam = format.Family{
	Key:       "xlam",
	About:     "xLAM",
	Aliases:   []string{"xlam2"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments", Array: true}},
	Opens:     []string{"[TOOL_CALLS]", "<tool_call>"},
	Think:     format.Pair("<think>", "</think>"),
	Noise:     []string{"</tool_call>"},
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>"},
	Match:     format.ByOrder,
	Signature: []string{`xLAM`},
}
