package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/cmd/config"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/responses"
	"tenon/server/servertest"
	"tenon/tools"
)

// slow is a source whose tool runs until it is ended, or beyond if it is deaf.
type slow struct {
	began chan struct{}
	deaf  bool
}

func (s slow) Tools(context.Context) ([]agent.Tool, error) {
	return []agent.Tool{{
		Tool: tools.Tool{Name: "lookup", Parameters: json.RawMessage(`{"type":"object"}`)}, Source: "notes", Approval: agent.Allow,
		Execute: func(ctx context.Context, _ json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
			s.began <- struct{}{}
			if s.deaf {
				select {}
			}
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		},
	}}, nil
}

// Issue 24: an orderly stop in the middle of a call ends it, tells its client, and writes its end
// into the journal.
func TestStop_inTheMiddleOfACall(t *testing.T) {
	for _, stream := range []string{"false", "true"} {
		for _, deaf := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "journal")
			journal, err := agent.OpenJournal(path)
			if err != nil {
				t.Fatal(err)
			}
			source := slow{make(chan struct{}), deaf}
			o := servertest.Options(servertest.Model{ID: "m", Engine: enginetest.Script(enginetest.Say(`{"tool": "lookup", "arguments": {}}`))})
			o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{source}, Journal: journal})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			kept, err := responses.OpenStore(responses.StoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			d := openDoor(l, config.Settings{DrainTimeout: 1}, http.NotFoundHandler())
			ctx, stop := context.WithCancel(t.Context())
			served := make(chan error)
			d.inside.Store(answerer{server.New(o)})
			answer := make(chan string)
			go func() {
				body := `{"model":"m","input":"hi","stream":` + stream + `,"tools":[{"type":"mcp","server_label":"notes","require_approval":"never"}]}`
				resp, err := http.Post("http://"+l.Addr().String()+"/v1/responses", "application/json", strings.NewReader(body))
				if err != nil {
					answer <- err.Error()
					return
				}
				text, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				answer <- resp.Status + string(text)
			}()
			<-source.began
			go func() {
				served <- d.serve(ctx, &app{handler: server.New(o), responses: kept, stopping: make(chan struct{})})
			}()
			stop()
			if err := <-served; err != nil {
				t.Error(err)
			}
			_ = journal.Close()
			told := <-answer
			if !strings.Contains(told, "the server has ended before the answer") || strings.HasPrefix(told, "503") == (stream == "true") || strings.Contains(told, "response.failed") != (stream == "true") {
				t.Errorf("stream %s: the client was told %s", stream, told)
			}
			d.shut()
			text, err := os.ReadFile(path)
			if err != nil || strings.Count(string(text), `"event":"start"`) != 1 || strings.Count(string(text), `"event":"end"`) != 1 || !strings.Contains(string(text), `"why":"cancelled"`) || strings.Contains(string(text), "client left") {
				t.Errorf("stream %s: %v\n%s", stream, err, text)
			}
		}
	}
}
