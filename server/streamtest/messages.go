package streamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Messages reads an Anthropic stream as the SDKs accumulate it: blocks are numbered from 0 without
// a gap, one is open at a time and takes deltas of its own type only, a call's input is JSON once
// its block ends, and the usage is there from the start.
func Messages(stream string) error {
	all, err := events(stream)
	if err != nil {
		return err
	}
	a := accumulator{}
	for _, e := range all {
		if e.name == "error" {
			return messageError(e)
		}
		if err := a.take(e); err != nil {
			return fmt.Errorf("%s: %w", e.data, err)
		}
	}
	if !a.stopped {
		return errors.New("the stream ends without message_stop")
	}
	return nil
}

// accumulator is a message as far as it is known.
type accumulator struct {
	started, reason, stopped bool

	blocks int // begun so far
	open   *messageBlock
	input  string // of the open block, if it is a call
	signed bool   // the open block has its signature, which comes last
}

type messageBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Thinking  *string         `json:"thinking"`
	Signature *string         `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`

	Server  string          `json:"server_name"` // of what the server executes
	UseID   string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Tools   json.RawMessage `json:"tools"`
}

type messageEvent struct {
	Type    string `json:"type"`
	Index   *int   `json:"index"`
	Message *struct {
		ID      string            `json:"id"`
		Type    string            `json:"type"`
		Role    string            `json:"role"`
		Model   string            `json:"model"`
		Content []json.RawMessage `json:"content"`
		Usage   *messageUsage     `json:"usage"`
	} `json:"message"`
	Block *messageBlock `json:"content_block"`
	Delta *struct {
		Type        string  `json:"type"`
		StopReason  *string `json:"stop_reason"`
		PartialJSON *string `json:"partial_json"`
	} `json:"delta"`
	Usage *messageUsage `json:"usage"`
}

type messageUsage struct {
	InputTokens  *int `json:"input_tokens"`
	OutputTokens *int `json:"output_tokens"`
}

func (a *accumulator) take(e event) error {
	var m messageEvent
	if err := e.decode(&m); err != nil {
		return err
	}
	if m.Type != e.name {
		return fmt.Errorf("the event is called %q", e.name)
	}
	if m.Type == "ping" {
		return nil
	}
	if a.stopped || !a.started && m.Type != "message_start" {
		return errors.New("it stands outside of the message")
	}
	switch m.Type {
	case "message_start":
		return a.start(m)
	case "content_block_start":
		return a.begin(m)
	case "content_block_delta":
		return a.delta(m)
	case "content_block_stop":
		return a.end(m)
	case "message_delta":
		return a.finish(m)
	case "message_stop":
		a.stopped = true
		if !a.reason {
			return errors.New("there was no stop_reason")
		}
		return nil
	}
	return errors.New("unknown type")
}

func (a *accumulator) start(m messageEvent) error {
	s := m.Message
	switch {
	case a.started:
		return errors.New("the message begins twice")
	case s == nil || s.ID == "" || s.Type != "message" || s.Role != "assistant" || s.Model == "" || s.Content == nil || len(s.Content) > 0:
		return errors.New("the message is not an empty one of the assistant")
	case s.Usage == nil || s.Usage.InputTokens == nil || s.Usage.OutputTokens == nil:
		return errors.New("usage.input_tokens or usage.output_tokens is missing")
	}
	a.started = true
	return nil
}

func (a *accumulator) begin(m messageEvent) error {
	switch {
	case a.open != nil:
		return errors.New("another block is open")
	case m.Index == nil || *m.Index != a.blocks:
		return fmt.Errorf("the index is not %d", a.blocks)
	case m.Block == nil || !m.Block.complete():
		return errors.New("the block lacks a field of its type")
	case a.reason:
		return errors.New("the message has its stop_reason")
	}
	a.open, a.input, a.signed = m.Block, "", false
	a.blocks++
	return nil
}

// complete tells whether a block that begins has every field of its type.
func (b *messageBlock) complete() bool {
	switch b.Type {
	case "text":
		return b.Text != nil
	case "thinking":
		return b.Thinking != nil && b.Signature != nil
	case "tool_use":
		return b.ID != "" && b.Name != "" && string(b.Input) == "{}"
	case "mcp_tool_use", "server_tool_use":
		return b.ID != "" && b.Name != "" && string(b.Input) == "{}" && (b.Type == "server_tool_use" || b.Server != "")
	case "mcp_tool_result", "web_search_tool_result":
		return b.UseID != "" && len(b.Content) > 0
	case "mcp_tool_listing":
		return len(b.Tools) > 0
	}
	return false
}

// ownDeltas are the types of delta that a block takes.
var ownDeltas = map[string]map[string]bool{
	"text":     {"text_delta": true},
	"thinking": {"thinking_delta": true, "signature_delta": true},
	"tool_use": {"input_json_delta": true},

	"mcp_tool_use":    {"input_json_delta": true},
	"server_tool_use": {"input_json_delta": true},
}

func (a *accumulator) delta(m messageEvent) error {
	switch {
	case a.open == nil || m.Index == nil || *m.Index != a.blocks-1:
		return errors.New("the block is not open")
	case m.Delta == nil || !ownDeltas[a.open.Type][m.Delta.Type]:
		return fmt.Errorf("a block of type %s takes no such delta", a.open.Type)
	case a.signed:
		return errors.New("the block has its signature already")
	}
	a.signed = m.Delta.Type == "signature_delta"
	if m.Delta.PartialJSON != nil {
		a.input += *m.Delta.PartialJSON
	}
	return nil
}

func (a *accumulator) end(m messageEvent) error {
	if a.open == nil || m.Index == nil || *m.Index != a.blocks-1 {
		return errors.New("the block is not open")
	}
	kind := a.open.Type
	a.open = nil
	switch {
	case kind == "thinking" && !a.signed:
		return errors.New("the thinking has no signature")
	case strings.HasSuffix(kind, "tool_use") && a.input != "" && !json.Valid([]byte(a.input)):
		return fmt.Errorf("the input is no JSON: %s", a.input)
	}
	return nil
}

func (a *accumulator) finish(m messageEvent) error {
	switch {
	case a.open != nil:
		return errors.New("a block is open")
	case m.Delta == nil || m.Delta.StopReason == nil || m.Usage == nil || m.Usage.OutputTokens == nil:
		return errors.New("stop_reason or usage.output_tokens is missing")
	}
	a.reason = true
	return nil
}

// messageError checks the error that a stream may end with.
func messageError(e event) error {
	var m struct {
		Type  string
		Error *struct{ Type, Message string }
	}
	if err := e.decode(&m); err != nil {
		return err
	}
	if m.Type != "error" || m.Error == nil || m.Error.Type == "" || m.Error.Message == "" {
		return fmt.Errorf("%s: the error is not wrapped as the protocol says", e.data)
	}
	return nil
}
