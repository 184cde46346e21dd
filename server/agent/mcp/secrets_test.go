package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
