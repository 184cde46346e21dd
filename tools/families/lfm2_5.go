package families

import (
	"tenon/tools/format"
)

var familyLfm25 = format.Family{
	Key:       "lfm2.5",
	About:     "LFM2.5",
	Section:   format.Pair("<|tool_call_start|>", "<|tool_call_end|>"),
	Codecs:    []format.Syntax{format.Python{Listed: true}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<|tool_response_start|>", "<|tool_response_end|>", "<|tool_list_start|>", "<|tool_list_end|>"},
	Match:     format.ByOrder,
	Signature: []string{`<|tool_call_start|>`, `<think>`},
}
