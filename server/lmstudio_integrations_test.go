package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/server/servertest"
)

// While a model loads, a prompt is read, or the next word is slow, heartbeats are events of the
// part that is open, in the documented order; and the first event names what will answer.
func TestStudio_chatsHeartbeatsKeepTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := enginetest.Say("ab")
		reply.Hold = make(chan struct{})
		loads := make(chan struct{})
		f, o := servertest.Fleet(map[string]engine.Engine{"some-model": enginetest.Script(reply)}, func(o *fleet.Options) {
			start := o.Start
			o.Start = func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
				progress(0.25)
				<-loads
				return start(ctx, e, g, progress)
			}
		})
		o.Heartbeat = time.Second
		rec := serveFor(t, o, "/api/v1/chat", `{"model":"some","input":"hi","stream":true}`, func() {
			for _, step := range []chan struct{}{loads, reply.Hold, reply.Hold} {
				// the bubble's clock, not the machine's
				<-time.After(2*time.Second + time.Millisecond)
				step <- struct{}{}
			}
		})
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^event: (.*)\ndata: (.*)$`).FindAllStringSubmatch(rec.Body.String(), -1) {
			if got = append(got, m[1]); strings.Contains(m[2], "model_instance_id") && !strings.Contains(m[2], `"model_instance_id":"some-model"`) {
				t.Error(m[0])
			}
		}
		beats := func(part string, n int) (all []string) { return slices.Repeat([]string{part}, n) }
		if said := strings.Join(slices.Compact(slices.Clone(got)), " "); said != "chat.start model_load.start model_load.progress model_load.end prompt_processing.start prompt_processing.progress prompt_processing.end message.start message.delta message.end chat.end" {
			t.Error(said)
		}
		for _, part := range []string{"model_load.progress", "prompt_processing.progress", "message.delta"} {
			if all := strings.Join(got, " "); !strings.Contains(all, strings.Join(beats(part, 2), " ")) {
				t.Errorf("no heartbeats of %s in %s", part, all)
			}
		}
		_ = f.Close() // scripted engines close well
	})
}

// The integrations of the REST API: calls and their results come as LM Studio's, streamed as
// whole, and the chat that is kept goes on from them.
func TestStudio_integrations(t *testing.T) {
	const orders = `[[s%d]]Looking. {\"tool\": \"lookup\", \"arguments\": {\"q\": \"Oslo\"}}[[|]]It rains in Oslo.[[/]]`
	s, _, _ := studio(t, func(o *server.Options) {
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{notebook{}}, Connector: connector(func(chat.HostedTools) {})})
	})
	for i, c := range []struct{ integration, provider string }{
		{`"mcp/notes"`, `{"plugin_id":"mcp/notes","type":"plugin"}`},
		{`{"type":"plugin","id":"mcp/notes","allowed_tools":["lookup"]}`, `{"plugin_id":"mcp/notes","type":"plugin"}`},
		{`{"type":"ephemeral_mcp","server_label":"mine","server_url":"http://127.0.0.1:1/mcp","headers":{"X":"y"}}`, `{"server_label":"mine","type":"ephemeral_mcp"}`},
	} {
		body := `{"model":"m","integrations":[` + c.integration + `],"input":"` + fmt.Sprintf(orders, i) + `"`
		status, whole := askStudio(t, s, "POST", "/api/v1/chat", body+"}")
		output, _ := whole["output"].([]any)
		if status != 200 || len(output) != 3 {
			t.Fatalf("%s: %d %v", c.integration, status, whole)
		}
		call, _ := output[1].(map[string]any)
		provider, _ := json.Marshal(call["provider_info"])
		if call["type"] != "tool_call" || call["tool"] != "lookup" || call["output"] != `[{"text":"It rains.","type":"text"}]` || string(provider) != c.provider {
			t.Errorf("%s: %v", c.integration, call)
		}
		_, stream := postTo(t, s, "/api/v1/chat", strings.Replace(body, fmt.Sprintf("[[s%d]]", i), fmt.Sprintf("[[t%d]]", i), 1)+`,"stream":true}`)
		at := 0
		for _, event := range []string{"chat.start", "prompt_processing.end", "message.start", "message.end", "tool_call.start", "tool_call.arguments", "tool_call.success", "message.start", "message.end", "chat.end"} {
			next := strings.Index(stream[at:], "event: "+event+"\n")
			if next < 0 {
				t.Fatalf("%s: no %s in\n%s", c.integration, event, stream)
			}
			at += next
		}
		if !strings.Contains(stream[at:], `"type":"tool_call"`) {
			t.Errorf("%s: the end lacks the call", c.integration)
		}
	}
}

// slowly takes its time over each call.
type slowly struct{ agent.Source }

func (s slowly) Tools(ctx context.Context) ([]agent.Tool, error) {
	all, err := s.Source.Tools(ctx)
	for i := range all {
		run := all[i].Execute
		all[i].Execute = func(ctx context.Context, arguments json.RawMessage, progress func(agent.Progress)) (agent.Result, error) {
			time.Sleep(500 * time.Millisecond)
			return run(ctx, arguments, progress)
		}
	}
	return all, err
}

// Issue 23: a stream is not silent while the server executes a call either.
func TestStudio_heartbeatsWhileACallIsExecuted(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) {
		o.Heartbeat = 50 * time.Millisecond
		o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{slowly{notebook{}}}, Connector: connector(func(chat.HostedTools) {})})
	})
	_, stream := postTo(t, s, "/api/v1/chat", `{"model":"m","stream":true,"integrations":["mcp/notes"],"input":"[[s0]]Looking. {\"tool\": \"lookup\", \"arguments\": {\"q\": \"Oslo\"}}[[|]]It rains in Oslo.[[/]]"}`)
	_, running, found := strings.Cut(stream, "event: tool_call.start\n")
	running, _, ended := strings.Cut(running, "event: tool_call.success\n")
	if n := strings.Count(running, "event: "); !found || !ended || n < 4 {
		t.Errorf("%d events in half a second, with one due each 50 ms:\n%s", n, stream)
	}
}
