package openai

import (
	"encoding/json"
	"fmt"

	"tenon/server/chat"
	"tenon/server/wire"
	"tenon/tools"
)

func decodeTools(w chatRequest, r *chat.Request) error {
	for i, t := range w.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		if t.Type == "mcp" {
			asked, err := t.MCPTool.Decode(at)
			if err != nil {
				return err
			}
			r.Hosted.Asked, r.Hosted.CanAsk = append(r.Hosted.Asked, asked), true
			continue
		}
		decoded, err := t.decode(at)
		if err != nil {
			return err
		}
		r.Tools = append(r.Tools, decoded)
		r.Places.Tools = append(r.Places.Tools, at+"."+t.Type)
	}
	return nil
}

func (t tool) decode(field string) (tools.Tool, error) {
	switch {
	case t.Type == "function" && t.Function != nil:
		f := t.Function
		if f.Name == "" {
			return tools.Tool{}, chat.Invalidf(field+".function.name", "is required")
		}
		return tools.Tool{Name: f.Name, Description: f.Description, Parameters: parameters(f.Parameters), Strict: f.Strict}, nil
	case t.Type == "custom" && t.Custom != nil:
		return t.Custom.decode(field + ".custom")
	case t.Type == "function" || t.Type == "custom":
		return tools.Tool{}, chat.Invalidf(field+"."+t.Type, "is required")
	default:
		return tools.Tool{}, chat.Invalidf(field+".type", "is %q; expected function, custom or mcp", t.Type)
	}
}

// parameters are a function's own, or the empty list that the description says a function without
// any has.
func parameters(raw json.RawMessage) json.RawMessage {
	if wire.IsNull(raw) {
		return json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	return raw
}

func (c wireCustom) decode(field string) (t tools.Tool, err error) {
	if c.Name == "" {
		return t, chat.Invalidf(field+".name", "is required")
	}
	t = tools.Tool{Name: c.Name, Description: c.Description, Freeform: &tools.Freeform{}}
	if c.Format != nil {
		t.Freeform, err = wire.Freeform(field+".format", c.Format.Type, ".grammar", c.Format.Grammar)
	}
	return t, err
}

func decodeChoice(w chatRequest, r *chat.Request) error {
	var c choiceObject
	if isObject, err := wire.ToolChoice(w.ToolChoice, &r.Choice, &c); !isObject {
		return err
	}
	if c.Type == "allowed_tools" && c.Allowed != nil {
		var names []string
		for i, t := range c.Allowed.Tools {
			name, ok := t.name()
			if !ok {
				return chat.Invalidf(fmt.Sprintf("tool_choice.allowed_tools.tools[%d]", i), "names no tool")
			}
			names = append(names, name)
		}
		return wire.AllowedTools("tool_choice.allowed_tools", c.Allowed.Mode, names, &r.Choice)
	}
	name, ok := c.name()
	if !ok {
		return chat.Invalidf("tool_choice.type", "is %q; expected function, custom or allowed_tools, with an object of that name", c.Type)
	}
	r.Choice = tools.Choice{Mode: tools.Required, Names: []string{name}}
	return nil
}

// name is the tool that is named, under the member that its type says.
func (t namedTool) name() (string, bool) {
	switch {
	case t.Type == "function" && t.Function != nil:
		return t.Function.Name, true
	case t.Type == "custom" && t.Custom != nil:
		return t.Custom.Name, true
	}
	return "", false
}

// decodeAnswer decodes what the visible answer must match: one of response_format, grammar and
// json_schema.
func decodeAnswer(w chatRequest, r *chat.Request) error {
	var found []string
	take := func(field, syntax, definition string) {
		found = append(found, field)
		r.Answer, r.AnswerPlace = &tools.Answer{Syntax: syntax, Definition: definition}, chat.AnswerPlace{Field: field}
	}
	if w.Grammar != "" {
		take("grammar", "gbnf", w.Grammar)
	}
	if !wire.IsNull(w.JSONSchema) {
		take("json_schema", "json_schema", string(w.JSONSchema))
	}
	if f := w.ResponseFormat; f != nil && f.Type != "text" {
		if err := f.decode(r); err != nil {
			return err
		}
		found = append(found, "response_format")
	}
	if len(found) > 1 {
		return chat.Invalidf(found[1], "cannot be combined with %s", found[0])
	}
	return nil
}

func (f responseFormat) decode(r *chat.Request) error {
	schema, at := f.Schema, chat.AnswerPlace{Field: "response_format.schema"}
	if f.Type == "json_schema" {
		schema, at.Field = nil, "response_format.json_schema.schema"
		if f.JSONSchema != nil {
			schema, at.Strict = f.JSONSchema.Schema, f.JSONSchema.Strict
		}
	}
	return wire.AnswerFormat("response_format", f.Type, schema, at, r)
}
