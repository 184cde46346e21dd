package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"tenon/server/chat"
	"tenon/server/wire"
)

// Message is one of a conversation, as Chat Completions has it.
type Message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	Reasoning string `json:"reasoning_content,omitempty"`
	Calls     []Call `json:"tool_calls,omitempty"`
	CallID    string `json:"tool_call_id,omitempty"`

	Served []ServerCall `json:"server_tool_calls,omitempty"` // of an answer
}

// ServerCall is a call that the server executed, or would execute if it is approved.
type ServerCall struct {
	Index     int     `json:"index"`
	ID        string  `json:"id"`
	Type      string  `json:"type"` // "mcp_call", "approval_request"
	Label     string  `json:"server_label"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    *string `json:"output,omitempty"`
	Error     *string `json:"error,omitempty"`
}

// Approval answers an approval_request.
type Approval struct {
	ID      string `json:"id"`
	Approve bool   `json:"approve"`
}

// Question is what a tool that the server runs asks the user.
type Question struct {
	Label string `json:"server_label"`
	Name  string `json:"name"`
	chat.Question
}

// Answer answers a question of a turn that is shown.
func (c *Client) Answer(ctx context.Context, id string, r chat.Reply) error {
	return c.Post(ctx, "/v1/elicitations", map[string]any{"id": id, "action": r.Action, "content": r.Content}, nil)
}

// Call is one that a model made.
type Call struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// ChatRequest is a turn of a conversation.
type ChatRequest struct {
	Model    string          `json:"model"`
	Messages []Message       `json:"messages"`
	Tools    json.RawMessage `json:"tools,omitempty"`
	// none of them says, too, that the client knows how to approve
	Approvals []Approval `json:"approvals"`
	// whoever is shown the turn answers questions
	Elicits   bool           `json:"elicitation,omitempty"`
	MaxTokens int            `json:"max_tokens,omitempty"`
	Template  map[string]any `json:"chat_template_kwargs,omitempty"`
	Stream    bool           `json:"stream"`
	Timings   bool           `json:"timings_per_token"`
}

// Turn is what came of one.
type Turn struct {
	Message Message      `json:"message"`
	Finish  string       `json:"finish_reason"`
	Timings wire.Timings `json:"timings"`
}

// Shower is told what a model says while it says it. Any may be nil.
type Shower struct {
	Text, Thinking func(string)
	Served         func(ServerCall) // the server begins a call, and has ended it
	// a tool that the server runs asks the user; it waits for the answer
	Asked func(Question)
}

// chunk is a part of a streamed turn.
type chunk struct {
	Choices []struct {
		Delta  Message `json:"delta"`
		Finish string  `json:"finish_reason"`
	} `json:"choices"`
	Timings  *wire.Timings `json:"timings"`
	Question *Question     `json:"server_elicitation"`
	Error    *Error        `json:"error"`
}

// Chat runs a turn. What has come is returned with an error, too: a turn may be stopped.
func (c *Client) Chat(ctx context.Context, r ChatRequest, show Shower) (Turn, error) {
	if r.Stream, r.Timings = true, true; r.Approvals == nil {
		r.Approvals = []Approval{}
	}
	turn := Turn{Message: Message{Role: "assistant"}}
	err := c.Stream(ctx, http.MethodPost, "/v1/chat/completions", r, func(_ string, data []byte) error {
		if string(data) == "[DONE]" {
			return io.EOF
		}
		var part chunk
		if err := json.Unmarshal(data, &part); err != nil {
			return fmt.Errorf("read the server's stream: %w", err)
		}
		if part.Error != nil {
			return part.Error
		}
		turn.add(part, show)
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && turn.Finish == "" {
		err = errors.New("the server's stream ended in the middle of a turn")
	}
	return turn, err
}

func (t *Turn) add(part chunk, show Shower) {
	if part.Timings != nil {
		t.Timings = *part.Timings
	}
	if part.Question != nil && show.Asked != nil {
		show.Asked(*part.Question)
	}
	for _, choice := range part.Choices {
		d := choice.Delta
		if d.Reasoning != "" {
			t.Message.Reasoning += d.Reasoning
			say(show.Thinking, d.Reasoning)
		}
		if d.Content != "" {
			t.Message.Content += d.Content
			say(show.Text, d.Content)
		}
		for _, call := range d.Calls {
			for call.Index >= len(t.Message.Calls) {
				t.Message.Calls = append(t.Message.Calls, Call{Type: "function", Index: len(t.Message.Calls)})
			}
			to := &t.Message.Calls[call.Index]
			to.ID += call.ID
			to.Function.Name += call.Function.Name
			to.Function.Arguments += call.Function.Arguments
		}
		for _, call := range d.Served {
			t.Message.serve(call)
			if show.Served != nil {
				show.Served(t.Message.Served[call.Index])
			}
		}
		if choice.Finish != "" {
			t.Finish = choice.Finish
		}
	}
}

// serve adds a piece of a call that the server executes.
func (m *Message) serve(piece ServerCall) {
	for piece.Index >= len(m.Served) {
		m.Served = append(m.Served, ServerCall{Index: len(m.Served)})
	}
	to := &m.Served[piece.Index]
	to.ID += piece.ID
	to.Type += piece.Type
	to.Label += piece.Label
	to.Name += piece.Name
	to.Arguments += piece.Arguments
	to.Output, to.Error = cmp.Or(piece.Output, to.Output), cmp.Or(piece.Error, to.Error)
}

func say(to func(string), text string) {
	if to != nil {
		to(text)
	}
}
