package tools

var _ = register(family{
	name:    "command-r-plus",
	models:  "Command R, Command R+",
	aliases: []string{"command-r", "cohere_command3"},
	fenced:  true,
	layout:  layout{before: "\n"},
	codecs:  []codec{jsonCodec{nameKey: "tool_name", argsKey: "parameters", array: true}},
	cues:    []cue{{text: "Action:", lineStart: true, codec: jsonCodec{nameKey: "tool_name", argsKey: "parameters", array: true}}},
	ends:    []string{"<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|SYSTEM_TOKEN|>", "<EOS_TOKEN>", "<BOS_TOKEN>"},
	results: []string{"<results>", "</results>"},
	match:   byOrder,
	signs:   []string{`Action:`, `<|CHATBOT_TOKEN|>`},
})
