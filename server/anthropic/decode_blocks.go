package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/templates"
)

// message decodes one message. A user's message with results becomes several: each result is a
// turn of its own, and what the user says beside them follows.
func (d *decoder) message(m message, field string) ([]templates.Message, error) {
	switch m.Role {
	case "system":
		s, err := d.system(m.Content, field+".content")
		return []templates.Message{s}, err
	case "user", "assistant":
	default:
		return nil, chat.Invalidf(field+".role", "is %q; expected user or assistant", m.Role)
	}
	if wire.IsNull(m.Content) {
		return nil, chat.Invalidf(field+".content", "is required")
	}
	blocks, err := d.blocks(m.Content, field+".content")
	if err != nil {
		return nil, err
	}
	if m.Role == "assistant" {
		return d.assistant(blocks, field+".content")
	}
	return d.user(blocks, field+".content")
}

func (d *decoder) user(blocks []block, field string) ([]templates.Message, error) {
	var out []templates.Message
	said := templates.Message{Role: templates.User}
	for i, b := range blocks {
		at := fmt.Sprintf("%s[%d]", field, i)
		if b.Type == "tool_result" {
			result, err := d.result(b, at)
			if err != nil {
				return nil, err
			}
			out = append(out, result)
			continue
		}
		text, err := d.text(b, at)
		if err != nil {
			return nil, err
		}
		said.Parts = append(said.Parts, templates.Part{Text: text})
	}
	if len(said.Parts) > 0 || len(out) == 0 {
		out = append(out, said)
	}
	return out, nil
}

// result decodes a tool's result. An image in it, or a document that is no text, becomes a named
// placeholder: the model is told that there was one.
func (d *decoder) result(b block, field string) (templates.Message, error) {
	m := templates.Message{Role: templates.ToolRole, CallID: b.ToolUseID, Failed: b.IsError}
	if b.ToolUseID == "" {
		return m, chat.Invalidf(field+".tool_use_id", "is required")
	}
	if wire.IsNull(b.Content) {
		return m, nil
	}
	blocks, err := d.blocks(b.Content, field+".content")
	if err != nil {
		return m, err
	}
	for i, inner := range blocks {
		if inner.Type == "image" || inner.Type == "document" && inner.unread() {
			m.Parts = append(m.Parts, templates.Omitted(inner.Type))
			continue
		}
		text, err := d.text(inner, fmt.Sprintf("%s.content[%d]", field, i))
		if err != nil {
			return m, err
		}
		m.Parts = append(m.Parts, templates.Part{Text: text})
	}
	return m, nil
}

// unread says whether a document is of a kind that is known and not served.
func (b block) unread() bool {
	var from source
	if json.Unmarshal(b.Source, &from) != nil { // which document reports
		return false
	}
	return from.Type == "base64" || from.Type == "url" || from.Type == "file"
}

// text is what a block that holds text says.
func (d *decoder) text(b block, field string) (string, error) {
	switch b.Type {
	case "text":
		return b.Text, nil
	case "document":
		return d.document(b, field)
	case "search_result":
		blocks, err := d.blocks(b.Content, field+".content")
		if err != nil {
			return "", err
		}
		return b.Title + "\n" + b.address() + texts(blocks), nil
	case "tool_reference":
		return "[tool " + b.ToolName + "]", nil
	case "image":
		return "", chat.Invalidf(field, "is an image; this server reads text only")
	case "":
		return "", chat.Invalidf(field+".type", "is required")
	}
	return "", chat.Invalidf(field+".type", "is %q, which is not known here", b.Type)
}

// address is the line that says where a search result was found.
func (b block) address() string {
	var source string
	if json.Unmarshal(b.Source, &source) != nil || source == "" {
		return ""
	}
	return source + "\n"
}

