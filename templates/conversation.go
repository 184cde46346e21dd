package templates

import (
	"encoding/json"
	"strings"
	"time"
)

// Conversation is what a prompt is rendered from.
type Conversation struct {
	Messages []Message      // if the last is the assistant's, without calls, it is continued
	Tools    []Tool         // declared; the prompt shows them in the order of their names
	Protocol Protocol       // how calls are written; Auto leaves it to the template
	Thinking Thinking       // what the client asked of the model's thinking
	Args     map[string]any // the client's chat_template_kwargs
	// Closed leaves the prompt after the last message, without opening the assistant's turn
	// (add_generation_prompt: false).
	Closed bool
	// Now is the local time that a template may write. It should stay the same while a
	// conversation grows. Zero: the time of rendering.
	Now time.Time
	// Stop is asked now and then while a prompt is made. An error of its ends that, and is what
	// rendering returns. Nil: it goes on to its end.
	Stop func() error `json:"-"`
}

// Thinking is a wish about thinking; the zero value leaves it to the model's template.
type Thinking struct {
	Enabled *bool
	Effort  string // "low", "medium", "high" and what else the template knows
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
	Role      Role
	Name      string // of the author, where a client gives one; in a result the tool's name
	Text      string // content; several text parts are in Parts instead
	Parts     []Part // content in parts; empty when Text holds it
	Reasoning string // an assistant's thinking
	Calls     []Call // an assistant's calls
	CallID    string // in a result: the call it answers
	Failed    bool   // in a result: the tool reported an error
	Executed  bool   // in a result: a server ran the tool, not the client
}

// Part is a piece of a message's content.
type Part struct {
	Text string
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
	ID        string
	Name      string
	Arguments string
}

// Tool is a declared tool as the prompt shows it.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema; nil: no parameters
}
