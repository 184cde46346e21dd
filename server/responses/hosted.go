package responses

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
)

// hosted shows what the server executes: calls of an MCP server's tools, and of its own, are
// mcp_call items; a search that was asked for as OpenAI's is a web_search_call.
func (b *builder) hosted(e chat.Event) {
	if e.Kind != chat.HostedEnd {
		b.close("completed")
	}
	switch e.Kind {
	case chat.HostedList:
		b.listed(e)
	case chat.HostedAsk:
		item := mcpAskItem{"mcp_approval_request", e.Call.ID, e.Hosted.Source, e.Hosted.Tool, string(e.Call.Arguments)}
		b.sendAdded(item)
		b.done(item)
	case chat.HostedStart:
		b.startHosted(e)
	default:
		b.open.runs = e.Hosted
		b.closeHosted("completed")
	}
}

// listed shows the tools of a server, unless it was asked for under another name than mcp.
func (b *builder) listed(e chat.Event) {
	if e.Hosted.Kind != "mcp" {
		return
	}
	item := mcpListItem{Type: "mcp_list_tools", ID: "mcpl_" + rand.Text(), Label: e.Hosted.Source, Tools: []listedTool{}}
	b.open = openItem{kind: chat.HostedList, id: item.ID}
	b.sendAdded(item)
	for _, t := range e.Hosted.Tools {
		item.Tools = append(item.Tools, listedTool{Name: t.Name, Description: t.Description, Schema: schema(t.Parameters)})
	}
	end := "completed"
	if item.Error = wire.Optional(e.Hosted.Message); item.Error != nil {
		end = "failed"
	}
	b.sendItem(event{Type: "response.mcp_list_tools.in_progress"}, event{Type: "response.mcp_list_tools." + end})
	b.done(item)
}

func schema(raw json.RawMessage) json.RawMessage {
	if wire.IsNull(raw) {
		return json.RawMessage(`{"type":"object"}`)
	}
	return raw
}

func searches(h *chat.HostedCall) bool { return strings.HasPrefix(h.Kind, wire.WebSearch) }

func (b *builder) startHosted(e chat.Event) {
	b.open = openItem{kind: chat.HostedStart, id: "mcp_" + rand.Text(), runs: e.Hosted}
	arguments := string(e.Call.Arguments)
	b.open.call = functionCallItem{CallID: e.Call.ID}
	if searches(e.Hosted) {
		b.open.id, b.open.call.Arguments = "ws_"+rand.Text(), arguments
		b.sendAdded(b.executed("in_progress"))
		b.sendItem(event{Type: "response.web_search_call.in_progress"}, event{Type: "response.web_search_call.searching"})
		return
	}
	b.sendAdded(b.executed("in_progress"))
	b.open.call.Arguments = arguments
	b.sendItem(event{Type: "response.mcp_call.in_progress"},
		event{Type: "response.mcp_call_arguments.delta", Delta: &arguments}, event{Type: "response.mcp_call_arguments.done", Arguments: &arguments})
}

// closeHosted ends a call that the server executed, or did not come to the end of.
func (b *builder) closeHosted(status string) {
	switch r := b.open.runs.Result; {
	case r == nil:
		status = "incomplete"
	case searches(b.open.runs):
		b.sendItem(event{Type: "response.web_search_call." + status})
	case r.Failed:
		status = "failed"
		b.sendItem(event{Type: "response.mcp_call.failed"})
	default:
		b.sendItem(event{Type: "response.mcp_call." + status})
	}
	b.done(b.executed(status))
}

// executed is the item of the call that the server executes.
func (b *builder) executed(status string) any {
	o := b.open
	if searches(o.runs) {
		var asked struct {
			Query string `json:"query"`
		}
		_ = json.Unmarshal([]byte(o.call.Arguments), &asked) // it fits the tool's schema
		if status == "incomplete" {
			status = "failed"
		}
		return searchCallItem{"web_search_call", o.id, status, searchAction{"search", asked.Query, []string{asked.Query}}}
	}
	item := mcpCallItem{
		Type: "mcp_call", ID: o.id, Status: status, Label: o.runs.Source, Name: cmp.Or(o.runs.Tool, o.call.Name),
		Arguments: o.call.Arguments, Approval: wire.Optional(o.runs.Approval),
	}
	switch r := o.runs.Result; {
	case r == nil:
	case r.Failed:
		item.Error = &mcpError{"mcp_tool_execution_error", []inputText{{"text", r.Text}}}
	default:
		item.Output = &r.Text
	}
	return item
}
