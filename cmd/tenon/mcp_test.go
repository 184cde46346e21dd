package main

import (
	"context"
	"errors"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
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

// A server whose settings stay the same keeps its client over a reload; others are let go.
func TestOffers_keepWhatHasNotChanged(t *testing.T) {
	load := func(text string) *config.Loader {
		path := filepath.Join(t.TempDir(), "tenon.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		l := config.Register(flags)
		if err := errors.Join(flags.Parse([]string{"--config", path}), l.Load(nil)); err != nil {
			t.Fatal(err)
		}
		return l
	}
	first := load("mcp:\n  a: {command: [x]}\n  b: {command: [y]}\n")
	before, stale := offers{}.after(first)
	if len(before.servers) != 2 || len(stale) != 0 || before.connector != nil {
		t.Fatalf("%+v %v", before, stale)
	}
	second := load("mcp:\n  b: {command: [y], timeout: 5s}\n  a: {command: [x]}\n  c: {command: [z]}\nmcp-hosts: [mcp.example.org]\n")
	after, stale := before.after(second)
	if len(after.servers) != 3 || after.servers[1] != before.servers[0] || after.servers[0] == before.servers[1] || len(stale) != 1 || stale[0] != before.servers[1] || after.connector == nil {
		t.Errorf("%+v, stale %v", after, stale)
	}
	changes := first.Changes(second)
	if !slices.ContainsFunc(changes, func(c config.Change) bool { return c.Name == "tools and mcp" && c.Value == "(0 tools, 3 servers)" }) {
		t.Errorf("%v", changes)
	}
}
