package families

import (
	"tenon/tools/format"
)

// The markers of some releases carry a suffix of their own (<tool_call:…>); a dialect derived from the template reads those.
var familyHunyuan3 = format.Family{
	Key:     "hunyuan3",
	About:   "Hy3",
	Aliases: []string{"hy3", "hy_v3"},
	Section: format.Pair("<tool_calls>", "</tool_calls>"),
	Call:    format.Pair("<tool_call>", "</tool_call>"),
	Codecs: []format.Syntax{format.Tagged{
		NameFirst: true, NameEnd: "<tool_sep>",
		Arg: format.Pair("<arg_key>", "</arg_key>"), Value: "<arg_value>", ArgEnd: "</arg_value>",
	}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|hy_eos|>", "<|hy_bos|>", "<|hy_User|>", "<|hy_Assistant|>"},
	Results:   []string{"<tool_responses>", "</tool_responses>", "<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_sep`, `<arg_key`},
}
