package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tenon/engine"
	"tenon/templates"
)

// API is how an upstream is spoken to. What it has no words for is not sent.
type API struct {
	Path     string
	Sampling string   // of engine.SamplingFields
	Limits   []string // fields that bound an answer's tokens, the likeliest first
	Words    []string // of engine.Can.Chat, beside ChatReads and ChatTools
	Thinks   []string // of them, those of one way to have it think each, the likeliest first
	Body     func(Turn) Object
	// Read decodes an event that is no error. Pieces of calls go to the calls.
	Read func(data []byte, c *Calls) (Piece, error)
}

// Object is one of JSON.
type Object = map[string]any

// Turn is what is asked.
type Turn struct {
	*Conversation
	engine.Wishes
	Seed  *uint32
	Limit string // field that bounds the answer
	Most  int    // its tokens; 0: as many as the upstream likes
	Room  int    // most that the context leaves
}

// Piece is what an event says beside calls.
type Piece struct {
	ID            string // of the answer; "": it tells none
	Begins        bool   // it is the answer's first, wherever events have ids at all
	Text, Thought string
	Whole         bool          // they are all of the answer's, not only what is new
	Ends          engine.Reason // "": the answer goes on
	Usage         *engine.Usage // nil: it tells none
	Last          bool          // nothing of the stream follows
}

// ErrRefused is an answer that ends because the upstream gives none.
var ErrRefused = errors.New("the upstream gives no answer")

// Ending is why an answer ends, in any API's words; "": it goes on.
func Ending(why string) (engine.Reason, error) {
	switch why {
	case "":
		return "", nil
	case "length", "max_tokens", "model_context_window_exceeded":
		return engine.Length, nil
	case "content_filter", "refusal":
		return "", fmt.Errorf("%w: %s", ErrRefused, why)
	case "abort", "error":
		return "", fmt.Errorf("it ended the answer: %s", why)
	}
	return engine.Stop, nil
}

// A conversation as templates.Forward writes it.
type (
	Conversation = templates.Forwarded
	Message      = templates.Message
	Tool         = templates.Tool
)

// Read is the conversation that a prompt is.
func Read(p engine.Prompt) (*Conversation, error) {
	var c Conversation
	if err := json.Unmarshal([]byte(p.String()), &c); err != nil || len(c.Messages) == 0 {
		return nil, fmt.Errorf("%w: the prompt is no conversation", engine.ErrUnsupported)
	}
	return &c, nil
}

// named tells whether a tool that must be called is declared.
func (t Turn) named() bool {
	return slices.ContainsFunc(t.Tools, func(one Tool) bool { return one.Name == t.Tool })
}

// toolOf is a tool as both APIs have it, but for its schema's name.
func toolOf(t Tool, schema string) Object {
	out := Object{"name": t.Name, schema: t.Parameters}
	if t.Parameters == nil {
		out[schema] = Object{"type": "object", "properties": Object{}}
	}
	if t.Description != "" {
		out["description"] = t.Description
	}
	return out
}
