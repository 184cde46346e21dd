package families

import (
	"tenon/tools/format"
)

var familyMuse = format.Family{
	Key:     "muse",
	About:   "Muse Glimmer",
	Aliases: []string{"muse-glimmer"},
	Section: format.Pair("<atem:function_calls>", "</atem:function_calls>"),
	Layout:  format.Layout{Section: "\n", Between: "\n"},
	Codecs: []format.Syntax{format.Tagged{
		Call: format.Pair(`<atem:invoke name="`, `">`), CallEnd: "</atem:invoke>",
		Arg: format.Pair(`<atem:parameter name="`, `">`), ArgEnd: "</atem:parameter>",
		Between: "\n",
	}},
	Headers: &format.Headers{
		Open: []string{"<|start|>"}, Close: "<|message|>", Starts: []string{"assistant"},
		Thinking: []string{"self"}, Texts: []string{"user"}, Anyone: true,
		Thought: " to=self<|message|>", Text: " to=user<|message|>", Call: " to=%s<|message|>", Preamble: " to=user<|message|>", Between: "<|eom|><|start|>assistant",
	},
	Ends:      []string{"<|eom|>", "<|eot|>"},
	Match:     format.ByName,
	Signature: []string{`<atem:function_calls>`},
}
