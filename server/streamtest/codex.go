package streamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Codex reads a Responses stream as Codex does: it takes calls from finished items alone, counts
// tokens only if all three counts are there, and treats a stream that ends without
// response.completed as broken. A response that ends as incomplete or failed is an answer to it
// too.
func Codex(stream string) error {
	all, err := events(stream)
	if err != nil {
		return err
	}
	for _, e := range all {
		var v responsesEvent
		if err := e.decode(&v); err != nil {
			return err
		}
		if err := v.codex(); err != nil {
			return fmt.Errorf("%s: %w", e.data, err)
		}
		if slices.Contains([]string{"response.completed", "response.incomplete", "response.failed"}, v.Type) {
			return nil
		}
	}
	return errors.New("stream closed before response.completed")
}

func (v responsesEvent) codex() error {
	switch v.Type {
	case "":
		return errors.New("an event without a type")
	case "response.output_item.done":
		return v.Item.codex()
	case "response.output_text.delta":
		if v.Delta == nil {
			return errors.New("no delta")
		}
	case "response.completed":
		if v.Response == nil || v.Response.ID == "" {
			return errors.New("no response id")
		}
		if u := v.Response.Usage; u != nil && (u.InputTokens == nil || u.OutputTokens == nil || u.TotalTokens == nil) {
			return errors.New("usage lacks a count")
		}
	case "response.failed":
		if v.Response == nil || v.Response.Error == nil {
			return errors.New("no error")
		}
	}
	return nil
}

// codex tells whether an item can be replayed and its call run.
func (i *responsesItem) codex() error {
	if i == nil {
		return errors.New("no item")
	}
	switch i.Type {
	case "function_call":
		if i.CallID == "" || i.Name == "" || i.Arguments == nil || !json.Valid([]byte(*i.Arguments)) {
			return errors.New("the call lacks its id, its name or whole arguments")
		}
	case "custom_tool_call":
		if i.CallID == "" || i.Name == "" || i.Input == nil {
			return errors.New("the call lacks its id, its name or its input")
		}
	case "message", "reasoning", "web_search_call":
	case "mcp_call", "mcp_list_tools", "mcp_approval_request": // it passes them over
	default:
		return fmt.Errorf("items of type %q are not known", i.Type)
	}
	return nil
}
