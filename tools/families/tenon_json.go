package families

import (
	"tenon/tools/format"
)

var familyJson = format.Family{
	Key:     "json",
	About:   "any model, explained in the prompt: one JSON object per call",
	Aliases: []string{"generic"},
	Ours:    true,
	Layout:  format.Layout{Between: "\n", Before: "\n\n"},
	Codecs:  []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}},
	Think:   format.Pair("<think>", "</think>"),
	Ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>"},
	Match:   format.ByOrder,
}
