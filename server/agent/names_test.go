package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/tools"
)

func TestClash_asTheSettingsSay(t *testing.T) {
	for clash, want := range map[agent.Clash][]string{
		agent.Rename: {"lookup", "notes__lookup"}, agent.ClientWins: {"lookup"}, agent.ServerWins: {"lookup"},
	} {
		n := &notes{}
		o := allowed(n)
		o.Grants = []agent.Grant{{Tools: []string{"*/*"}, Offer: true, Clash: clash}}
		b := newBench(o, lookup("a"), "Done.")
		c := b.ask(t, func(r *chat.Request) {
			r.Hosted = chat.Hosted{}
			r.Tools = []tools.Tool{{Name: "lookup", Parameters: json.RawMessage(noteSchema)}}
		})
		prompt := b.prompts()[0]
		for _, name := range want {
			if !strings.Contains(prompt, name) {
				t.Errorf("%q: the prompt lacks %s", clash, name)
			}
		}
		if strings.Contains(prompt, "notes__lookup") != (clash == agent.Rename) || (len(n.calls) > 0) != (clash == agent.ServerWins) || (len(c.Calls) > 0) != (clash != agent.ServerWins) {
			t.Errorf("%q: %d executed, %d sent", clash, len(n.calls), len(c.Calls))
		}
	}
}

type connector struct{ source agent.Source }

func (c connector) Connect(context.Context, chat.HostedTools) (agent.Source, error) {
	return c.source, nil
}

// A server that a request names cannot pass for the server's own tools in the journal.
func TestRequestServer_takesNoNameOfAnotherKind(t *testing.T) {
	n := &notes{}
	for _, label := range []string{"builtin", "command", "http", "request"} {
		b := newBench(agent.Options{Connector: connector{source{all: []agent.Tool{n.tool("lookup", agent.Allow)}}}}, lookup("a"), "Done.")
		_, err := b.try(context.Background(), func(r *chat.Request) {
			r.Hosted.Asked[0].Source, r.Hosted.Asked[0].URL = label, "https://mcp.example/"
		})
		if err == nil || chat.AsError(err).Field != "tools[0]" || len(n.calls) != 0 {
			t.Errorf("%s: %v", label, err)
		}
	}
}

// A label of the configuration is its server's, also while that server is down.
func TestRequestServer_takesNoLabelOfTheConfiguration(t *testing.T) {
	n := &notes{}
	o := agent.Options{
		Sources: []agent.Source{source{err: errors.New("connection refused")}}, Labels: []string{"notes"},
		Connector: connector{source{all: []agent.Tool{n.tool("lookup", agent.Allow)}}},
	}
	b := newBench(o, lookup("a"), "Done.")
	_, err := b.try(context.Background(), func(r *chat.Request) { r.Hosted.Asked[0].URL = "https://mcp.example/" })
	if err == nil || chat.AsError(err).Field != "tools[0]" || len(n.calls) != 0 {
		t.Errorf("%v, %d calls", err, len(n.calls))
	}
}
