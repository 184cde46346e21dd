package responses

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/templates"
	"tenon/tools"
)

// conversation gathers items into messages: an assistant's reasoning, text and calls, which are
// items of their own here, are one message to the model.
type conversation struct {
	messages []templates.Message
	pending  *templates.Message // the assistant's, not yet complete
	notes    *[]string
}

func (c *conversation) add(m templates.Message) {
	c.flush()
	c.messages = append(c.messages, m)
}

func (c *conversation) assistant() *templates.Message {
	if c.pending == nil {
		c.pending = &templates.Message{Role: templates.Assistant}
	}
	return c.pending
}

func (c *conversation) flush() {
	if c.pending != nil {
		c.messages = append(c.messages, *c.pending)
		c.pending = nil
	}
}

// item adds one item.
func (c *conversation) item(it item, field string) error {
	switch it.Type {
	case "message", "":
		return c.message(it, field)
	case "reasoning":
		c.reason(it, field)
		return nil
	case "additional_tools": // declared before
		return nil
	case "function_call", "custom_tool_call":
		c.call(it)
		return nil
	case "function_call_output", "custom_tool_call_output":
		return c.result(it, field)
	case "mcp_call":
		c.executed(it)
		return nil
	case "mcp_approval_request":
		c.assistant().Calls = append(c.assistant().Calls, templates.Call{ID: it.ID, Name: it.Name, Arguments: wire.Text(it.Arguments)})
		return nil
	case "mcp_list_tools", "mcp_approval_response":
		// the tools are listed anew; what was approved was done
		return nil
	case "compaction", "context_compaction", "compaction_trigger":
		return chat.Invalidf(field+".type", "is %q; nothing is compacted here", it.Type)
	case "web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call", "computer_call", "computer_call_output",
		"local_shell_call", "local_shell_call_output",
		"shell_call", "shell_call_output", "apply_patch_call", "apply_patch_call_output", "program", "program_output",
		"tool_search_call", "tool_search_output", "tool_search_call_output", "configuration_update", "agent_message":
		*c.notes = append(*c.notes, field+" ("+it.Type+")")
		return nil
	}
	return chat.Invalidf(field+".type", "is %q, which is not known here", it.Type)
}

func (c *conversation) message(it item, field string) error {
	switch it.Role {
	case "user", "system", "developer":
		m := templates.Message{Role: templates.Role(it.Role)}
		parts, err := c.parts(it.Content, field+".content")
		m.Parts = parts
		c.add(m)
		return err
	case "assistant":
		parts, err := c.parts(it.Content, field+".content")
		if m := c.assistant(); len(m.Calls) > 0 || len(m.Parts) > 0 {
			c.flush() // text after calls is a turn of its own
		}
		c.assistant().Parts = parts
		return err
	}
	return chat.Invalidf(field+".role", "is %q; expected user, assistant, system or developer", it.Role)
}

// parts decodes content: a string, or parts of text.
func (c *conversation) parts(raw json.RawMessage, field string) ([]templates.Part, error) {
	if wire.IsNull(raw) {
		return nil, nil
	}
	var in []contentPart
	text, isText, ignored, err := wire.TextOr(raw, &in, field, "parts")
	if err != nil || isText {
		return []templates.Part{{Text: text}}, err
	}
	*c.notes = append(*c.notes, ignored...)
	var out []templates.Part
	for i, p := range in {
		switch p.Type {
		case "input_text", "output_text", "text", "summary_text", "reasoning_text":
			out = append(out, templates.Part{Text: p.Text})
		case "refusal":
			out = append(out, templates.Part{Text: p.Refusal})
		case "input_image", "input_file", "input_audio":
			return nil, chat.Invalidf(fmt.Sprintf("%s[%d]", field, i), "is of type %s; this server reads text only", p.Type)
		default:
			return nil, chat.Invalidf(fmt.Sprintf("%s[%d].type", field, i), "is %q; expected input_text or output_text", p.Type)
		}
	}
	return out, nil
}

// reason adds thinking: its text, or what this server packed into encrypted_content, or its
// summary.
func (c *conversation) reason(it item, field string) {
	m := c.assistant()
	if len(m.Calls) > 0 || len(m.Parts) > 0 {
		c.flush()
		m = c.assistant()
	}
	content, _ := c.parts(it.Content, field) // what cannot be read falls back to the summary
	switch packed, ok := unpack(it.Encrypted); {
	case len(content) > 0:
		m.Reasoning += templates.Message{Parts: content}.Content()
	case ok:
		m.Reasoning += packed
	case it.Encrypted != "" && len(it.Summary) == 0:
		*c.notes = append(*c.notes, field+" (reasoning encrypted elsewhere)")
	default:
		for _, s := range it.Summary {
			m.Reasoning += s.Text
		}
	}
}

func (c *conversation) call(it item) {
	arguments := it.Input
	if it.Type == "function_call" {
		arguments = wire.Text(it.Arguments)
	}
	m := c.assistant()
	m.Calls = append(m.Calls, templates.Call{ID: it.CallID, Name: tools.PromptName(it.Namespace, it.Name), Arguments: arguments})
}

// executed adds a call that the server executed, and its result. The call of an approved one is
// there already.
func (c *conversation) executed(it item) {
	id := it.Approval
	if id == "" || !c.has(id) {
		id = it.ID
		c.assistant().Calls = append(c.assistant().Calls, templates.Call{ID: id, Name: it.Name, Arguments: wire.Text(it.Arguments)})
	}
	m := templates.Message{Role: templates.ToolRole, CallID: id, Name: it.Name, Text: wire.Text(it.Output), Executed: true}
	if !wire.IsNull(it.Error) {
		var e mcpError
		if m.Failed = true; json.Unmarshal(it.Error, &e) == nil && len(e.Content) > 0 {
			m.Text = e.Content[0].Text
		} else {
			m.Text = wire.Text(it.Error)
		}
	}
	c.add(m)
}

func (c *conversation) has(id string) bool {
	c.flush()
	return slices.ContainsFunc(c.messages, func(m templates.Message) bool {
		return slices.ContainsFunc(m.Calls, func(call templates.Call) bool { return call.ID == id })
	})
}

func (c *conversation) result(it item, field string) error {
	m := templates.Message{Role: templates.ToolRole, CallID: it.CallID}
	if it.CallID == "" {
		return chat.Invalidf(field+".call_id", "is required")
	}
	var in []contentPart
	if json.Unmarshal(it.Output, &in) != nil { // the model reads an object as it is
		m.Text = wire.Text(it.Output)
	}
	for _, p := range in {
		if p.Text == "" && strings.HasPrefix(p.Type, "input_") && p.Type != "input_text" {
			m.Parts = append(m.Parts, templates.Omitted(strings.TrimPrefix(p.Type, "input_")))
			continue
		}
		m.Parts = append(m.Parts, templates.Part{Text: p.Text})
	}
	c.add(m)
	return nil
}

// packPrefix marks thinking that was packed here. It is not secret from its own client, so it is
// encoded and no more.
const packPrefix = "tenon1:"

func pack(thinking string) string {
	return packPrefix + base64.RawStdEncoding.EncodeToString([]byte(thinking))
}

func unpack(s string) (string, bool) {
	encoded, ours := strings.CutPrefix(s, packPrefix)
	if !ours {
		return "", false
	}
	b, err := base64.RawStdEncoding.DecodeString(encoded)
	return string(b), err == nil
}
