//nolint:staticcheck // the newest protocol deprecates sampling; servers of today use it
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
	"tenon/server/chat"
)

// helper answers what servers ask, and keeps it.
type helper struct {
	mu      sync.Mutex
	prompts []agent.Prompt
	asked   []string
	reply   chat.Reply
}

func (h *helper) Sample(_ context.Context, p agent.Prompt) (agent.Sampled, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.prompts = append(h.prompts, p); len(h.prompts) > p.Most {
		return agent.Sampled{}, errors.New("no more")
	}
	return agent.Sampled{Text: "A summary.", Model: "m", Finish: chat.Finish{Reason: chat.Length}}, nil
}

func (h *helper) Elicit(_ context.Context, message string, schema json.RawMessage) (chat.Reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, message+" "+string(schema))
	return h.reply, nil
}

// asker is a server whose tool asks the model and the user in the way of the newest protocol,
// which the SDK turns into the older one where a client knows no other.
func asker(sample *sdk.CreateMessageParams, elicit *sdk.ElicitParams) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "asker"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(_ context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		if r.Params.InputResponses == nil {
			asks := sdk.InputRequestMap{}
			if sample != nil {
				asks["s"] = sample
			}
			if elicit != nil {
				asks["e"] = elicit
			}
			return &sdk.CallToolResult{InputRequests: asks}, nil, nil
		}
		b, err := json.Marshal(r.Params.InputResponses)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(b)}}}, nil, err
	})
	return s
}

func TestAsks_areServedWhereTheSettingsAllowThem(t *testing.T) {
	prompt := &sdk.CreateMessageParams{
		SystemPrompt: "Be short.", MaxTokens: 1 << 40, Temperature: 0.5, StopSequences: []string{"END"}, IncludeContext: "allServers",
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Sum up, key " + secret}}},
	}
	question := &sdk.ElicitParams{Message: "Which day?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"day":{"type":"integer"}}}`)}
	for _, c := range []struct {
		name     string
		settings func(*Server)
		sample   *sdk.CreateMessageParams
		elicit   *sdk.ElicitParams
		want     string // in the result, or behind ! in the error
	}{
		{"neither is allowed", func(*Server) {}, prompt, nil, "!support"},
		{"only elicitation is", func(s *Server) { s.Elicitation = true }, prompt, nil, "!support"},
		{"only sampling is", func(s *Server) { s.Sampling = 2 }, nil, question, "!support"},
		{"sampling", func(s *Server) { s.Sampling = 2 }, prompt, nil, "A summary."},
		{"elicitation", func(s *Server) { s.Elicitation = true }, nil, question, `"day":3`},
		{"both", func(s *Server) { s.Sampling, s.Elicitation = 2, true }, prompt, question, "A summary."},
		{"a picture", func(s *Server) { s.Sampling = 2 }, &sdk.CreateMessageParams{Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.ImageContent{MIMEType: "image/png"}}}}, nil, "!expected text"},
		{"another role", func(s *Server) { s.Sampling = 2 }, &sdk.CreateMessageParams{Messages: []*sdk.SamplingMessage{{Role: "system", Content: &sdk.TextContent{Text: "x"}}}}, nil, "!expected user or assistant"},
		{"nothing", func(s *Server) { s.Sampling = 2 }, &sdk.CreateMessageParams{}, nil, "!there are none"},
		{"too much", func(s *Server) { s.Sampling = 2 }, &sdk.CreateMessageParams{Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: strings.Repeat("x", longestResult+1)}}}}, nil, "!at most"},
		{"an address", func(s *Server) { s.Elicitation = true }, nil, &sdk.ElicitParams{Mode: "url", URL: "https://evil.example", ElicitationID: "1"}, "!support"},
		{"a form that is none", func(s *Server) { s.Elicitation = true }, nil, &sdk.ElicitParams{Message: "?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object"}}}`)}, "!unsupported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, _ := overHTTP(t, asker(c.sample, c.elicit))
			client.server.Headers = map[string]string{"Authorization": "Bearer " + secret}
			client.hide = client.server.secrets()
			c.settings(client.server)
			tools, err := client.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h := &helper{reply: chat.Reply{Action: "accept", Content: json.RawMessage(`{"day":3}`)}}
			r, err := tools[0].Execute(agent.WithAid(t.Context(), h), json.RawMessage(`{}`), func(agent.Progress) {})
			got := fmt.Sprint(r.Text, err)
			want, wrong := strings.CutPrefix(c.want, "!")
			if !strings.Contains(got, want) || wrong != (err != nil || r.Failed) {
				t.Errorf("%+v, %v", r, err)
			}
			if c.sample == prompt && !wrong {
				p := h.prompts[0]
				if p.MaxTokens != 1024 || p.Most != 2 || *p.Temperature != 0.5 || p.Stops[0] != "END" || p.System != "Be short." || p.Messages[0].Text != "Sum up, key [hidden]" {
					t.Errorf("%+v", p)
				}
				if !strings.Contains(got, `"stopReason":"maxTokens"`) {
					t.Error(got)
				}
			}
			if c.elicit != question && len(h.asked) > 0 {
				t.Errorf("the user was asked %q", h.asked)
			}
		})
	}
}

// Where no turn stands behind a call, nothing that the server asks is answered; nor between calls.
func TestAsks_withoutACallAreRefused(t *testing.T) {
	client, _ := overHTTP(t, asker(&sdk.CreateMessageParams{Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "x"}}}}, nil))
	client.server.Sampling = 1
	tools, err := client.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r, err := tools[0].Execute(t.Context(), json.RawMessage(`{}`), func(agent.Progress) {}); err == nil && !r.Failed {
		t.Errorf("%+v", r)
	}
	ctx, end, err := client.run(agent.WithAid(t.Context(), &helper{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, stop, err := client.asking(t.Context()); err != nil {
		t.Error(err)
	} else {
		stop()
	}
	waiting, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := client.run(agent.WithAid(waiting, &helper{})); err == nil {
		t.Error("two calls run at once, and what the server asks could be for either")
	}
	end()
	if ctx.Err() == nil {
		t.Error("what was asked goes on behind the call's end")
	}
	if _, _, _, err := client.asking(t.Context()); err == nil {
		t.Error("the model answers while nothing is called")
	}
}

// A server of the older protocol that asks without end gets so many answers as its settings say,
// and nobody is shown an address that it chose.
func TestHostile_asksWithoutEndAreRefused(t *testing.T) {
	c := behaving(t, "asks without end")
	c.server.Sampling, c.server.Elicitation = 2, true
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h := &helper{reply: chat.Reply{Action: "decline"}}
	for _, tool := range tools {
		if tool.Name != "t" {
			continue
		}
		r, err := tool.Execute(agent.WithAid(t.Context(), h), json.RawMessage(`{}`), func(agent.Progress) {})
		if n := strings.Count(r.Text, "A summary."); err != nil || n != 2 || strings.Count(r.Text, "no more") != 48 || strings.Count(r.Text, "decline") != 51 || len(h.asked) != 50 {
			t.Errorf("%v, %d answers: %.300s", err, n, r.Text)
		}
	}
	for _, p := range h.prompts {
		if len(p.Messages) != 1 || p.System != "" {
			t.Errorf("%+v", p)
		}
	}
}
