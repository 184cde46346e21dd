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

// cutText is the beginning of a text, to a character's border.
func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
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
