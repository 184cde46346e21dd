package families

import (
	"tenon/tools/format"
)

var familyGptOss = format.Family{
	Key:     "gpt-oss",
	About:   "gpt-oss (OpenAI harmony)",
	Aliases: []string{"harmony", "openai", "gptoss"},
	Codecs:  []format.Syntax{format.JSON{NameKey: "name", ArgsKey: "arguments"}},
	Headers: &format.Headers{
		Open: []string{"<|start|>", "<|channel|>"}, Close: "<|message|>", Inside: []string{"<|constrain|>"},
		Starts:   []string{"assistant", "analysis", "commentary", "final"},
		Thinking: []string{"analysis"}, Texts: []string{"user"}, Several: []string{"multi_tool_use.parallel", "multi_tool_use"},
		Call: " to=functions.%s<|channel|>commentary json<|message|>", Thought: "<|channel|>analysis<|message|>", Text: "<|channel|>final<|message|>", Preamble: "<|channel|>commentary<|message|>", Between: "<|end|><|start|>assistant",
	},
	Ends:      []string{"<|call|>", "<|end|>", "<|return|>", "<|endoftext|>"},
	Match:     format.ByName,
	OneCall:   true,
	Signature: []string{`<|channel|>`, `<|message|>`, `commentary`},
}
