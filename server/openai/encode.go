package openai

import (
	"slices"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// answerOptions is what a request wants in its answer beside the text, and in which form.
type answerOptions struct {
	logprobs bool
	timings  bool
	older    bool // the form of functions and function_call
}

func (w chatRequest) answerOptions() answerOptions {
	return answerOptions{logprobs: w.Logprobs, timings: w.TimingsPerToken, older: len(w.Functions) > 0}
}

// encode makes the whole answer out of a result.
func encode(head chatCompletion, r chat.Result, want answerOptions) chatCompletion {
	head.Object, head.Model = "chat.completion", r.Model
	var used chat.Usage
	for i, c := range r.Choices {
		reason := finishReason(c.Finish.Reason)
		out := choice{Index: i, Message: encodeMessage(c), FinishReason: &reason}
		if want.older {
			out.Message.FunctionCall, out.Message.ToolCalls = older(out.Message.ToolCalls), nil
			reason = olderReason(reason)
		}
		if want.logprobs {
			out.Logprobs = encodeLogprobs(c.Tokens)
		}
		head.Choices = append(head.Choices, out)
		used = used.And(c.Finish.Usage)
		if want.timings {
			head.Timings = wire.EncodeTimings(c.Finish)
		}
	}
	head.Usage = optionalUsage{true, encodeUsage(used)}
	return head
}

func encodeMessage(c chat.Choice) *answer {
	text := c.Text
	if slices.ContainsFunc(c.Parts, func(p chat.Event) bool { return p.Kind == chat.HostedEnd }) {
		text = joined(c.Parts)
	}
	a := &answer{Role: "assistant", Content: &text, Reasoning: wire.Optional(c.Reasoning)}
	if c.Text == "" && len(c.Calls) > 0 {
		a.Content = nil
	}
	for _, p := range c.Parts {
		if p.Kind == chat.HostedEnd || p.Kind == chat.HostedAsk {
			a.ServerToolCalls = append(a.ServerToolCalls, encodeServerCall(p))
		}
	}
	for _, call := range c.Calls {
		a.ToolCalls = append(a.ToolCalls, encodeCall(call))
	}
	return a
}

// between divides the texts that a model wrote before and behind a call that the server executed.
const between = "\n\n"

// joined is the text of an answer in which the server executed calls.
func joined(parts []chat.Event) (text string) {
	executed := false
	for _, p := range parts {
		switch p.Kind {
		case chat.HostedEnd:
			executed = text != ""
		case chat.Text:
			if executed {
				text += between
			}
			text += p.Text
			executed = false
		}
	}
	return text
}

func encodeCall(c tools.Call) toolCall {
	if c.Arguments == nil {
		return toolCall{ID: c.ID, Type: "custom", Custom: &callCustom{Name: c.Name, Input: c.Input}}
	}
	return toolCall{ID: c.ID, Type: "function", Function: &callFunction{Name: c.Name, Arguments: string(c.Arguments)}}
}

// encodeServerCall is a call that the server executes, as far as the event knows what came of it.
func encodeServerCall(e chat.Event) serverCall {
	c := serverCall{ID: e.Call.ID, Type: "mcp_call", Label: e.Hosted.Source, Name: e.Hosted.Tool, Arguments: string(e.Call.Arguments)}
	if e.Kind == chat.HostedAsk {
		c.Type = "approval_request"
	}
	if r := e.Hosted.Result; r != nil {
		c.Output = &r.Text
		if r.Failed {
			c.Output, c.Error = nil, c.Output
		}
	}
	return c
}

func encodeLogprobs(tokens []engine.Token) *logprobs {
	return &logprobs{Content: wire.EncodeLogprobs(tokens), Refusal: []wire.Logprob{}}
}

func finishReason(r chat.Reason) string {
	switch r {
	case chat.Length:
		return "length"
	case chat.ToolCalls:
		return "tool_calls"
	default:
		return "stop"
	}
}

func encodeUsage(u chat.Usage) *usage {
	return &usage{
		PromptTokens: u.Prompt, PromptTokensDetails: promptDetails{u.Cached},
		CompletionTokens: u.Completion, CompletionTokensDetails: completionDetails{u.Reasoning},
		TotalTokens: u.Prompt + u.Completion,
	}
}
