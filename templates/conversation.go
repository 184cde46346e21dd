package templates

import (
	"encoding/json"
	"strings"
	"time"
)

// Conversation is what a prompt is rendered from.
type Conversation struct {
	// if the last is the assistant's, without calls, it is continued
	Messages []Message `json:"messages"`
	// declared; the prompt shows them in the order of their names
	Tools []Tool `json:"-"`
	// how calls are written; Auto leaves it to the template
	Protocol Protocol `json:"-"`
	// what the client asked of the model's thinking
	Thinking Thinking       `json:"-"`
	Args     map[string]any `json:"chat_template_kwargs,omitempty"`
	// Closed leaves the prompt after the last message, without opening the assistant's turn
	// (add_generation_prompt: false).
	Closed bool `json:"closed,omitempty"`
	// Now is the local time that a template may write. It should stay the same while a
	// conversation grows. Zero: the time of rendering.
	Now time.Time `json:"now,omitzero"`
	// Stop is asked now and then while a prompt is made. An error of its ends that, and is
	// what rendering returns. Nil: it goes on to its end.
	Stop func() error `json:"-"`
}

// Thinking is a wish about thinking; the zero value leaves it to the model's template.
type Thinking struct {
	Enabled *bool `json:"enabled,omitempty"`
	// "low", "medium", "high" and what else the template knows
	Effort string `json:"effort,omitempty"`
}

// Role of a message's author.
type Role string

const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role Role `json:"role"`
	// of the author, where a client gives one; in a result the tool's name
	Name string `json:"name,omitempty"`
	// content; several text parts are in Parts instead
	Text      string `json:"text,omitempty"`
	Parts     []Part `json:"parts,omitempty"`     // content in parts; empty when Text holds it
	Reasoning string `json:"reasoning,omitempty"` // an assistant's thinking
	Calls     []Call `json:"calls,omitempty"`     // an assistant's calls
	CallID    string `json:"call_id,omitempty"`   // in a result: the call it answers
	Failed    bool   `json:"failed,omitempty"`    // in a result: the tool reported an error
	// in a result: a server ran the tool, not the client
	Executed bool `json:"executed,omitempty"`
}

// Part is a piece of a message's content.
type Part struct {
	Text string `json:"text"`
}

// Omitted stands in a tool's result for a part that is not served (kind: "image", "audio",
// "file"), so that the model knows that something was there. Anywhere else such a part is the
// client's error.
func Omitted(kind string) Part {
	return Part{Text: "[" + kind + " omitted: this model reads text only]"}
}

// Content is the message's text, its parts joined by newlines.
func (m Message) Content() string {
	switch len(m.Parts) {
	case 0:
		return m.Text
	case 1:
		return m.Parts[0].Text
	}
	var b strings.Builder
	for i, p := range m.Parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// Call is a call that an assistant made earlier. Arguments is what the client sent, JSON or not.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a declared tool as the prompt shows it.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	// a JSON Schema; nil: no parameters
	Parameters json.RawMessage `json:"parameters,omitempty"`
}
