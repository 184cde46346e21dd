package families

import (
	"tenon/tools/format"
)

var familyChatml = format.Family{
	Key:       "chatml",
	About:     "ChatML templates that show no tools: tenon's JSON",
	Ours:      true,
	Layout:    format.Layout{Between: "\n", Before: "\n\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{"<|im_start|>"},
	Absent:    []string{"tool_call", "function_calls", "tool_list"},
}
