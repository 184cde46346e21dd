package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"tenon/engine"
)

// Completions is OpenAI's /v1/chat/completions. Its newer models refuse max_tokens, and others
// pass over max_completion_tokens.
var Completions = API{
	Path: "/v1/chat/completions", Sampling: "temperature,top_p,presence_penalty,frequency_penalty",
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
	Usage *struct {
		Prompt    int `json:"prompt_tokens"`
		Generated int `json:"completion_tokens"`
		Details   struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type completionsPiece struct {
	Content   string `json:"content"`
	Refusal   string `json:"refusal"`
	Reasoning string `json:"reasoning_content"`
	Thought   string `json:"reasoning"` // its other name
	Calls     []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func readCompletions(data []byte, c *Calls) (p Piece, err error) {
	var in completionsEvent
	if err := json.Unmarshal(data, &in); err != nil {
		return p, fmt.Errorf("an event is not as expected: %w", err)
	}
	if len(in.Error) > 0 && string(in.Error) != "null" {
		return p, ErrTold
	}
	p.ID = in.ID
	if u := in.Usage; u != nil {
		p.Usage = &engine.Usage{Prompt: u.Prompt, Generated: u.Generated, Cached: u.Details.Cached}
	}
	for _, choice := range in.Choices {
		if choice.Index != 0 {
			continue // nobody asked for several
		}
		said := cmp.Or(choice.Message, choice.Delta)
		if said == nil {
			return p, errors.New("an event has neither delta nor message")
		}
		p.Whole = choice.Message != nil
		p.Text += said.Content + said.Refusal
		p.Thought += cmp.Or(said.Reasoning, said.Thought)
		for _, one := range said.Calls {
			c.Add(one.Index, one.ID, one.Function.Name, argumentsText(one.Function.Arguments))
		}
		if p.Ends, err = ending(choice.Finish); err != nil {
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
