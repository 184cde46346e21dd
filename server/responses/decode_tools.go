package responses

import (
	"encoding/json"
	"fmt"
	"slices"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

// declare decodes the tools of the request and those that its input adds.
func (d *decoder) declare(w createRequest) error {
	d.tools = append([]tool{}, w.Tools...)
	if err := d.declareAll(w.Tools, "tools", ""); err != nil {
		return err
	}
	added, err := items(w.Input)
	if err != nil {
		return err
	}
	for i, it := range added {
		if it.Type == "additional_tools" {
			if err := d.declareAll(it.Tools, fmt.Sprintf("input[%d].tools", i), ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler: what is not known here of a tool is kept too.
func (t *tool) UnmarshalJSON(b []byte) error {
	type plain tool
	t.raw = slices.Clone(b)
	return json.Unmarshal(b, (*plain)(t))
}

// MarshalJSON implements json.Marshaler: the answer repeats functions with every field that the description demands, and hosted
// tools as they were sent.
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
	case "custom", "namespace":
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
			if namespace != "" {
				return chat.Invalidf(at+".type", "is a namespace inside a namespace")
			}
			if err := d.declareAll(t.Tools, at+".tools", t.Name); err != nil {
				return err
			}
		case "":
			return chat.Invalidf(at+".type", "is required")
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
	if t.Format == nil || t.Format.Type == "text" {
		return out, nil
	}
	if t.Format.Type != "grammar" || (t.Format.Syntax != "lark" && t.Format.Syntax != "regex") {
		return out, chat.Invalidf(field+".format", "is of type %q with syntax %q; expected text, or grammar with lark or regex", t.Format.Type, t.Format.Syntax)
	}
	out.Freeform.Syntax, out.Freeform.Definition = t.Format.Syntax, t.Format.Definition
	return out, nil
}

func (d *decoder) choice(w createRequest) error {
	if wire.IsNull(w.ToolChoice) {
		return nil
	}
	var word string
	if json.Unmarshal(w.ToolChoice, &word) == nil {
		mode, ok := map[string]tools.Mode{"auto": tools.Auto, "none": tools.None, "required": tools.Required}[word]
		if !ok {
			return chat.Invalidf("tool_choice", "is %q; expected auto, none, required or an object that names a tool", word)
		}
		d.turn.Choice.Mode = mode
		return nil
	}
	var c choiceObject
	if err := json.Unmarshal(w.ToolChoice, &c); err != nil {
		return chat.Invalidf("tool_choice", "expected auto, none, required or an object that names a tool")
	}
	switch c.Type {
	case "function", "custom":
		d.turn.Choice = tools.Choice{Mode: tools.Required, Names: []string{tools.PromptName(c.Namespace, c.Name)}}
		return nil
	case "allowed_tools":
		return d.allowed(c)
	}
	return chat.Invalidf("tool_choice.type", "is %q; expected function, custom or allowed_tools", c.Type)
}

func (d *decoder) allowed(c choiceObject) error {
	switch c.Mode {
	case "", "auto":
	case "required":
		d.turn.Choice.Mode = tools.Required
	default:
		return chat.Invalidf("tool_choice.mode", "is %q; expected auto or required", c.Mode)
	}
	for i, t := range c.Tools {
		at := fmt.Sprintf("tool_choice.tools[%d]", i)
		switch {
		case t.Type != "" && t.Type != "function" && t.Type != "custom":
			d.notes = append(d.notes, at+" ("+t.Type+")") // hosted, as in declareAll
		case t.Name == "":
			return chat.Invalidf(at+".name", "is required")
		default:
			d.turn.Choice.Names = append(d.turn.Choice.Names, tools.PromptName(t.Namespace, t.Name))
		}
	}
	if len(d.turn.Choice.Names) == 0 {
		return chat.Invalidf("tool_choice.tools", "names no function and no custom tool")
	}
	return nil
}
