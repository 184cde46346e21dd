package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/server/wire"
)

// servers decodes the MCP servers that the request wants called. Approvals have no form in this
// protocol, so tools that need one are not offered.
func (d *decoder) servers(w messagesRequest, r *chat.Request) error {
	for i, s := range w.Servers {
		field := fmt.Sprintf("mcp_servers[%d]", i)
		switch {
		case s.Type != "url" && s.Type != "":
			return chat.Invalidf(field+".type", "is %q; expected url", s.Type)
		case s.Name == "":
			return chat.Invalidf(field+".name", "is required")
		}
		asked := chat.HostedTools{Source: s.Name, URL: s.URL, Kind: "mcp", Field: field}
		if s.Token != "" {
			asked.Headers = map[string]string{"Authorization": "Bearer " + s.Token}
		}
		if c := s.Config; c != nil {
			if asked.Names = c.Allowed; c.Enabled != nil && !*c.Enabled {
				continue
			}
		}
		r.Hosted.Asked, r.Hosted.CanPause = append(r.Hosted.Asked, asked), true
	}
	return nil
}

// toolset decodes an entry of tools that says which tools of a server are wanted.
func (d *decoder) toolset(t tool, field string, r *chat.Request) error {
	i := slices.IndexFunc(r.Hosted.Asked, func(h chat.HostedTools) bool { return h.Source == t.Server && h.Kind == "mcp" })
	if i < 0 {
		return chat.Invalidf(field+".mcp_server_name", "%q is none of mcp_servers", t.Server)
	}
	asked := &r.Hosted.Asked[i]
	asked.Kind = "mcp_toolset"
	if on := t.Default.Enabled; on != nil && !*on {
		asked.Names = []string{}
	}
	for name, c := range t.Configs {
		switch {
		case c.Enabled != nil && !*c.Enabled:
			asked.Without = append(asked.Without, name)
		case asked.Names != nil:
			asked.Names = append(asked.Names, name)
		}
	}
	return nil
}

// listing shows the tools of a server to those who asked for a toolset; nil: nothing is shown.
func listing(e chat.Event) *mcpListingBlock {
	if e.Hosted.Kind != "mcp_toolset" || e.Hosted.Message != "" {
		return nil
	}
	b := &mcpListingBlock{Type: "mcp_tool_listing", Server: e.Hosted.Source, Tools: []listedTool{}}
	for _, t := range e.Hosted.Tools {
		if t.Parameters == nil {
			t.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		b.Tools = append(b.Tools, listedTool{t.Name, t.Description, t.Parameters})
	}
	return b
}

// searches tells that a search was asked for as Anthropic's.
func searches(h *chat.HostedCall) bool { return strings.HasPrefix(h.Kind, wire.WebSearch+"_") }

// use is the block of a call that the server executes.
func use(e chat.Event, input json.RawMessage) any {
	if searches(e.Hosted) {
		return toolUseBlock{"server_tool_use", useID(e), wire.WebSearch, input}
	}
	return mcpUseBlock{"mcp_tool_use", useID(e), e.Hosted.Tool, e.Hosted.Source, input}
}

func useID(e chat.Event) string {
	if searches(e.Hosted) {
		return "srvtoolu_" + e.Call.ID
	}
	return "mcptoolu_" + e.Call.ID
}

// result is the block of what came of it. A search's text goes into the member that only the
// server that wrote it reads.
func result(e chat.Event) any {
	r := e.Hosted.Result
	if !searches(e.Hosted) {
		return mcpResultBlock{"mcp_tool_result", useID(e), r.Failed, []textBlock{{"text", r.Text}}}
	}
	out := searchResultBlock{Type: "web_search_tool_result", UseID: useID(e)}
	if r.Failed {
		out.Content = searchErrorBlock{"web_search_tool_result_error", "unavailable"}
		return out
	}
	var found struct {
		Results []foundBlock `json:"results"`
	}
	// a search that tells no addresses has found one text
	_ = json.Unmarshal(r.Structured, &found)
	if len(found.Results) == 0 {
		found.Results = []foundBlock{{}}
	}
	for i := range found.Results {
		found.Results[i].Type = "web_search_result"
	}
	found.Results[0].Sealed = sealPrefix + base64.StdEncoding.EncodeToString([]byte(r.Text))
	out.Content = found.Results
	return out
}

// sealPrefix marks a search's text that was written here.
const sealPrefix = "tenon1:"

// executed is what the model is told of a result that came in an answer.
func (d *decoder) executed(b block) string {
	var found []foundBlock
	if json.Unmarshal(b.Content, &found) == nil && len(found) > 0 {
		if sealed, ours := strings.CutPrefix(found[0].Sealed, sealPrefix); ours {
			if text, err := base64.StdEncoding.DecodeString(sealed); err == nil {
				return string(text)
			}
		}
	}
	var text string
	var parts []block
	switch {
	case json.Unmarshal(b.Content, &text) == nil:
		return text
	case b.Type == "mcp_tool_result" && json.Unmarshal(b.Content, &parts) == nil:
		return texts(parts)
	}
	return withoutSecrets(b.Content)
}
