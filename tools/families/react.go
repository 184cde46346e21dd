package families

import (
	"tenon/tools/format"
)

var familyReact = format.Family{
	Key:     "react",
	About:   "any model, explained in the prompt: Thought, Action, Action Input",
	Ours:    true,
	Codecs:  []format.Syntax{format.ReAct{Action: "Action:", Input: "Action Input:"}},
	Cues:    []format.Cue{{Text: "Action:", LineStart: true, Codec: format.ReAct{Action: "Action:", Input: "Action Input:"}}},
	Labels:  []format.Label{{Text: "Thought:", Kind: format.LabelThinking}, {Text: "Final Answer:", Kind: format.LabelText}, {Text: "Observation:", Kind: format.LabelStop}},
	Think:   format.Pair("<think>", "</think>"),
	Ends:    []string{"<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>"},
	Match:   format.ByOrder,
	OneCall: true,
}
