package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
)

// longestResult is how much of a result is taken.
const longestResult = 1 << 20

// call calls a tool as it was offered.
func (c *Client) call(ctx context.Context, offered agent.Tool, arguments json.RawMessage, progress func(agent.Progress)) (agent.Result, error) {
	now, err := c.tools(ctx, false)
	i := slices.IndexFunc(now, func(t agent.Tool) bool { return t.Original == offered.Original })
	switch {
	case err != nil && i < 0:
		return agent.Result{}, err
	case i < 0:
		return agent.Result{Failed: true, Text: "The server does not have this tool any more."}, nil
	case !bytes.Equal(now[i].Parameters, offered.Parameters):
		return agent.Result{Failed: true, Text: "The server has changed this tool since it was offered; the call was not made."}, nil
	}
	s, err := c.connect(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	ctx, end, err := c.run(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	defer end()
	token, steps := rand.Text(), make(chan agent.Progress, 16)
	c.mu.Lock()
	c.calls[token] = steps
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, token)
	}()
	params := &sdk.CallToolParams{Name: offered.Original, Arguments: arguments}
	params.SetProgressToken(token)
	var result *sdk.CallToolResult
	ended := make(chan error, 1)
	go func() {
		var err error
		result, err = s.CallTool(ctx, params)
		ended <- err
	}()
	for {
		select {
		case p := <-steps:
			progress(p)
		case err := <-ended:
			return c.outcome(ctx, result, err)
		}
	}
}

// progress hands on what a server says of a call that runs; what nobody waits for, and what comes
// faster than it is read, is dropped.
func (c *Client) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case c.calls[token] <- agent.Progress{Done: p.Progress, Total: p.Total, Message: cutText(c.hide.Replace(p.Message), 1<<10)}:
	default:
	}
}

// outcome is what a call has come to. An error that the server sends is for the model: it may have
// called wrongly.
func (c *Client) outcome(ctx context.Context, r *sdk.CallToolResult, err error) (agent.Result, error) {
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return agent.Result{}, ctx.Err()
	case errors.As(err, &refused):
		return c.text(refused.Message, true), nil
	case err != nil:
		return agent.Result{}, c.failure("call", err)
	}
	var text strings.Builder
	for _, part := range r.Content {
		text.WriteString(shown(part))
	}
	var structured json.RawMessage
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		if hidden := c.hide.Replace(string(b)); err == nil && len(b) <= longestResult && json.Valid([]byte(hidden)) {
			structured = json.RawMessage(hidden)
		}
	}
	out := c.text(strings.TrimSuffix(text.String(), "\n"), r.IsError)
	out.Structured = structured
	return out, nil
}

func (c *Client) text(s string, failed bool) agent.Result {
	s = c.hide.Replace(s)
	kept := cutText(s, longestResult)
	return agent.Result{Text: kept, Failed: failed, Cut: len(s) - len(kept)}
}

// shown is a part of a result as a model can read it.
func shown(part sdk.Content) string {
	switch p := part.(type) {
	case *sdk.TextContent:
		return p.Text + "\n"
	case *sdk.ImageContent:
		return fmt.Sprintf("[image, %s, %d bytes]\n", p.MIMEType, len(p.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio, %s, %d bytes]\n", p.MIMEType, len(p.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s: %s]\n", p.URI, p.Name)
	case *sdk.EmbeddedResource:
		return contents(p.Resource)
	}
	return ""
}

func contents(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Text == "" && len(r.Blob) > 0:
		return fmt.Sprintf("[resource %s, %s, %d bytes]\n", r.URI, r.MIMEType, len(r.Blob))
	}
	return r.Text + "\n"
}

// cutText is the beginning of a text, to a character's border.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
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

// About tells the server's own name, its version and the protocol's.
func (c *Client) About(ctx context.Context) (string, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	r := s.InitializeResult()
	if r.ServerInfo == nil {
		return "protocol " + r.ProtocolVersion, nil
	}
	return fmt.Sprintf("%.64s %.64s, protocol %s", r.ServerInfo.Name, r.ServerInfo.Version, r.ProtocolVersion), nil
}
