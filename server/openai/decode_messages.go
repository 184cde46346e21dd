package openai

import (
	"encoding/json"
	"fmt"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/templates"
)

func decodeMessages(w chatRequest, r *chat.Request) error {
	if len(w.Messages) == 0 {
		return chat.Invalidf("messages", "is empty; send at least one message")
	}
	for i, m := range w.Messages {
		field := fmt.Sprintf("messages[%d]", i)
		out, err := m.decode(field)
		if err != nil {
			return err
		}
		unread, err := decodeContent(m.Content, field+".content", &out)
		if err != nil {
			return err
		}
		r.Ignored = append(r.Ignored, unread...)
		executed := executed(m.ServerToolCalls)
		r.Conversation.Messages = append(r.Conversation.Messages, executed...)
		if len(executed) == 0 || out.Content() != "" || len(out.Calls) > 0 {
			r.Conversation.Messages = append(r.Conversation.Messages, out)
		}
	}
	return nil
}

// executed are the calls of an answer that the server executed, each with its result: they came
// before the rest of it.
func executed(all []serverCall) (out []templates.Message) {
	for _, c := range all {
		out = append(out, templates.Message{Role: templates.Assistant, Calls: []templates.Call{{ID: c.ID, Name: c.Name, Arguments: c.Arguments}}})
		result := templates.Message{Role: templates.ToolRole, CallID: c.ID, Name: c.Name, Executed: true}
		switch {
		case c.Error != nil:
			result.Text, result.Failed = *c.Error, true
		case c.Output != nil:
			result.Text = *c.Output
		default: // it waits for approval
			continue
		}
		out = append(out, result)
	}
	return out
}

// decode reads all but the content.
func (m message) decode(field string) (templates.Message, error) {
	out := templates.Message{Name: m.Name, Reasoning: m.ReasoningContent, CallID: m.ToolCallID}
	if out.Reasoning == "" {
		out.Reasoning = m.Reasoning
	}
	switch m.Role {
	case "system", "developer", "user", "assistant", "tool":
		out.Role = templates.Role(m.Role)
	case "function": // the legacy form of a tool's result, matched by name
		out.Role = templates.ToolRole
	default:
		return out, chat.Invalidf(field+".role", "is %q; expected system, developer, user, assistant or tool", m.Role)
	}
	for _, c := range m.ToolCalls {
		out.Calls = append(out.Calls, c.decode())
	}
	if f := m.FunctionCall; f != nil {
		out.Calls = append(out.Calls, templates.Call{Name: f.Name, Arguments: wire.Text(f.Arguments)})
	}
	if m.Refusal != "" && wire.IsNull(m.Content) {
		out.Text = m.Refusal
	}
	return out, nil
}

// decode keeps the call as it came: the healer mends arguments that are no JSON, and a call
// without a name.
func (c sentCall) decode() templates.Call {
	call := templates.Call{ID: c.ID}
	switch {
	case c.Function != nil:
		call.Name, call.Arguments = c.Function.Name, wire.Text(c.Function.Arguments)
	case c.Custom != nil:
		call.Name, call.Arguments = c.Custom.Name, c.Custom.Input
	}
	return call
}

// omitted names the parts that are not served to the model that could not read them.
var omitted = map[string]string{"image_url": "image", "input_audio": "audio", "file": "file"}

func decodeContent(raw json.RawMessage, field string, to *templates.Message) (ignored []string, err error) {
	if wire.IsNull(raw) {
		return nil, nil
	}
	var parts []part
	to.Text, _, ignored, err = wire.TextOr(raw, &parts, field, "parts")
	if err != nil {
		return nil, err
	}
	return ignored, addParts(parts, field, to)
}

func addParts(parts []part, field string, to *templates.Message) error {
	for i, p := range parts {
		switch p.Type {
		case "text":
		case "refusal":
			p.Text = p.Refusal
		case "image_url", "input_audio", "file":
			// the client did not choose what its tool returns
			if to.Role == templates.ToolRole {
				to.Parts = append(to.Parts, templates.Omitted(omitted[p.Type]))
				continue
			}
			return chat.Invalidf(fmt.Sprintf("%s[%d]", field, i), "is of type %s; this server reads text only", p.Type)
		default:
			return chat.Invalidf(fmt.Sprintf("%s[%d].type", field, i), "is %q; expected text", p.Type)
		}
		to.Parts = append(to.Parts, templates.Part{Text: p.Text})
	}
	return nil
}
