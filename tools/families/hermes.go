package families

import (
	"tenon/tools/format"
)

var familyHermes = format.Family{
	Key:       "hermes",
	About:     "Hermes 2 Pro, Hermes 3",
	Aliases:   []string{"hermes2pro", "hermes3"},
	Call:      format.Pair("<tool_call>", "</tool_call>"),
	Layout:    format.Layout{Call: "\n", Between: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Think:     format.Pair("<think>", "</think>"),
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Results:   []string{"<tool_response>", "</tool_response>"},
	Match:     format.ByOrder,
	Signature: []string{`<tool_call>`, `<|im_start|>`, `json_to_python_type`},
}
