package families

import (
	"tenon/tools/format"
)

var familyQwen = format.Family{
	Key:       "qwen",
	About:     "Qwen2.5, QwQ, Qwen3, MiMo",
	Aliases:   []string{"qwen2.5", "qwen3", "qwq", "mimo", "qwen25"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n", Before: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<|im_start|>`, `</tool_response>`},
	Absent:    []string{`<function=`, `json_to_python_type`, `<arg_key>`, `xml_tools`},
}
