package families

import (
	"tenon/tools/format"
)

var familyCommandRPlus = format.Family{
	Key:       "command-r-plus",
	About:     "Command R, Command R+",
	Aliases:   []string{"command-r", "cohere_command3"},
	Fenced:    true,
	Layout:    format.Layout{Before: "\n"},
	Codecs:    []format.Syntax{format.JSON{NameKey: "tool_name", ArgsKey: "parameters", Array: true}},
	Cues:      []format.Cue{{Text: "Action:", LineStart: true, Codec: format.JSON{NameKey: "tool_name", ArgsKey: "parameters", Array: true}}},
	Ends:      []string{"<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>", "<EOS_TOKEN>", "<BOS_TOKEN>"},
	Results:   []string{"<results>", "</results>"},
	Match:     format.ByOrder,
	Signature: []string{`Action:`, `<|CHATBOT_TOKEN|>`},
}
