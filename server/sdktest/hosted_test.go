package sdktest

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	turns "tenon/server/chat"
	"tenon/server/servertest"
	"tenon/server/servertest/contract"
	"tenon/tools"
)

// notes is an MCP server with one tool, as far as the loop knows.
type notes struct{}

func (notes) Tools(context.Context) ([]agent.Tool, error) {
	return []agent.Tool{{
		Tool:   tools.Tool{Name: "lookup", Description: "Looks a note up.", Parameters: json.RawMessage(`{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}`)},
		Source: "notes", Approval: agent.Allow,
		Execute: func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
			return agent.Result{Text: "It rains."}, nil
		},
	}}, nil
}

// Connect takes the place of reaching a server that a request names.
func (n notes) Connect(context.Context, turns.HostedTools) (agent.Source, error) { return n, nil }

func serveNotes(t *testing.T, said ...string) served {
	t.Helper()
	var all []enginetest.Reply
	for _, s := range said {
		all = append(all, enginetest.Say(s))
	}
	o := servertest.Options(servertest.Model{ID: model, Engine: enginetest.Script(all...)})
	o.Agent = agent.New(o.Service, agent.Options{Connector: notes{}})
	s := httptest.NewServer(servertest.Watch(server.New(o), func(x servertest.Exchange) {
		for _, err := range append(contract.Faults(x), x.Fault()) {
			if err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(s.Close)
	return served{s.URL, true}
}

const lookup = `{"tool": "lookup", "arguments": {"q": "Oslo"}}`

func notesQuestion(approval string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("What do my notes say?")},
		Tools: []responses.ToolUnionParam{{OfMcp: &responses.ToolMcpParam{
			ServerLabel: "notes", ServerURL: openai.String("http://127.0.0.1:1/mcp"), Authorization: openai.String("secret"),
			RequireApproval: responses.ToolMcpRequireApprovalUnionParam{OfMcpToolApprovalSetting: param.NewOpt(approval)},
		}}},
	}
}

func TestHosted_responsesRunsAnMCPServersTools(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		r := respond(t, openaiClient(serveNotes(t, "Looking. "+lookup, "It rains in Oslo.")), notesQuestion("never"), streamed)
		var kinds []string
		for _, item := range r.Output {
			kinds = append(kinds, item.Type)
			switch v := item.AsAny().(type) {
			case responses.ResponseOutputItemMcpListTools:
				if len(v.Tools) != 1 || v.Tools[0].Name != "lookup" || v.ServerLabel != "notes" {
					t.Errorf("listed %+v", v)
				}
			case responses.ResponseOutputItemMcpCall:
				if v.Name != "lookup" || v.Output != "It rains." || v.Status != "completed" || v.Arguments == "" {
					t.Errorf("called %s", v.RawJSON())
				}
			}
		}
		if got := strings.Join(kinds, " "); got != "mcp_list_tools message mcp_call message" || !strings.HasSuffix(r.OutputText(), "It rains in Oslo.") || strings.Contains(r.RawJSON(), "secret") {
			t.Errorf("streamed %v: %s: %s", streamed, got, r.RawJSON())
		}
	}
}

func TestHosted_responsesAsksForApproval(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		c := openaiClient(serveNotes(t, lookup, "It rains in Oslo."))
		p := notesQuestion("always")
		first := respond(t, c, p, streamed)
		asked, ok := first.Output[len(first.Output)-1].AsAny().(responses.ResponseOutputItemMcpApprovalRequest)
		if !ok || asked.Name != "lookup" {
			t.Fatalf("%s", first.RawJSON())
		}
		p.PreviousResponseID = openai.String(first.ID)
		p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMcpApprovalResponse(asked.ID, true),
		}}
		second := respond(t, c, p, streamed)
		if second.OutputText() != "It rains in Oslo." || !strings.Contains(second.RawJSON(), `"approval_request_id":"`+asked.ID+`"`) {
			t.Errorf("%s", second.RawJSON())
		}
	}
}

func TestHosted_messagesRunsAnMCPServersTools(t *testing.T) {
	p := anthropic.BetaMessageNewParams{
		Model: model, MaxTokens: 200,
		Messages:   []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("What do my notes say?"))},
		MCPServers: []anthropic.BetaRequestMCPServerURLDefinitionParam{{Name: "notes", URL: "http://127.0.0.1:1/mcp", AuthorizationToken: anthropic.String("secret")}},
		Tools:      []anthropic.BetaToolUnionParam{{OfMCPToolset: &anthropic.BetaMCPToolsetParam{MCPServerName: "notes"}}},
	}
	for _, streamed := range []bool{false, true} {
		c := anthropicClient(serveNotes(t, "Looking. "+lookup, "It rains in Oslo.", "Tomorrow too."))
		m := betaMessage(t, c, p, streamed)
		var kinds []string
		for _, block := range m.Content {
			kinds = append(kinds, string(block.Type))
			switch v := block.AsAny().(type) {
			case anthropic.BetaMCPToolUseBlock:
				input, _ := json.Marshal(v.Input)
				if v.Name != "lookup" || v.ServerName != "notes" || !strings.Contains(string(input), "Oslo") {
					t.Errorf("called %+v", v)
				}
			case anthropic.BetaMCPToolResultBlock:
				if v.IsError || !strings.Contains(v.RawJSON(), "It rains.") {
					t.Errorf("result %s", v.RawJSON())
				}
			}
		}
		if got := strings.Join(kinds, " "); got != "mcp_tool_listing text mcp_tool_use mcp_tool_result text" || m.StopReason != anthropic.BetaStopReasonEndTurn {
			t.Errorf("streamed %v: %s %s", streamed, got, m.StopReason)
		}
		on := p
		on.Messages = append(on.Messages[:1:1], m.ToParam(), anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("And tomorrow?")))
		if next := betaMessage(t, c, on, streamed); len(next.Content) == 0 || next.Content[len(next.Content)-1].Text != "Tomorrow too." {
			t.Errorf("streamed %v: %+v", streamed, next)
		}
	}
}

func betaMessage(t *testing.T, c anthropic.Client, p anthropic.BetaMessageNewParams, streamed bool) anthropic.BetaMessage {
	t.Helper()
	if !streamed {
		m, err := c.Beta.Messages.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *m
	}
	stream := c.Beta.Messages.NewStreaming(t.Context(), p)
	var m anthropic.BetaMessage
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			t.Fatalf("the SDK does not take %s: %v", stream.Current().RawJSON(), err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}
