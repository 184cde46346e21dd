package chat

import (
	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// RequestTrace is a Request as JSON, without what only the engine needs: how tokens are chosen and
// what is cached for whom. Schemas are strings, because a schema's white space and the order of
// its keys may matter to the prompt.
type RequestTrace struct {
	Messages   []MessageTrace `json:"messages,omitempty"`
	Prompt     []PieceTrace   `json:"prompt,omitempty"` // in place of messages: a text to be continued
	Suffix     string         `json:"suffix,omitempty"` // behind the gap in the text
	Tools      []ToolTrace    `json:"tools,omitempty"`
	Choice     ChoiceTrace    `json:"tool_choice"`
	OneCall    bool           `json:"one_call,omitempty"`
	Thinking   ThinkingTrace  `json:"thinking"`
	Answer     *AnswerTrace   `json:"answer,omitempty"`
	AnswerAt   AnswerPlace    `json:"answer_place,omitzero"`
	Stops      []string       `json:"stops,omitempty"`
	MaxTokens  int            `json:"max_tokens,omitempty"`
	N          int            `json:"n,omitempty"`
	Logprobs   int            `json:"logprobs"`
	ToolFormat string         `json:"tool_format,omitempty"`
	Args       map[string]any `json:"chat_template_kwargs,omitempty"`
	Ignored    []string       `json:"ignored,omitempty"`
}

// The parts of a RequestTrace.
type (
	MessageTrace struct {
		Role      string             `json:"role"`
		Name      string             `json:"name,omitempty"`
		Text      string             `json:"text,omitempty"`
		Parts     []string           `json:"parts,omitempty"`
		Reasoning string             `json:"reasoning,omitempty"`
		Calls     []HistoryCallTrace `json:"calls,omitempty"`
		CallID    string             `json:"call_id,omitempty"`
		Failed    bool               `json:"failed,omitempty"`
		Executed  bool               `json:"executed,omitempty"`
	}
	HistoryCallTrace struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	PieceTrace struct {
		Trusted bool    `json:"trusted,omitempty"`
		Text    string  `json:"text,omitempty"`
		Tokens  []int32 `json:"tokens,omitempty"`
	}
	ToolTrace struct {
		Name        string          `json:"name"`
		Namespace   string          `json:"namespace,omitempty"`
		Description string          `json:"description,omitempty"`
		Parameters  string          `json:"parameters,omitempty"`
		Strict      bool            `json:"strict,omitempty"`
		Freeform    *tools.Freeform `json:"freeform,omitempty"`
	}
	ChoiceTrace struct {
		Mode  string   `json:"mode"` // "auto", "none", "required"
		Names []string `json:"names,omitempty"`
	}
	ThinkingTrace struct {
		Enabled *bool  `json:"enabled,omitempty"`
		Effort  string `json:"effort,omitempty"`
		Budget  int    `json:"budget,omitempty"`
	}
	AnswerTrace struct {
		Syntax     string `json:"syntax"`
		Definition string `json:"definition"`
	}
)

var modes = map[tools.Mode]string{tools.Auto: "auto", tools.None: "none", tools.Required: "required"}

func traceRequest(r Request) RequestTrace {
	out := RequestTrace{
		Choice: ChoiceTrace{modes[r.Choice.Mode], r.Choice.Names}, OneCall: r.OneCall, Thinking: ThinkingTrace(r.Thinking),
		Answer: (*AnswerTrace)(r.Answer), Stops: r.Stops, MaxTokens: r.MaxTokens, N: r.N, Logprobs: r.Logprobs,
		ToolFormat: r.ToolFormat, Args: r.Conversation.Args, Ignored: r.Ignored,
		Suffix: r.Suffix, AnswerAt: r.AnswerPlace,
	}
	for _, m := range r.Conversation.Messages {
		out.Messages = append(out.Messages, traceMessage(m))
	}
	for _, p := range r.Prompt {
		out.Prompt = append(out.Prompt, PieceTrace{p.Origin == engine.Text, p.Text, p.Tokens})
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, ToolTrace{t.Name, t.Namespace, t.Description, string(t.Parameters), t.Strict, t.Freeform})
	}
	return out
}

func traceMessage(m templates.Message) MessageTrace {
	out := MessageTrace{
		Role: string(m.Role), Name: m.Name, Text: m.Text, Reasoning: m.Reasoning, CallID: m.CallID, Failed: m.Failed, Executed: m.Executed,
	}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, p.Text)
	}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, HistoryCallTrace(c))
	}
	return out
}

// request is the Request that was traced.
func (t RequestTrace) request(model string) Request {
	r := Request{
		Model: model, OneCall: t.OneCall, Thinking: Thinking(t.Thinking), Answer: (*tools.Answer)(t.Answer), Stops: t.Stops,
		MaxTokens: t.MaxTokens, N: t.N, Logprobs: t.Logprobs, ToolFormat: t.ToolFormat, Ignored: t.Ignored,
		Suffix: t.Suffix, AnswerPlace: t.AnswerAt,
	}
	for mode, name := range modes {
		if name == t.Choice.Mode {
			r.Choice = tools.Choice{Mode: mode, Names: t.Choice.Names}
		}
	}
	r.Conversation.Args = t.Args
	for _, m := range t.Messages {
		r.Conversation.Messages = append(r.Conversation.Messages, m.message())
	}
	for _, p := range t.Prompt {
		r.Prompt = append(r.Prompt, p.piece())
	}
	for _, tool := range t.Tools {
		r.Tools = append(r.Tools, tool.tool())
	}
	return r
}

func (m MessageTrace) message() templates.Message {
	out := templates.Message{
		Role: templates.Role(m.Role), Name: m.Name, Text: m.Text, Reasoning: m.Reasoning, CallID: m.CallID, Failed: m.Failed, Executed: m.Executed,
	}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, templates.Part{Text: p})
	}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, templates.Call(c))
	}
	return out
}

func (p PieceTrace) piece() engine.Piece {
	switch {
	case len(p.Tokens) > 0:
		return engine.Piece{Origin: engine.Kept, Tokens: p.Tokens}
	case p.Trusted:
		return engine.Piece{Origin: engine.Text, Text: p.Text}
	}
	return engine.Piece{Origin: engine.Content, Text: p.Text}
}

func (t ToolTrace) tool() tools.Tool {
	out := tools.Tool{Name: t.Name, Namespace: t.Namespace, Description: t.Description, Strict: t.Strict, Freeform: t.Freeform}
	if t.Parameters != "" {
		out.Parameters = []byte(t.Parameters)
	}
	return out
}
