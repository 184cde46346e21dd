package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/tools"
)

// What OpenAI's protocols share about tools, thinking and the answer's form. They differ in where
// things stand.

// ToolChoice decodes tool_choice: a word, or an object, which is read into object.
func ToolChoice(raw json.RawMessage, to *tools.Choice, object any) (isObject bool, err error) {
	if IsNull(raw) {
		return false, nil
	}
	var word string
	if json.Unmarshal(raw, &word) == nil {
		mode, ok := map[string]tools.Mode{"auto": tools.Auto, "none": tools.None, "required": tools.Required}[word]
		if !ok {
			return false, chat.Invalidf("tool_choice", "is %q; expected auto, none, required or an object that names a tool", word)
		}
		to.Mode = mode
		return false, nil
	}
	if json.Unmarshal(raw, object) != nil {
		return false, chat.Invalidf("tool_choice", "expected auto, none, required or an object that names a tool")
	}
	return true, nil
}

// AllowedTools decodes the choice among the tools of those names. field is its place.
func AllowedTools(field, mode string, names []string, to *tools.Choice) error {
	switch mode {
	case "", "auto":
	case "required":
		to.Mode = tools.Required
	default:
		return chat.Invalidf(field+".mode", "is %q; expected auto or required", mode)
	}
	if to.Names = names; len(names) == 0 {
		return chat.Invalidf(field+".tools", "names no function and no custom tool")
	}
	return nil
}

// Grammar is what a custom tool's input must match.
type Grammar struct {
	Syntax     string `json:"syntax,omitempty"` // "lark", "regex"
	Definition string `json:"definition,omitempty"`
}

// Freeform decodes a custom tool's format, which stands at field; its grammar stands at inside of
// it.
func Freeform(field, kind, inside string, g *Grammar) (*tools.Freeform, error) {
	switch {
	case kind == "text":
		return &tools.Freeform{}, nil
	case kind != "grammar" || g == nil:
		return nil, chat.Invalidf(field+".type", "is %q; expected text, or grammar with a grammar", kind)
	case g.Syntax != "lark" && g.Syntax != "regex":
		return nil, chat.Invalidf(field+inside+".syntax", "is %q; expected lark or regex", g.Syntax)
	case g.Definition == "":
		return nil, chat.Invalidf(field+inside+".definition", "is required")
	}
	return &tools.Freeform{Syntax: g.Syntax, Definition: g.Definition}, checkFreeform(field+inside+".definition", *g)
}

// Effort decodes how much is to be thought: a word of [chat.Efforts], or none; "" is the model's
// own.
func Effort(field, effort string, to *chat.Thinking) error {
	const none = "none"
	if effort == none {
		to.Enabled = new(bool)
		return nil
	}
	return OneEffort(field, effort, append([]string{none}, chat.Efforts...), to)
}

// OneEffort decodes how much is to be thought, in the words that a protocol has for it.
func OneEffort(field, effort string, words []string, to *chat.Thinking) error {
	if last := len(words) - 1; effort != "" && !slices.Contains(words, effort) {
		return chat.Invalidf(field, "is %q; expected %s or %s", effort, strings.Join(words[:last], ", "), words[last])
	}
	to.Effort = effort
	return nil
}

// TopLogprobs decodes how many alternatives of each token are told; nil is absent.
func TopLogprobs(n *int, to *int) error {
	if n == nil {
		return nil
	}
	if err := (Number{Name: "top_logprobs", Max: 20}).Check(float64(*n)); err != nil {
		return err
	}
	if *n > 0 {
		*to = *n
	}
	return nil
}

// AnswerFormat decodes what an answer must be, of a type that is not text: any object, or what
// matches a schema, whose place is at. field is where the type stands.
func AnswerFormat(field, kind string, schema json.RawMessage, at chat.AnswerPlace, to *chat.Request) error {
	switch {
	case kind != "json_object" && kind != "json_schema":
		return chat.Invalidf(field+".type", "is %q; expected text, json_object or json_schema", kind)
	case kind == "json_schema" && IsNull(schema):
		return chat.Invalidf(at.Field, "is required beside json_schema")
	case IsNull(schema):
		to.Answer, to.AnswerPlace = &tools.Answer{Syntax: "json_object"}, chat.AnswerPlace{}
	default:
		to.Answer, to.AnswerPlace = &tools.Answer{Syntax: "json_schema", Definition: string(schema)}, at
	}
	return nil
}
