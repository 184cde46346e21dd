package templates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ReadRequest reads the conversation of an OpenAI chat request: the form in which chat templates themselves take
// messages. Other fields of the request are not looked at. Errors name the field.
func ReadRequest(data []byte, now time.Time) (Conversation, error) {
	var w wireRequest
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // template arguments keep their numbers
	if err := d.Decode(&w); err != nil {
		return Conversation{}, fmt.Errorf("read the request: %w", err)
	}
	end := d.InputOffset()
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Conversation{}, fmt.Errorf("read the request: text follows its JSON object at byte %d", end)
	}
	if len(w.Messages) == 0 {
		return Conversation{}, fmt.Errorf("messages: is empty; send at least one message")
	}
	c := Conversation{Args: w.Args, Now: now, Thinking: Thinking{Effort: w.Effort}, Closed: w.Open != nil && !*w.Open}
	for i, m := range w.Messages {
		message, err := m.message()
		if err != nil {
			return Conversation{}, fmt.Errorf("messages[%d].%w", i, err)
		}
		c.Messages = append(c.Messages, message)
	}
	for i, t := range w.Tools {
		if t.Function.Name == "" {
			return Conversation{}, fmt.Errorf("tools[%d].function.name: is missing", i)
		}
		c.Tools = append(c.Tools, Tool(t.Function))
	}
	return c, nil
}

type wireRequest struct {
	Messages []wireMessage  `json:"messages"`
	Tools    []wireTool     `json:"tools"`
	Args     map[string]any `json:"chat_template_kwargs"`
	Effort   string         `json:"reasoning_effort"`
	Open     *bool          `json:"add_generation_prompt"`
}

type wireMessage struct {
	Role      string          `json:"role"`
	Name      string          `json:"name"`
	Content   json.RawMessage `json:"content"`
	Calls     []wireCall      `json:"tool_calls"`
	Call      *wireFunction   `json:"function_call"` // as it was before there were tools
	CallID    string          `json:"tool_call_id"`
	Reasoning string          `json:"reasoning"`
	Thought   string          `json:"reasoning_content"`
	Thinking  string          `json:"thinking"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type wireTool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func (w wireMessage) message() (Message, error) {
	m := Message{Role: Role(w.Role), Name: w.Name, CallID: w.CallID, Reasoning: w.Reasoning + w.Thought + w.Thinking}
	switch m.Role {
	case System, Developer, User, Assistant, ToolRole:
	case "function":
		m.Role = ToolRole
	default:
		return m, fmt.Errorf("role: is %q; expected system, developer, user, assistant, tool or function", w.Role)
	}
	if w.Call != nil {
		w.Calls = append(w.Calls, wireCall{Function: *w.Call})
	}
	for _, c := range w.Calls {
		m.Calls = append(m.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: argumentText(c.Function.Arguments)})
	}
	var err error
	m.Text, m.Parts, err = readContent(w.Content, m.Role == ToolRole)
	return m, err
}

// argumentText is a call's arguments as text: clients send a string, some an object.
func argumentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// readContent reads a string, null or a list of parts. Only a tool's result may hold parts that are not text.
func readContent(raw json.RawMessage, result bool) (string, []Part, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", nil, fmt.Errorf("content: must be a string or a list of parts")
	}
	var out []Part
	for i, p := range parts {
		kind, _, _ := strings.Cut(p.Type, "_")
		switch {
		case p.Type == "text" || p.Type == "input_text" || p.Type == "output_text" || p.Type == "refusal":
			out = append(out, Part{p.Text})
		case result && kind != "":
			out = append(out, Omitted(kind))
		default:
			return "", nil, fmt.Errorf("content[%d].type: is %q; this version reads text only", i, p.Type)
		}
	}
	return "", out, nil
}
