package rest

import (
	"encoding/json"
	"fmt"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
)

// integration is an entry of integrations: the name of a plugin alone, a plugin, or an MCP server
// that the request names.
type integration struct {
	Type    string            `json:"type"` // "plugin", "ephemeral_mcp"
	ID      string            `json:"id"`   // of a plugin: mcp/LABEL
	Label   string            `json:"server_label"`
	URL     string            `json:"server_url"`
	Allowed []string          `json:"allowed_tools"` // nil: all
	Headers map[string]string `json:"headers"`
}

// pluginPrefix begins the ids of MCP servers of the configuration.
const pluginPrefix = "mcp/"

// integrations decodes which tools the server is asked to execute. Approvals have no form in this
// protocol, so tools that need one are not offered.
func (p chatRequest) integrations(r *chat.Request) error {
	for i, raw := range p.Integrations {
		field := fmt.Sprintf("integrations[%d]", i)
		one := integration{Type: "plugin"}
		if json.Unmarshal(raw, &one.ID) != nil {
			if err := known(wire.DecodePart(raw, &one, field)); err != nil {
				return err
			}
		}
		asked := chat.HostedTools{Source: one.Label, URL: one.URL, Headers: one.Headers, Names: one.Allowed, Kind: one.Type, Field: field}
		switch one.Type {
		case "plugin":
			label, ours := strings.CutPrefix(one.ID, pluginPrefix)
			if asked.Source = label; !ours {
				return &chat.Error{Kind: chat.NotSupportedHere, Field: field, Message: fmt.Sprintf("is %q; of plugins there are MCP servers of the configuration alone (mcp/LABEL)", one.ID)}
			}
			asked.URL, asked.Headers = "", nil
		case "ephemeral_mcp":
			if one.Label == "" {
				return missing(field + ".server_label")
			}
			if one.URL == "" {
				return missing(field + ".server_url")
			}
		default:
			return chat.Invalidf(field+".type", "is %q; expected plugin or ephemeral_mcp", one.Type)
		}
		r.Hosted.Asked = append(r.Hosted.Asked, asked)
	}
	return nil
}

func providerOf(h *chat.HostedCall) map[string]string {
	if h.Kind == "ephemeral_mcp" {
		return map[string]string{"type": h.Kind, "server_label": h.Source}
	}
	return map[string]string{"type": "plugin", "plugin_id": pluginPrefix + h.Source}
}

// called is what an answer tells of a call that has ended. What the tool itself calls a failure is
// output, too.
func called(e chat.Event) map[string]any {
	p, r := providerOf(e.Hosted), e.Hosted.Result
	kinds := map[string]string{"unknown": "invalid_name", "invalid": "invalid_arguments"}
	if kind := kinds[r.Why]; kind != "" {
		metadata := map[string]any{"type": kind, "tool_name": e.Hosted.Tool, "arguments": e.Call.Arguments, "provider_info": p}
		return map[string]any{"type": "invalid_tool_call", "reason": r.Text, "metadata": metadata}
	}
	// strings always marshal
	output, _ := json.Marshal([]map[string]string{{"type": "text", "text": r.Text}})
	return map[string]any{"type": "tool_call", "tool": e.Hosted.Tool, "arguments": e.Call.Arguments, "output": string(output), "provider_info": p}
}

// call sends the events of a call that the server executes.
func (t *turn) call(e chat.Event) {
	t.begin("", nil)
	if e.Kind == chat.HostedStart {
		members := map[string]any{"tool": e.Hosted.Tool, "provider_info": providerOf(e.Hosted)}
		t.emit("tool_call.start", members)
		members["arguments"] = e.Call.Arguments
		t.running = members
		t.emit("tool_call.arguments", members)
		return
	}
	t.running = nil
	members := called(e)
	kind := map[any]string{"tool_call": "tool_call.success", "invalid_tool_call": "tool_call.failure"}[members["type"]]
	delete(members, "type")
	t.emit(kind, members)
}
