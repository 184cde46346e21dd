package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
	"tenon/server/chat"
)

// overHTTP serves a server and returns its client, and what each request had as its key.
func overHTTP(t *testing.T, s *sdk.Server) (*Client, *httptest.Server) {
	t.Helper()
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(web.Close)
	settings := NewServer("web")
	settings.URL = web.URL
	c := NewClient(settings)
	t.Cleanup(c.Close)
	return c, web
}

// S2-18: over HTTP as over a program's pipes.
func TestHTTP_listChangesProgressResourcesAndPrompts(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "web"}, nil)
	add := func(name string) {
		sdk.AddTool(s, &sdk.Tool{Name: name}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name}}}, map[string]int{"n": 1}, err
		})
	}
	add("one")
	s.AddResource(&sdk.Resource{URI: "a://b", Name: "b"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "a://b", Text: "contents"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "p"}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: r.Params.Arguments["x"]}}}}, nil
	})
	c, _ := overHTTP(t, s)
	tools, err := c.Tools(t.Context())
	if err != nil || len(tools) != 1 {
		t.Fatal(tools, err)
	}
	var steps []agent.Progress
	r, err := tools[0].Execute(t.Context(), json.RawMessage(`{}`), func(p agent.Progress) { steps = append(steps, p) })
	if err != nil || r.Text != "one" || string(r.Structured) != `{"n":1}` {
		t.Errorf("%+v, %v", r, err)
	}
	if len(steps) > 1 || len(steps) == 1 && steps[0] != (agent.Progress{Done: 1, Total: 2, Message: "half"}) {
		t.Errorf("%+v", steps)
	}
	add("two")
	for len(tools) != 2 { // the change comes when it comes
		if tools, err = c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	if text, err := c.Read(t.Context(), "a://b"); text != "contents\n" || err != nil {
		t.Error(text, err)
	}
	if text, err := c.Prompt(t.Context(), "p", map[string]string{"x": "hi"}); text != "user: hi\n" || err != nil {
		t.Error(text, err)
	}
	if _, err := c.Read(t.Context(), "file:///etc/passwd"); err == nil {
		t.Error("a resource that is not there was read")
	}
}

// The headers of a server go to it alone: not where it redirects to.
func TestHTTP_headersReachTheServerAlone(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked, with %v", r.Header)
	}))
	defer other.Close()
	var key string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer web.Close()
	s := NewServer("web")
	s.URL, s.Headers = web.URL, map[string]string{"Authorization": "Bearer " + secret}
	c := NewClient(s)
	defer c.Close()
	if _, err := c.Tools(t.Context()); err == nil || strings.Contains(err.Error(), secret) || key != "Bearer "+secret {
		t.Errorf("%v, key %q", err, key)
	}
}

func TestHTTP_answersAreBounded(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range longestAnswer>>20 + 2 {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
				return
			}
		}
	}))
	defer web.Close()
	s := NewServer("web")
	s.URL = web.URL
	c := NewClient(s)
	defer c.Close()
	if _, err := c.Tools(t.Context()); err == nil {
		t.Error("it was read to its end")
	}
}

func TestConnector_onlyWhatTheConfigurationAllows(t *testing.T) {
	asked := 0
	mcpServer := sdk.NewServer(&sdk.Implementation{Name: "web"}, nil)
	sdk.AddTool(mcpServer, &sdk.Tool{Name: "one"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcpServer }, nil)
	web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	host := strings.TrimPrefix(web.URL, "https://")
	for _, c := range []struct {
		allowed []string
		url     string
		want    string
	}{
		{nil, web.URL, "does not allow"},
		{[]string{"mcp.example.org"}, web.URL, "does not allow"},
		// allowed by name; its address is not public
		{[]string{"127.0.0.1"}, web.URL, "private"},
		{[]string{"*.0.0.1"}, web.URL, "private"},
		{[]string{"localhost"}, strings.Replace(web.URL, "127.0.0.1", "localhost", 1), "private"},
		{[]string{"example.org"}, "https://example.org.evil.test/", "does not allow"},
		{[]string{"*.example.org"}, "https://evilexample.org/", "does not allow"},
		{[]string{"*.example.org"}, "https://example.org/", "does not allow"},
		{[]string{"example.org"}, "https://example.org@" + host, "cannot stand"},
		{[]string{"example.org"}, "http://example.org/", "https"},
		{[]string{"example.org"}, "file:///etc/passwd", "http"},
		{[]string{"*"}, web.URL, "does not allow"},
	} {
		connector := &Connector{Hosts: c.allowed}
		s, err := connector.Connect(t.Context(), chat.HostedTools{Source: "x", URL: c.url, Headers: map[string]string{"Authorization": secret}})
		if err == nil {
			_, err = s.Tools(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%v, %s: %v, want %q", c.allowed, c.url, err, c.want)
		}
	}
	if asked > 0 {
		t.Errorf("%d requests were sent", asked)
	}
}

func TestConnector_reachesAllowedServersUntilTheRequestEnds(t *testing.T) {
	_, web := overHTTP(t, sdk.NewServer(&sdk.Implementation{Name: "web"}, nil))
	ctx, cancel := context.WithCancel(t.Context())
	connector := &Connector{Hosts: []string{"127.0.0.1"}, Private: true, Approval: agent.Allow}
	s, err := connector.Connect(ctx, chat.HostedTools{Source: "x", URL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tools(ctx); err != nil {
		t.Error(err)
	}
	cancel()
	for s.(*Client).alive() {
		runtime.Gosched()
	}
}
