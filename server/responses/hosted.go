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
func (b *builder) hosted(e chat.Event) error {
	if e.Kind != chat.HostedEnd {
		if err := b.close("completed"); err != nil {
			return err
		}
	}
	switch e.Kind {
	case chat.HostedList:
		return b.listed(e)
	case chat.HostedAsk:
		item := mcpAskItem{"mcp_approval_request", e.Call.ID, e.Hosted.Source, e.Hosted.Tool, string(e.Call.Arguments)}
		if err := b.sendAdded(item); err != nil {
			return err
		}
		return b.done(item)
	case chat.HostedStart:
		return b.startHosted(e)
	}
	b.open.runs = e.Hosted
	return b.closeHosted("completed")
}

// listed shows the tools of a server, unless it was asked for under another name than mcp.
func (b *builder) listed(e chat.Event) error {
	if e.Hosted.Kind != "mcp" {
		return nil
	}
	item := mcpListItem{Type: "mcp_list_tools", ID: "mcpl_" + rand.Text(), Label: e.Hosted.Source, Tools: []listedTool{}}
	b.open = openItem{kind: chat.HostedList, id: item.ID}
	if err := b.sendAdded(item); err != nil {
		return err
	}
	for _, t := range e.Hosted.Tools {
		item.Tools = append(item.Tools, listedTool{Name: t.Name, Description: t.Description, Schema: schema(t.Parameters)})
	}
	end := "completed"
	if item.Error = wire.Optional(e.Hosted.Message); item.Error != nil {
		end = "failed"
	}
	return b.sendAll(func() error { return b.done(item) }, event{Type: "response.mcp_list_tools.in_progress"}, event{Type: "response.mcp_list_tools." + end})
}

func schema(raw json.RawMessage) json.RawMessage {
	if wire.IsNull(raw) {
		return json.RawMessage(`{"type":"object"}`)
	}
	return raw
}

// sendAll sends events about the open item, and goes on.
func (b *builder) sendAll(then func() error, all ...event) error {
	for _, e := range all {
		if err := b.sendItem(e); err != nil {
			return err
		}
	}
	return then()
}

func searches(h *chat.HostedCall) bool { return strings.HasPrefix(h.Kind, wire.WebSearch) }

func (b *builder) startHosted(e chat.Event) error {
	b.open = openItem{kind: chat.HostedStart, id: "mcp_" + rand.Text(), runs: e.Hosted}
	b.open.call = functionCallItem{CallID: e.Call.ID, Arguments: string(e.Call.Arguments)}
	nothing := func() error { return nil }
	if searches(e.Hosted) {
		b.open.id = "ws_" + rand.Text()
		if err := b.sendAdded(b.executed("in_progress")); err != nil {
			return err
		}
		return b.sendAll(nothing, event{Type: "response.web_search_call.in_progress"}, event{Type: "response.web_search_call.searching"})
	}
	arguments := b.open.call.Arguments
	b.open.call.Arguments = ""
	if err := b.sendAdded(b.executed("in_progress")); err != nil {
		return err
	}
	b.open.call.Arguments = arguments
	return b.sendAll(nothing, event{Type: "response.mcp_call.in_progress"},
		event{Type: "response.mcp_call_arguments.delta", Delta: &arguments}, event{Type: "response.mcp_call_arguments.done", Arguments: &arguments})
}

// closeHosted ends a call that the server executed, or did not come to the end of.
func (b *builder) closeHosted(status string) error {
	r := b.open.runs.Result
	if r == nil {
		return b.done(b.executed("incomplete"))
	}
	kind := "response.mcp_call."
	if searches(b.open.runs) {
		kind = "response.web_search_call."
	} else if r.Failed {
		status = "failed"
	}
	return b.sendAll(func() error { return b.done(b.executed(status)) }, event{Type: kind + status})
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
