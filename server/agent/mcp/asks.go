//nolint:staticcheck // the newest protocol deprecates sampling; servers of today use it
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/templates"
)

// allow declares what the server may ask for.
func (c *Client) allow(o *sdk.ClientOptions) {
	if c.server.Sampling > 0 {
		o.Capabilities.Sampling, o.CreateMessageHandler = &sdk.SamplingCapabilities{}, c.sample
	}
	if c.server.Elicitation {
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
		o.ElicitationHandler = c.elicit
	}
}

// running is the call for which the server may ask the model or the user.
type running struct {
	ctx context.Context
	aid agent.Aid
}

// run lets the server ask while a call runs. What it asks does not say which call it is for, and
// calls belong to different users: a server that may ask runs one call at a time.
func (c *Client) run(ctx context.Context) (_ context.Context, end func(), err error) {
	aid := agent.AidOf(ctx)
	if aid == nil || c.server.Sampling == 0 && !c.server.Elicitation {
		return ctx, func() {}, nil
	}
	select {
	case c.alone <- struct{}{}:
	case <-ctx.Done():
		return ctx, nil, c.failure("wait for another call", ctx.Err())
	}
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.running = &running{ctx, aid}
	c.mu.Unlock()
	return ctx, func() {
		cancel() // what it still asks ends
		c.mu.Lock()
		c.running = nil
		c.mu.Unlock()
		<-c.alone
	}, nil
}

// asking is the aid of the call that runs, and a context that ends with it or with ctx.
func (c *Client) asking(ctx context.Context) (agent.Aid, context.Context, func(), error) {
	c.mu.Lock()
	r := c.running
	c.mu.Unlock()
	if r == nil {
		return nil, nil, nil, errors.New("no call runs that it could be for")
	}
	within, cancel := context.WithCancel(r.ctx)
	stop := context.AfterFunc(ctx, cancel)
	return r.aid, within, func() { stop(); cancel() }, nil
}

// sample has the model answer what the server asks. Which model it prefers, and which context it
// wants, is not heard.
func (c *Client) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	aid, ctx, end, err := c.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	p, err := c.prompt(r.Params)
	if err != nil {
		return nil, err
	}
	said, err := aid.Sample(ctx, p)
	if err != nil {
		return nil, err
	}
	reason := "endTurn"
	switch {
	case said.Finish.Reason == chat.Length:
		reason = "maxTokens"
	case said.Finish.StopText != "":
		reason = "stopSequence"
	}
	return &sdk.CreateMessageResult{Content: &sdk.TextContent{Text: said.Text}, Model: said.Model, Role: "assistant", StopReason: reason}, nil
}

// prompt is what a server asks the model, without its secrets.
func (c *Client) prompt(r *sdk.CreateMessageParams) (agent.Prompt, error) {
	const mostStops = 16
	p := agent.Prompt{System: c.hide.Replace(r.SystemPrompt), Stops: r.StopSequences, MaxTokens: c.server.Tokens, Most: c.server.Sampling}
	if r.MaxTokens > 0 {
		p.MaxTokens = int(min(r.MaxTokens, int64(c.server.Tokens)))
	}
	if t := float32(r.Temperature); t > 0 {
		p.Temperature = &t
	}
	size := len(p.System)
	for i, m := range r.Messages {
		if m == nil || m.Role != "user" && m.Role != "assistant" {
			return p, fmt.Errorf("messages[%d].role: expected user or assistant", i)
		}
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return p, fmt.Errorf("messages[%d].content: expected text", i)
		}
		p.Messages = append(p.Messages, templates.Message{Role: templates.Role(m.Role), Text: c.hide.Replace(text.Text)})
		size += len(text.Text)
	}
	switch {
	case len(p.Messages) == 0:
		return p, errors.New("messages: there are none")
	case size > longestResult:
		return p, fmt.Errorf("messages: have %d bytes; at most %d are taken", size, longestResult)
	case len(p.Stops) > mostStops:
		return p, fmt.Errorf("stopSequences: has %d; at most %d are taken", len(p.Stops), mostStops)
	}
	return p, nil
}

// elicit has the client's user asked. The SDK has checked that the schema is a form's, and checks
// the answer against it.
func (c *Client) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	aid, ctx, end, err := c.asking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if r.Params.Mode == "url" {
		// an address that a server chooses is shown to nobody
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	schema, err := json.Marshal(r.Params.RequestedSchema)
	if err != nil || len(schema) > longestSchema {
		return nil, errors.New("requestedSchema: is too long")
	}
	reply, err := aid.Elicit(ctx, cutText(c.hide.Replace(r.Params.Message), longestDescribe), json.RawMessage(c.hide.Replace(string(schema))))
	if err != nil {
		return nil, err
	}
	out := &sdk.ElicitResult{Action: reply.Action}
	if reply.Action == "accept" {
		if err := json.Unmarshal(reply.Content, &out.Content); err != nil {
			return nil, errors.New("the user's answer is no object")
		}
	}
	return out, nil
}
