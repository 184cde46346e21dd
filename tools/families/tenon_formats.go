package families

import "tenon/tools/format"

// tenonFormats are tenon's own formats, for models that were taught none, with what their
// templates end turns with.
var tenonFormats = []format.Family{
	{Key: "chatml", About: "ChatML templates that show no tools: tenon's JSON", Ours: true, Layout: format.Layout{Between: "\n", Before: "\n\n"},
		Syntaxes: ours, Think: format.CommonThinking, Ends: chatml, Results: responses, Signature: []string{"<|im_start|>"},
		Absent: []string{"tool_call", "function_calls", "tool_list"}},
	{Key: "gemma", About: "Gemma 2, Gemma 3: taught no format, so tenon's JSON", Aliases: []string{"gemma2", "gemma3"}, Ours: true,
		Layout:   format.Layout{Between: "\n", Before: "\n\n"},
		Syntaxes: []format.Syntax{format.JSON{NameKey: "tool", ArgsKey: "arguments"}, format.Python{Listed: true}, format.Python{Fence: format.Pair("```tool_code\n", "\n```")}},
		Ends:     []string{"<end_of_turn>", "<start_of_turn>", "<eos>", "<bos>"}, Signature: []string{`<start_of_turn>`},
		Absent: []string{`<start_function_call>`}},
	{Key: "json", About: "any model, explained in the prompt: one JSON object per call", Aliases: []string{"generic"}, Ours: true,
		Layout: format.Layout{Between: "\n", Before: "\n\n"}, Syntaxes: ours, Think: format.CommonThinking, Ends: anyEnds},
	{Key: "phi", About: "Phi-3.5, Phi-4: taught no format, so tenon's JSON", Aliases: []string{"phi3.5", "phi4"}, Ours: true,
		Layout: format.Layout{Between: "\n", Before: "\n\n"}, Syntaxes: ours, Ends: phiEnds, Signature: []string{`<|end|>`, `<|assistant|>`},
		Absent: []string{`<|tool|>`, `<tool_calls>`, `<arg_key>`}},
	{Key: "react", About: "any model, explained in the prompt: Thought, Action, Action Input", Ours: true,
		Syntaxes:       []format.Syntax{format.ReAct{Action: "Action:", Input: "Action Input:"}},
		UnmarkedStarts: []format.UnmarkedStart{{Text: "Action:", LineStart: true, Syntax: format.ReAct{Action: "Action:", Input: "Action Input:"}}},
		Labels:         []format.Label{{Text: "Thought:", Kind: format.LabelThinking}, {Text: "Final Answer:", Kind: format.LabelText}, {Text: "Observation:", Kind: format.LabelStop}, {Text: "Action Input:", Kind: format.LabelInput}},
		Think:          format.CommonThinking, Ends: anyEnds, OneCall: true},
	{Key: "rwkv", About: "RWKV World: taught no format, so tenon's JSON", Ours: true, Layout: format.Layout{Between: "\n", Before: "\n\n"}, Syntaxes: ours,
		Signature: []string{`User: `, `Assistant:`}, Absent: []string{`tool`}},
}
