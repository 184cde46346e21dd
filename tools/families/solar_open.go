package families

import (
	"tenon/tools/format"
)

var familySolarOpen = format.Family{
	Key:     "solar-open",
	About:   "Solar Open",
	Aliases: []string{"solar", "solar_open2"},
	Call:    format.Pair("<|tool_call:begin|>", "<|tool_call:end|>"),
	Codecs: []format.Syntax{format.Named{
		IdFirst: "<|tool_call:name|>", Separator: "<|tool_call:args|>",
		IdMark: "<|tool_call:name|>", Splits: []string{"<|tool_call:name|>", "<|tool_call:args|>"},
	}},
	Think:     format.Pair("<|think|>", "<|end|>"),
	Text:      []string{"<|content|>"},
	Noise:     []string{"<|begin|>assistant", "<|tool_calls|>"},
	Ends:      []string{"<|calls|>", "<|flush|>", "<|begin|>"},
	Results:   []string{"<|tool_response:begin|>", "<|tool_response:id|>", "<|tool_response:end|>"},
	Id:        format.IdTen,
	Match:     format.ByID,
	Signature: []string{`<|tool_call:begin|>`},
}
