package families

import (
	"tenon/tools/format"
)

var familyGemma4 = format.Family{
	Key:       "gemma4",
	About:     "Gemma 4",
	Call:      format.Pair("<|tool_call>", "<tool_call|>"),
	Codecs:    []format.Syntax{format.Named{Before: "call:", Splits: []string{"call:"}, Quotes: []string{`<|"|>`}, BareKeys: true}},
	Think:     format.Pair("<|channel>thought", "<channel|>"),
	Noise:     []string{"<|channel>", "<|think|>"},
	Ends:      []string{"<turn|>", "<|turn>", "<eos>", "<bos>"},
	Results:   []string{"<|tool_response>", "<tool_response|>", "<|tool>", "<tool|>"},
	Match:     format.ByName,
	Signature: []string{`<|tool_call>`, `<|turn>`},
}
