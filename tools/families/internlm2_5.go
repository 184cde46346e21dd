package families

import (
	"tenon/tools/format"
)

var familyInternlm25 = format.Family{
	Key:       "internlm2.5",
	About:     "InternLM 2.5",
	Aliases:   []string{"internlm"},
	Section:   format.Pair("<|action_start|><|plugin|>", "<|action_end|>"),
	Layout:    format.Layout{Section: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "parameters"}},
	Noise:     []string{"<|action_start|>", "<|plugin|>", "<|interpreter|>"},
	Ends:      []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>"},
	Match:     format.ByOrder,
	OneCall:   true,
	Signature: []string{`<|action_start|>`},
}
