package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"tenon/server/chat"
)

// BuiltIn is the source of the server's own tools, and WebSearch the one that protocols have a
// form of their own for.
const (
	BuiltIn   = "builtin"
	WebSearch = "web_search"
)

// MCPTool is what an entry of tools has beside its type that asks for the tools of an MCP server,
// as Responses has it and, as an addition, Chat Completions. Without server_url the label is a
// source of the configuration's.
type MCPTool struct {
	Label         string            `json:"server_label"`
	Description   Unused            `json:"server_description"` // the server tells what it is
	URL           string            `json:"server_url"`
	Authorization string            `json:"authorization"`
	Headers       map[string]string `json:"headers"`
	Allowed       json.RawMessage   `json:"allowed_tools"`    // names, or a filter
	Approval      json.RawMessage   `json:"require_approval"` // "always", "never", or filters
}

type mcpFilter struct {
	Names    []string `json:"tool_names"`
	ReadOnly *bool    `json:"read_only"`
}

// Decode says in neutral terms what is asked. field is the entry's place.
func (t MCPTool) Decode(field string) (asked chat.HostedTools, err error) {
	if t.Label == "" {
		return asked, chat.Invalidf(field+".server_label", "is required")
	}
	asked = chat.HostedTools{Source: t.Label, URL: t.URL, Headers: t.Headers, Kind: "mcp", Field: field}
	if t.Authorization != "" {
		asked.Headers = maps.Clone(t.Headers)
		if asked.Headers == nil {
			asked.Headers = map[string]string{}
		}
		asked.Headers["Authorization"] = "Bearer " + t.Authorization
	}
	if asked.Names, err = filtered(t.Allowed, field+".allowed_tools"); err == nil {
		asked.Ask, err = approvals(t.Approval, field+".require_approval")
	}
	return asked, err
}

// filtered are the names that a list or a filter has; nil: any.
func filtered(raw json.RawMessage, field string) ([]string, error) {
	if IsNull(raw) {
		return nil, nil
	}
	names := []string{}
	if json.Unmarshal(raw, &names) == nil {
		return names, nil
	}
	var f mcpFilter
	if _, err := DecodePart(raw, &f, field); err != nil {
		return nil, err
	}
	if f.ReadOnly != nil {
		return nil, chat.Invalidf(field+".read_only", "is not supported; name the tools")
	}
	return append(names, f.Names...), nil
}

// approvals tells which calls the client wants to approve: all, unless it says otherwise.
func approvals(raw json.RawMessage, field string) (func(string) bool, error) {
	all := func(string) bool { return true }
	var word string
	switch {
	case IsNull(raw), json.Unmarshal(raw, &word) == nil && word == "always":
		return all, nil
	case word == "never":
		return nil, nil
	case word != "":
		return nil, chat.Invalidf(field, "is %q; expected always, never, or an object of filters", word)
	}
	var filters struct {
		Always json.RawMessage `json:"always"` // as everything that is not never; it wins
		Never  json.RawMessage `json:"never"`
	}
	if _, err := DecodePart(raw, &filters, field); err != nil {
		return nil, err
	}
	never, err := filtered(filters.Never, field+".never")
	if err != nil {
		return nil, err
	}
	always, err := filtered(filters.Always, field+".always")
	return func(tool string) bool { return slices.Contains(always, tool) || !slices.Contains(never, tool) }, err
}
