package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
)

func contents(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text == "" && len(r.Blob) > 0:
		return fmt.Sprintf("[resource %s, %s, %d bytes]\n", r.URI, r.MIMEType, len(r.Blob))
	}
	return r.Text + "\n"
}

// resourceTools have the model list and read the server's resources.
func (c *Client) resourceTools() []agent.Tool {
	list := c.offer("list_resources", "List the resources of "+c.server.Label+".", nil)
	list.Execute = func(ctx context.Context, _ json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
		found, err := c.Resources(ctx)
		var text strings.Builder
		for _, r := range found {
			fmt.Fprintf(&text, "%s: %s. %s\n", r.URI, r.Name, r.Description)
		}
		return c.text(text.String(), false), err
	}
	read := c.offer("read_resource", "Read a resource of "+c.server.Label+".",
		json.RawMessage(`{"type":"object","properties":{"uri":{"type":"string"}},"required":["uri"],"additionalProperties":false}`))
	read.Execute = func(ctx context.Context, arguments json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
		var a struct{ URI string }
		if err := json.Unmarshal(arguments, &a); err != nil {
			return agent.Result{}, fmt.Errorf("decode the arguments: %w", err)
		}
		text, err := c.Read(ctx, a.URI)
		var refused *jsonrpc.Error
		if errors.As(err, &refused) {
			return c.text(refused.Message, true), nil
		}
		return c.text(text, false), err
	}
	return []agent.Tool{list, read}
}

// Resources are the first of the server's.
func (c *Client) Resources(ctx context.Context) ([]*sdk.Resource, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if caps := s.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
		return nil, nil
	}
	page, err := s.ListResources(ctx, &sdk.ListResourcesParams{})
	if err != nil {
		return nil, c.failure("list its resources", err)
	}
	return page.Resources, nil
}

// Read is the text of a resource.
func (c *Client) Read(ctx context.Context, uri string) (string, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	found, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return "", c.failure("read "+uri, err)
	}
	var text strings.Builder
	for _, r := range found.Contents {
		text.WriteString(contents(r))
	}
	return cutText(c.hide.Replace(text.String()), longestResult), nil
}

// Prompts are the first of the server's.
func (c *Client) Prompts(ctx context.Context) ([]*sdk.Prompt, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if caps := s.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
		return nil, nil
	}
	page, err := s.ListPrompts(ctx, &sdk.ListPromptsParams{})
	if err != nil {
		return nil, c.failure("list its prompts", err)
	}
	return page.Prompts, nil
}

// Prompt is the text of a prompt, each message behind its role.
func (c *Client) Prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	found, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", c.failure("get the prompt "+name, err)
	}
	var text strings.Builder
	for _, m := range found.Messages {
		fmt.Fprintf(&text, "%s: %s", m.Role, shown(m.Content))
	}
	return cutText(c.hide.Replace(text.String()), longestResult), nil
}
