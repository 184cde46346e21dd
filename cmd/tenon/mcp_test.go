package main

import (
	"context"
	"log"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpEnv makes the test's own program an MCP server.
const mcpEnv = "TEST_RUNS_MCP"

func serveMCP() {
	s := sdk.NewServer(&sdk.Implementation{Name: "clock", Version: "1.0"}, nil)
	type zone struct {
		Zone string `json:"zone" jsonschema:"a name such as Europe/Paris"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "now", Description: "Tell the time."}, func(_ context.Context, _ *sdk.CallToolRequest, z zone) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "12:00 in " + z.Zone}}}, nil, nil
	})
	s.AddResource(&sdk.Resource{URI: "clock://zones", Name: "the zones"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "clock://zones", Text: "Europe/Paris"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "ask", Description: "Ask for the time.", Arguments: []*sdk.PromptArgument{{Name: "zone"}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text := &sdk.TextContent{Text: strings.TrimSpace("What time is it? " + r.Params.Arguments["zone"])}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: text}}}, nil
	})
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		log.Print(err)
	}
}
