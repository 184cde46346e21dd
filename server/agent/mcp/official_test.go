package mcp

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tenon/server/agent"
	"tenon/server/chat"
)

var officialDir = flag.String("mcp.servers", "", "folder whose node_modules hold the official servers; see make test-mcp")

// official starts one of the official servers.
func official(t *testing.T, name string, settings func(*Server)) (*Client, map[string]agent.Tool) {
	t.Helper()
	if *officialDir == "" {
		t.Skip("make test-mcp runs the official servers")
	}
	s := NewServer(name)
	s.Command = []string{filepath.Join(*officialDir, "node_modules", ".bin", "mcp-server-"+name)}
	settings(s)
	c := NewClient(s)
	t.Cleanup(c.Close)
	all, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	about, err := c.About(t.Context())
	t.Logf("%s, %d tools, %v", about, len(all), err)
	byName := map[string]agent.Tool{}
	for _, tool := range all {
		byName[tool.Name] = tool
	}
	return c, byName
}

func calls(t *testing.T, tool agent.Tool, arguments string, progress func(agent.Progress)) agent.Result {
	t.Helper()
	if tool.Execute == nil {
		t.Fatal("there is no such tool")
	}
	r, err := tool.Execute(t.Context(), json.RawMessage(arguments), progress)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOfficial_everything(t *testing.T) {
	c, tools := official(t, "everything", func(s *Server) { s.Resources, s.Env = true, map[string]string{"KEY": secret} })
	if r := calls(t, tools["echo"], `{"message":"hi"}`, nil); r.Failed || !strings.Contains(r.Text, "hi") {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["get-sum"], `{"a":2,"b":40}`, nil); !strings.Contains(r.Text, "42") {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["get-sum"], `{"a":"x"}`, nil); !r.Failed {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["get-env"], `{}`, nil); strings.Contains(r.Text, secret) || !strings.Contains(r.Text, "[hidden]") {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["get-structured-content"], `{"location":"New York"}`, nil); len(r.Structured) == 0 {
		t.Errorf("%+v", r)
	}
	steps := 0
	r := calls(t, tools["trigger-long-running-operation"], `{"duration":1,"steps":4}`, func(p agent.Progress) { steps++ })
	if r.Failed || steps < 2 {
		t.Errorf("%+v, %d steps", r, steps)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := tools["trigger-long-running-operation"].Execute(ctx, json.RawMessage(`{"duration":3600,"steps":2}`), func(agent.Progress) {}); err == nil {
		t.Error("a call outlived its time")
	}
	resources, err := c.Resources(t.Context())
	if err != nil || len(resources) == 0 {
		t.Fatal(resources, err)
	}
	uri, err := json.Marshal(map[string]string{"uri": resources[0].URI})
	if err != nil {
		t.Fatal(err)
	}
	if r := calls(t, tools["read_resource"], string(uri), nil); r.Failed || r.Text == "" {
		t.Errorf("%+v", r)
	}
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) == 0 {
		t.Error(prompts, err)
	}
	if text, err := c.Prompt(t.Context(), "simple-prompt", nil); err != nil || text == "" {
		t.Error(text, err)
	}
	if _, offered := tools["trigger-sampling-request"]; offered {
		t.Error("the server believes that it may sample")
	}
}

// The server is of the older protocol: it asks by requests of its own.
func TestOfficial_asksTheModelAndTheUser(t *testing.T) {
	_, tools := official(t, "everything", func(s *Server) { s.Sampling, s.Elicitation = 1, true })
	h := &helper{reply: chat.Reply{Action: "accept", Content: json.RawMessage(`{"name":"Ada"}`)}}
	for name, arguments := range map[string]string{"trigger-sampling-request": `{"prompt":"hi","maxTokens":9}`, "trigger-elicitation-request": `{}`} {
		tool, ok := tools[name]
		if !ok {
			t.Fatalf("%s is not offered", name)
		}
		r, err := tool.Execute(agent.WithAid(t.Context(), h), json.RawMessage(arguments), func(agent.Progress) {})
		if want := map[string]string{"trigger-sampling-request": "A summary.", "trigger-elicitation-request": "Ada"}[name]; err != nil || r.Failed || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if len(h.prompts) != 1 || h.prompts[0].MaxTokens != 9 || len(h.asked) != 1 {
		t.Errorf("%+v %q", h.prompts, h.asked)
	}
}

func TestOfficial_filesystem(t *testing.T) {
	dir := t.TempDir()
	_, tools := official(t, "filesystem", func(s *Server) {
		s.Command, s.Roots = append(s.Command, dir), []string{dir}
		s.Tools = map[string]agent.Approval{"write_file": agent.Deny}
	})
	if err := os.WriteFile(dir+"/a.txt", []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := calls(t, tools["read_text_file"], `{"path":"`+dir+`/a.txt"}`, nil); r.Failed || !strings.Contains(r.Text, "hello") {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["list_directory"], `{"path":"`+dir+`"}`, nil); r.Failed || !strings.Contains(r.Text, "a.txt") {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["read_text_file"], `{"path":"/etc/passwd"}`, nil); !r.Failed {
		t.Errorf("%+v", r)
	}
	if tools["write_file"].Approval != agent.Deny || tools["list_directory"].Approval != agent.Ask {
		t.Error("approvals are not those of the settings")
	}
}

func TestOfficial_memory(t *testing.T) {
	_, tools := official(t, "memory", func(s *Server) { s.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "m.jsonl")} })
	if r := calls(t, tools["create_entities"], `{"entities":[{"name":"tenon","entityType":"joint","observations":["fits exactly"]}]}`, nil); r.Failed {
		t.Errorf("%+v", r)
	}
	if r := calls(t, tools["search_nodes"], `{"query":"exactly"}`, nil); r.Failed || !strings.Contains(r.Text, "tenon") {
		t.Errorf("%+v", r)
	}
}

// A server that is killed comes back with the next call.
func TestOfficial_isStartedAnewOnceItHasEnded(t *testing.T) {
	c, tools := official(t, "memory", func(*Server) {})
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	_ = s.Close()
	for c.alive() {
		runtime.Gosched()
	}
	if r := calls(t, tools["read_graph"], `{}`, nil); r.Failed {
		t.Errorf("%+v", r)
	}
}
