package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"tenon/engine"
)

// OpenAISampling are the fields of [engine.SamplingFields] that OpenAI's APIs know.
const OpenAISampling = "temperature,top_p,presence_penalty,frequency_penalty"

// Completions is OpenAI's /v1/chat/completions. Its newer models refuse max_tokens, and others
// pass over max_completion_tokens.
var Completions = API{
	Path: "/v1/chat/completions", Sampling: OpenAISampling,
	Limits: []string{"max_tokens", "max_completion_tokens"}, Words: []string{engine.ChatFormat, engine.ChatEffort, engine.ChatSeed},
	Body: completionsBody, Read: readCompletions,
}

func completionsBody(t Turn) Object {
	body := Object{"stream_options": Object{"include_usage": true}}
	if t.Seed != nil {
		body["seed"] = *t.Seed
	}
	if t.Most > 0 {
		body[t.Limit] = t.Most
	}
	if t.Thinking.Effort != "" {
		body["reasoning_effort"] = t.Thinking.Effort
	}
	if t.Format != nil {
		body["response_format"] = Object{"type": "json_schema", "json_schema": Object{"name": "answer", "schema": t.Format}}
	}
	var messages, tools []Object
	for _, m := range t.Messages {
		messages = append(messages, completionsMessage(m))
	}
	for _, tool := range t.Tools {
		tools = append(tools, Object{"type": "function", "function": toolOf(tool, "parameters")})
	}
	if body["messages"] = messages; tools == nil {
		return body
	}
	body["tools"] = tools
	if t.OneCall {
		body["parallel_tool_calls"] = false
	}
	switch {
	case t.named():
		body["tool_choice"] = Object{"type": "function", "function": Object{"name": t.Tool}}
	case t.Call != "":
		body["tool_choice"] = t.Call
	}
	return body
}

func completionsMessage(m Message) Object {
	out := Object{"role": m.Role, "content": m.Text}
	if m.CallID != "" {
		out["tool_call_id"] = m.CallID
	}
	if m.Reasoning != "" {
		out["reasoning_content"] = m.Reasoning
	}
	var calls []Object
	for _, c := range m.Calls {
		calls = append(calls, Object{"id": c.ID, "type": "function", "function": Object{"name": c.Name, "arguments": c.Arguments}})
	}
	if calls == nil {
		return out
	}
	if out["tool_calls"] = calls; m.Text == "" {
		out["content"] = nil
	}
	return out
}

type completionsEvent struct {
	ID      string `json:"id"`
	Choices []struct {
		Index   int               `json:"index"`
		Delta   *completionsPiece `json:"delta"`
		Message *completionsPiece `json:"message"` // the whole
		Finish  string            `json:"finish_reason"`
	} `json:"choices"`
	Usage *CompletionUsage `json:"usage"`
}

// CompletionUsage is a usage as OpenAI's APIs tell it, chat or not.
type CompletionUsage struct {
	Prompt    int `json:"prompt_tokens"`
	Generated int `json:"completion_tokens"`
	Details   struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// Usage is what it says; nil of nil.
func (u *CompletionUsage) Usage() *engine.Usage {
	if u == nil {
		return nil
	}
	return &engine.Usage{Prompt: u.Prompt, Generated: u.Generated, Cached: u.Details.Cached}
}

type completionsPiece struct {
	Content   content         `json:"content"`
	Refusal   string          `json:"refusal"`
	Reasoning string          `json:"reasoning_content"`
	Thought   string          `json:"reasoning"`         // its other name
	Details   json.RawMessage `json:"reasoning_details"` // its parts, as a rule beside it
	Calls     []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// content is a text, or a list of parts.
type content struct {
	text, thought string
	others        []string // types of parts that are neither
}

// UnmarshalJSON implements json.Unmarshaler. Mistral's thinking holds parts again.
func (c *content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &c.text) == nil { // of null it is ""
		return nil
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Refusal  string          `json:"refusal"`
		Summary  string          `json:"summary"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("content is no text and no list of parts: %w", err)
	}
	for _, p := range parts {
		switch p.Type {
		case "text", "refusal":
			c.text += p.Text + p.Refusal
		case "thinking", "reasoning.text", "reasoning.summary":
			c.thought += thinkingText(p.Thinking) + p.Text + p.Summary
		default:
			c.others = append(c.others, p.Type)
		}
	}
	return nil
}

// thinkingText is a thought, which is a text or a list of parts with some.
func thinkingText(raw json.RawMessage) (text string) {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		_ = json.Unmarshal(raw, &text) // anything else is no thought
	}
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func readCompletions(data []byte, c *Calls) (p Piece, err error) {
	var in completionsEvent
	if err := json.Unmarshal(data, &in); err != nil {
		return p, fmt.Errorf("an event is not as expected: %w", err)
	}
	p.ID, p.Usage = in.ID, in.Usage.Usage()
	for _, choice := range in.Choices {
		if choice.Index != 0 {
			continue // nobody asked for several
		}
		// Azure's filter tells its results alone
		said := cmp.Or(choice.Message, choice.Delta, &completionsPiece{})
		p.Whole = choice.Message != nil
		var details content
		_ = json.Unmarshal(said.Details, &details) // they are nobody's standard
		p.Text += said.Content.text + said.Refusal
		p.Thought += cmp.Or(said.Reasoning, said.Thought, details.thought) + said.Content.thought
		for _, kind := range said.Content.others {
			c.note("a part of the answer is of the type %.64q, which is left out", kind)
		}
		for _, one := range said.Calls {
			c.Add(one.Index, one.ID, one.Function.Name, argumentsText(one.Function.Arguments))
		}
		if p.Ends, err = Ending(choice.Finish); err != nil {
			return p, err
		}
	}
	return p, nil
}

// argumentsText is a call's arguments, which are a text that is JSON, or JSON itself.
func argumentsText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil { // of null it is ""
		return text
	}
	return string(bytes.TrimSpace(raw))
}
