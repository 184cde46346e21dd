package anthropic

import (
	"encoding/json"

	"tenon/server/chat"
	"tenon/tools"
)

// encode makes the whole message out of a result of one choice.
func (s signer) encode(id string, r chat.Result) answer {
	a := emptyAnswer(id, r.Model)
	if len(r.Choices) == 0 {
		return a
	}
	c := r.Choices[0]
	for _, part := range c.Parts {
		switch part.Kind {
		case chat.Reasoning:
			a.Content = append(a.Content, thinkingBlock{"thinking", part.Text, s.sign(part.Text)})
		case chat.Text:
			a.Content = append(a.Content, textBlock{"text", part.Text})
		case chat.CallEnd:
			a.Content = append(a.Content, toolUseBlock{"tool_use", callID(part.Call), part.Call.Name, input(part.Call)})
		case chat.HostedList:
			if b := listing(part); b != nil {
				a.Content = append(a.Content, *b)
			}
		case chat.HostedEnd:
			a.Content = append(a.Content, use(part, part.Call.Arguments), result(part))
		}
	}
	a.StopReason, a.StopSequence = stopReason(c.Finish)
	a.Usage = encodeUsage(c.Finish.Usage)
	return a
}

func emptyAnswer(id, model string) answer {
	return answer{ID: id, Type: "message", Role: "assistant", Model: model, Content: []any{}}
}

// callID gives a call's id the prefix that Anthropic's have.
func callID(c tools.Call) string { return "toolu_" + c.ID }

func input(c tools.Call) json.RawMessage {
	if c.Arguments == nil {
		// a string always marshals
		b, _ := json.Marshal(map[string]string{"input": c.Input})
		return b
	}
	return c.Arguments
}

func stopReason(f chat.Finish) (reason, sequence *string) {
	r := "end_turn"
	if f.Paused {
		r = "pause_turn"
	}
	switch f.Reason {
	case chat.Length:
		if r = "max_tokens"; f.Full {
			r = "model_context_window_exceeded"
		}
	case chat.ToolCalls:
		r = "tool_use"
	case chat.StopSequence:
		r, sequence = "stop_sequence", &f.StopText
	}
	return &r, sequence
}

func encodeUsage(u chat.Usage) usage {
	return usage{InputTokens: u.Prompt - u.Cached, CacheReadTokens: u.Cached, OutputTokens: u.Completion}
}