// withoutSecrets is a server tool's result without the members that only Anthropic's servers can
// read: those of a web search are thousands of characters long.
func withoutSecrets(raw json.RawMessage) string {
	if !bytes.Contains(raw, []byte(`"encrypted_`)) {
		return string(raw)
	}
	var all []map[string]json.RawMessage
	one := map[string]json.RawMessage{}
	switch {
	case json.Unmarshal(raw, &all) == nil:
		for _, m := range all {
			dropSecrets(m)
		}
		raw, _ = json.Marshal(all) // it was JSON
	case json.Unmarshal(raw, &one) == nil:
		dropSecrets(one)
		raw, _ = json.Marshal(one)
	}
	return string(raw)
}

func dropSecrets(m map[string]json.RawMessage) {
	maps.DeleteFunc(m, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "encrypted_") })
}

func (d *decoder) document(b block, field string) (string, error) {
	var from source
	if wire.IsNull(b.Source) {
		return "", chat.Invalidf(field+".source", "is required")
	}
	ignored, err := wire.DecodePart(b.Source, &from, field+".source")
	if err != nil {
		return "", err
	}
	d.notes = append(d.notes, ignored...)
	var body string
	switch from.Type {
	case "text":
		body = from.Data
	case "content":
		blocks, err := d.blocks(from.Content, field+".source.content")
		if err != nil {
			return "", err
		}
		body = texts(blocks)
	default:
		return "", chat.Invalidf(field+".source.type", "is %q; this server reads documents of type text and content only", from.Type)
	}
	for _, head := range []string{b.Context, b.Title} {
		if head != "" {
			body = head + "\n\n" + body
		}
	}
	return body, nil
}

// texts is what the blocks of text among others say.
func texts(blocks []block) string {
	var said templates.Message
	for _, b := range blocks {
		if b.Type == "text" {
			said.Parts = append(said.Parts, templates.Part{Text: b.Text})
		}
	}
	return said.Content()
}

// assistant decodes an answer. What a server executed in it divides it: a call's result is a
// message of its own.
func (d *decoder) assistant(blocks []block, field string) ([]templates.Message, error) {
	var out []templates.Message
	m := templates.Message{Role: templates.Assistant}
	for i, b := range blocks {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch b.Type {
		case "thinking":
			if err := d.thought(b, at, &m); err != nil {
				return nil, err
			}
		case "redacted_thinking":
			d.notes = append(d.notes, at+" ("+b.Type+")")
		case "mcp_tool_listing": // the tools are listed anew
		case "tool_use", "mcp_tool_use", "server_tool_use":
			m.Calls = append(m.Calls, templates.Call{ID: b.ID, Name: b.Name, Arguments: arguments(b.Input)})
		case "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "bash_code_execution_tool_result",
			"text_editor_code_execution_tool_result", "mcp_tool_result", "tool_search_tool_result":
			if !empty(m) {
				out = append(out, m)
			}
			m = templates.Message{Role: templates.Assistant}
			out = append(out, templates.Message{Role: templates.ToolRole, CallID: b.ToolUseID, Text: d.executed(b), Failed: b.IsError, Executed: true})
		default:
			text, err := d.text(b, at)
			if err != nil {
				return nil, err
			}
			m.Parts = append(m.Parts, templates.Part{Text: text})
		}
	}
	if len(out) == 0 || !empty(m) {
		out = append(out, m)
	}
	return out, nil
}

func empty(m templates.Message) bool { return len(m.Parts)+len(m.Calls)+len(m.Reasoning) == 0 }

func arguments(input json.RawMessage) string {
	if wire.IsNull(input) {
		return "{}"
	}
	return string(input)
}

// thought takes thinking that this server wrote. What another server signed is left out and
// reported: a conversation may have begun elsewhere. What was changed is refused, as the protocol
// demands.
func (d *decoder) thought(b block, field string, to *templates.Message) error {
	switch d.signer.check(b.Thinking, b.Signature) {
	case valid:
		to.Reasoning += b.Thinking
	case foreign:
		d.notes = append(d.notes, field+" (thinking signed elsewhere)")
	case altered:
		return chat.Invalidf(field+".signature", "does not belong to this thinking, which must be sent back unchanged")
	}
	return nil
}
