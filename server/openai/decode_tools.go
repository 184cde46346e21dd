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
		return tools.Tool{}, chat.Invalidf(field+".type", "is %q; expected function or custom", t.Type)
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

func notNull(raw json.RawMessage) json.RawMessage {
	if wire.IsNull(raw) {
		return nil
	}
	return raw
}

func (c wireCustom) decode(field string) (tools.Tool, error) {
	if c.Name == "" {
		return tools.Tool{}, chat.Invalidf(field+".name", "is required")
	}
	t := tools.Tool{Name: c.Name, Description: c.Description, Freeform: &tools.Freeform{}}
	if c.Format == nil || c.Format.Type == "text" {
		return t, nil
	}
	g := c.Format.Grammar
	if c.Format.Type != "grammar" || g == nil {
		return t, chat.Invalidf(field+".format.type", "is %q; expected text, or grammar with a grammar", c.Format.Type)
	}
	if g.Syntax != "lark" && g.Syntax != "regex" {
		return t, chat.Invalidf(field+".format.grammar.syntax", "is %q; expected lark or regex", g.Syntax)
	}
	if g.Definition == "" {
		return t, chat.Invalidf(field+".format.grammar.definition", "is required")
	}
	t.Freeform.Syntax, t.Freeform.Definition = g.Syntax, g.Definition
	return t, wire.CheckFreeform(field+".format.grammar.definition", g.Syntax, g.Definition)
}

func decodeChoice(w chatRequest, r *chat.Request) error {
	raw := notNull(w.ToolChoice)
	if raw == nil {
		return nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		mode, ok := map[string]tools.Mode{"auto": tools.Auto, "none": tools.None, "required": tools.Required}[word]
		if !ok {
			return chat.Invalidf("tool_choice", "is %q; expected auto, none, required or an object that names a tool", word)
		}
		r.Choice.Mode = mode
		return nil
	}
	var c choiceObject
	if err := json.Unmarshal(raw, &c); err != nil {
		return chat.Invalidf("tool_choice", "expected auto, none, required or an object that names a tool")
	}
	return c.decode(&r.Choice)
}

func (c choiceObject) decode(to *tools.Choice) error {
	switch {
	case c.Type == "function" && c.Function != nil:
		*to = tools.Choice{Mode: tools.Required, Names: []string{c.Function.Name}}
		return nil
	case c.Type == "custom" && c.Custom != nil:
		*to = tools.Choice{Mode: tools.Required, Names: []string{c.Custom.Name}}
		return nil
	case c.Type == "allowed_tools" && c.Allowed != nil:
		return c.allowed(to)
	}
	return chat.Invalidf("tool_choice.type", "is %q; expected function, custom or allowed_tools, with an object of that name", c.Type)
}

func (c choiceObject) allowed(to *tools.Choice) error {
	switch c.Allowed.Mode {
	case "auto", "":
	case "required":
		to.Mode = tools.Required
	default:
		return chat.Invalidf("tool_choice.allowed_tools.mode", "is %q; expected auto or required", c.Allowed.Mode)
	}
	for i, t := range c.Allowed.Tools {
		switch {
		case t.Function != nil:
			to.Names = append(to.Names, t.Function.Name)
		case t.Custom != nil:
			to.Names = append(to.Names, t.Custom.Name)
		default:
			return chat.Invalidf(fmt.Sprintf("tool_choice.allowed_tools.tools[%d]", i), "names no tool")
		}
	}
	if len(to.Names) == 0 {
		return chat.Invalidf("tool_choice.allowed_tools.tools", "is empty")
	}
	return nil
}

// decodeAnswer decodes what the visible answer must match: one of response_format, grammar and
// json_schema.
func decodeAnswer(w chatRequest, r *chat.Request) error {
	var found []string
	take := func(field string, a *tools.Answer, at chat.AnswerPlace) {
		found = append(found, field)
		r.Answer, r.AnswerPlace = a, at
	}
	if w.Grammar != "" {
		take("grammar", &tools.Answer{Syntax: "gbnf", Definition: w.Grammar}, chat.AnswerPlace{Field: "grammar"})
	}
	if s := notNull(w.JSONSchema); s != nil {
		take("json_schema", &tools.Answer{Syntax: "json_schema", Definition: string(s)}, chat.AnswerPlace{Field: "json_schema"})
	}
	if f := w.ResponseFormat; f != nil && f.Type != "text" {
		answer, place, err := f.decode()
		if err != nil {
			return err
		}
		take("response_format", answer, place)
	}
	if len(found) > 1 {
		return chat.Invalidf(found[1], "cannot be combined with %s", found[0])
	}
	return nil
}

func (f responseFormat) decode() (*tools.Answer, chat.AnswerPlace, error) {
	switch f.Type {
	case "json_object":
		if s := notNull(f.Schema); s != nil {
			return &tools.Answer{Syntax: "json_schema", Definition: string(s)}, chat.AnswerPlace{Field: "response_format.schema"}, nil
		}
		return &tools.Answer{Syntax: "json_object"}, chat.AnswerPlace{}, nil
	case "json_schema":
		const field = "response_format.json_schema.schema"
		if f.JSONSchema == nil || notNull(f.JSONSchema.Schema) == nil {
			return nil, chat.AnswerPlace{}, chat.Invalidf(field, "is required")
		}
		return &tools.Answer{Syntax: "json_schema", Definition: string(f.JSONSchema.Schema)}, chat.AnswerPlace{Field: field, Strict: f.JSONSchema.Strict}, nil
	}
	return nil, chat.AnswerPlace{}, chat.Invalidf("response_format.type", "is %q; expected text, json_object or json_schema", f.Type)
}
