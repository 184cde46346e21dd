package families

import (
	"tenon/tools/format"
)

var familyCommandR7b = format.Family{
	Key:       "command-r7b",
	About:     "Command R7B, Command A, Cohere2 MoE",
	Aliases:   []string{"command-a", "cohere", "cohere2moe", "cohere_command4"},
	Section:   format.Pair("<|START_ACTION|>", "<|END_ACTION|>"),
	Codecs:    []format.Syntax{format.JSON{NameKey: "tool_name", ArgsKey: "parameters", IdKey: "tool_call_id", Array: true}},
	Think:     format.Pair("<|START_THINKING|>", "<|END_THINKING|>"),
	Text:      []string{"<|START_RESPONSE|>", "<|START_TEXT|>", "<|END_RESPONSE|>", "<|END_TEXT|>"},
	Ends:      []string{"<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>", "<EOS_TOKEN>", "<BOS_TOKEN>"},
	Results:   []string{"<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"},
	Id:        format.IdInteger,
	Match:     format.ByID,
	Signature: []string{`<|START_ACTION|>`, `<|START_THINKING|>`},
}
