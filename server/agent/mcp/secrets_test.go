package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
)

// Keys in an address, and those that a server puts into its schemas, are hidden like others.
func TestSecrets_inAddressesAndSchemas(t *testing.T) {
	s := NewServer("x")
	s.URL, s.Headers = "http://127.0.0.1:1/mcp?apiKey="+secret, map[string]string{"X-Key": "an0ther-secret"}
	c := NewClient(s)
	defer c.Close()
	if _, err := c.Tools(t.Context()); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("the log reads %v", err)
	}
	s.URL = "http://127.0.0.1:1/" + secret + "-in-its-path/mcp"
	c = NewClient(s)
	defer c.Close()
	if _, err := c.Tools(t.Context()); err == nil || strings.Contains(err.Error(), secret) || strings.Contains(c.hide.Replace("at "+secret+"-in-its-path"), secret) {
		t.Errorf("the log reads %v", err)
	}
	made, err := c.tool(&sdk.Tool{Name: "t", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"k": map[string]any{"default": "an0ther-secret"}}}})
	if err != nil || strings.Contains(string(made.Parameters), "an0ther-secret") {
		t.Errorf("%s, %v", made.Parameters, err)
	}
}

// What a server says is hidden also where JSON writes it with escapes, and where a limit would
// leave the half of it.
func TestSecrets_escapedAndCut(t *testing.T) {
	const odd = `a"b&c<d>e\f`
	s := NewServer("x")
	s.URL, s.Headers = "http://127.0.0.1:1/mcp", map[string]string{"Authorization": "Bearer " + odd}
	c := NewClient(s)
	defer c.Close()
	r, err := c.outcome(t.Context(), &sdk.CallToolResult{StructuredContent: map[string]any{"k": odd}}, nil)
	if err != nil || string(r.Structured) != `{"k":"[hidden]"}` {
		t.Errorf("%s, %v", r.Structured, err)
	}
	made, err := c.tool(&sdk.Tool{Name: "t", Description: strings.Repeat("x", longestDescribe-4) + odd, InputSchema: map[string]any{"description": odd}})
	if err != nil || string(made.Parameters) != `{"description":"[hidden]"}` || strings.Contains(made.Description, odd[:3]) {
		t.Errorf("%s, %q, %v", made.Parameters, made.Description[longestDescribe-6:], err)
	}
	steps := make(chan agent.Progress, 1)
	c.calls["token"] = steps
	c.progress(&sdk.ProgressNotificationParams{ProgressToken: "token", Message: strings.Repeat("x", 1<<10-4) + odd})
	if p := <-steps; strings.Contains(p.Message, odd[:3]) {
		t.Errorf("%q", p.Message)
	}
}
