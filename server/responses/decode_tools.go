package responses

import (
	"encoding/json"
	"fmt"
	"slices"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// declare decodes the tools of the request, those that its input adds, and those that were added
// before.
func (d *decoder) declare(w createRequest) (err error) {
	if d.tools, err = d.readTools(w.Tools, "tools"); err != nil {
		return err
	}
	if err := d.declareAll(d.tools, "tools", ""); err != nil {
		return err
	}
	if err := d.declareAdded(d.items, "input"); err != nil || d.past == nil {
		return err
	}
	before := decoder{}
	if err := before.declareAdded(d.past.whole(), "previous_response_id.items"); err != nil {
		return err
	}
	for i, t := range before.turn.Tools {
		if !slices.ContainsFunc(d.turn.Tools, func(now tools.Tool) bool { return now.Name == t.Name && now.Namespace == t.Namespace }) {
			d.turn.Tools = append(d.turn.Tools, t)
			d.turn.Places.Tools = append(d.turn.Places.Tools, before.turn.Places.Tools[i])
		}
	}
	return nil
}

// ReadTools decodes a tools array, and tells what of it is no part of what a model writes. Its
// errors are *chat.Error.
func ReadTools(raw json.RawMessage) (declared []tools.Tool, left []string, err error) {
	var d decoder
	all, err := d.readTools(raw, "tools")
	if err == nil {
		err = d.declareAll(all, "tools", "")
	}
	return d.turn.Tools, d.notes, err
}

// declareAdded declares the tools of the items of type additional_tools.
func (d *decoder) declareAdded(items []item, field string) error {
	for i, it := range items {
		if it.Type != "additional_tools" {
			continue
		}
		at := fmt.Sprintf("%s[%d].tools", field, i)
		added, err := d.readTools(it.Tools, at)
		if err != nil {
			return err
		}
		if err := d.declareAll(added, at, ""); err != nil {
			return err
		}
	}
	return nil
}

// readTools decodes tools into this protocol's own terms.
func (d *decoder) readTools(raw json.RawMessage, field string) ([]tool, error) {
	if wire.IsNull(raw) {
		return []tool{}, nil
	}
	var all []json.RawMessage
	if _, err := wire.DecodePart(raw, &all, field); err != nil {
		return nil, err
	}
	out := make([]tool, len(all))
	for i, one := range all {
		t, err := d.readTool(one, fmt.Sprintf("%s[%d]", field, i))
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}

// readTool leaves what is not served unread: a hosted tool's members are its own.
func (d *decoder) readTool(raw json.RawMessage, field string) (tool, error) {
	var head struct {
		Type string `json:"type"`
	}
	if _, err := wire.DecodePart(raw, &head, field); err != nil {
		return tool{}, err
	}
	t := tool{Type: head.Type, raw: raw}
	if head.Type == "mcp" {
		var m struct {
			Type wire.Unused `json:"type"`
			wire.MCPTool
		}
		ignored, err := wire.DecodePart(raw, &m, field)
		if err != nil {
			return t, err
		}
		d.notes = append(d.notes, ignored...)
		asked, err := m.Decode(field)
		t.asked, t.raw = &asked, wire.WithoutCredentials(raw)
		return t, err
	}
	if head.Type != "function" && head.Type != "custom" && head.Type != "namespace" {
		return t, nil
	}
	ignored, err := wire.DecodePart(raw, &t, field)
	if err != nil {
		return t, err
	}
	d.notes = append(d.notes, ignored...)
	if head.Type == "namespace" {
		if d.inside { // to read on would copy what is nested once a level
			return t, chat.Invalidf(field+".type", "is a namespace inside a namespace")
		}
		d.inside = true
		defer func() { d.inside = false }()
		t.inner, err = d.readTools(t.Tools, field+".tools")
	}
	return t, err
}

// MarshalJSON implements json.Marshaler: the answer repeats functions with every field that the
// description demands, and hosted tools as they were sent.
func (t tool) MarshalJSON() ([]byte, error) {
	type plain tool
	switch t.Type {
	case "function":
		if t.Strict == nil {
			t.Strict = new(bool)
		}
		if wire.IsNull(t.Parameters) {
			t.Parameters = json.RawMessage("null")
		}
	case "custom":
	case "namespace":
		t.Tools, _ = json.Marshal(t.inner) // it was JSON before
	default:
		return t.raw, nil
	}
	return json.Marshal(plain(t))
}

func (d *decoder) declareAll(all []tool, field, namespace string) error {
	for i, t := range all {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch t.Type {
		case "function", "custom":
			decoded, err := t.decode(at)
			if err != nil {
				return err
			}
			decoded.Namespace = namespace
			d.turn.Tools = append(d.turn.Tools, decoded)
			d.turn.Places.Tools = append(d.turn.Places.Tools, at)
		case "namespace":
			if t.Name == "" {
				return chat.Invalidf(at+".name", "is required")
			}
			if err := d.declareAll(t.inner, at+".tools", t.Name); err != nil {
				return err
			}
		case "":
			return chat.Invalidf(at+".type", "is required")
		case "mcp":
			d.turn.Hosted.Asked = append(d.turn.Hosted.Asked, *t.asked)
			d.turn.Hosted.CanAsk = true // who knows of the servers knows how they ask
		case "web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11":
			d.turn.Hosted.Asked = append(d.turn.Hosted.Asked, chat.HostedTools{Source: wire.BuiltIn, Names: []string{wire.WebSearch}, Kind: t.Type, Optional: true, Field: at})
		default: // a hosted tool: the client knows how to do without
			d.notes = append(d.notes, at+" ("+t.Type+")")
		}
	}
	return nil
}

func (t tool) decode(field string) (tools.Tool, error) {
	if t.Name == "" {
		return tools.Tool{}, chat.Invalidf(field+".name", "is required")
	}
	out := tools.Tool{Name: t.Name, Description: t.Description, Strict: t.Strict != nil && *t.Strict}
	if t.Type == "function" {
		if !wire.IsNull(t.Parameters) {
			out.Parameters = t.Parameters
		}
		return out, nil
	}
	out.Freeform = &tools.Freeform{}
	var err error
	if t.Format != nil {
		out.Freeform, err = wire.Freeform(field+".format", t.Format.Type, "", &t.Format.Grammar)
	}
	return out, err
}

func (d *decoder) choice(w createRequest) error {
	var c choiceObject
	if isObject, err := wire.ToolChoice(w.ToolChoice, &d.turn.Choice, &c); !isObject {
		return err
	}
	switch c.Type {
	case "function", "custom":
		d.turn.Choice = tools.Choice{Mode: tools.Required, Names: []string{tools.PromptName(c.Namespace, c.Name)}}
		return nil
	case "mcp":
		d.turn.Hosted.Choose = &chat.HostedTools{Source: c.Label}
		if c.Name != "" {
			d.turn.Hosted.Choose.Names = []string{c.Name}
		}
		return nil
	case "allowed_tools":
		return d.allowed(c)
	}
	return chat.Invalidf("tool_choice.type", "is %q; expected function, custom, mcp or allowed_tools", c.Type)
}

func (d *decoder) allowed(c choiceObject) error {
	var names []string
	for i, t := range c.Tools {
		at := fmt.Sprintf("tool_choice.tools[%d]", i)
		switch {
		case t.Type != "" && t.Type != "function" && t.Type != "custom":
			d.notes = append(d.notes, at+" ("+t.Type+")") // hosted, as in declareAll
		case t.Name == "":
			return chat.Invalidf(at+".name", "is required")
		default:
			names = append(names, tools.PromptName(t.Namespace, t.Name))
		}
	}
	return wire.AllowedTools("tool_choice", c.Mode, names, &d.turn.Choice)
}
