package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/server/agent"
)

const secret = "s3same-open"

// endsAtOnce has children of a race-detecting binary not end a second late.
const endsAtOnce = "atexit_sleep_ms=0"

// behaving starts the hostile server.
func behaving(t *testing.T, behaviour string) *Client {
	t.Helper()
	s := NewServer("evil")
	s.Command, s.Env, s.Resources = []string{os.Args[0]}, map[string]string{hostileEnv: behaviour, "SECRET": secret, "GORACE": endsAtOnce, floodEnv: "4000"}, true
	if os.Getenv("TENON_ALL") != "" {
		s.Env[floodEnv] = "20000"
	}
	s.Timeout = time.Minute // a hang guard
	if strings.HasPrefix(behaviour, "hangs") || behaviour == "never reads" {
		s.Timeout = time.Second // what is tested; the program must have started by then
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	c := NewClient(s)
	t.Cleanup(c.Close)
	return c
}

// call lists the tools and calls t.
func call(t *testing.T, c *Client) (tools []agent.Tool, r agent.Result, listed, called error) {
	t.Helper()
	tools, listed = c.Tools(t.Context())
	if b := c.server.Env[hostileEnv]; b == "changes its tools meanwhile" || b == "takes its tool back" {
		for c.hasCurrent() { // until the client has been told
			runtime.Gosched()
		}
	}
	for _, tool := range tools {
		if tool.Name == "t" {
			ctx, cancel := context.WithTimeout(t.Context(), c.server.Timeout)
			defer cancel()
			r, called = tool.Execute(ctx, json.RawMessage(`{"n":1}`), func(agent.Progress) {})
			return tools, r, listed, called
		}
	}
	return tools, r, listed, called
}

// Each way to misbehave: how many tools are there, and what comes of a call. A text that begins
// with ! is that of an error.
var behaviours = []struct {
	name  string
	tools int
	list  string // in the error of the list; "": none
	call  string // in the result, or behind ! in the error
}{
	{"dies at once", 0, "no license; key [hidden]", ""},
	{"writes no JSON", 0, "connect", ""},
	{"writes a line without end", 0, "connect", ""},
	{"never reads", 0, "deadline", ""},
	{"ignores its end", 3, "", "well"},
	{"hangs at the start", 0, "deadline", ""},
	{"speaks another version", 0, "1999-01-01", ""},
	{"is not initialized", 0, "no, [hidden]", ""},
	{"has no capabilities", 0, "", ""},
	{"answers the start with null", 0, "connect", ""},
	{"hangs at the list", 2, "deadline", ""},
	{"lists without end", 3, "listed twice", "well"},
	{"lists nothing without end", 2, "", ""},
	{"lists ten thousand", 1000, "more than 1000", ""},
	{"lists a name twice", 3, "listed twice", "well"},
	{"gives evil names", 5, "has no name", "well"},
	{"gives evil descriptions", 3, "", "well"},
	{"gives evil schemas", 5, "schema", "well"},
	{"lists no list", 2, "list its tools", ""},
	{"changes its tools meanwhile", 3, "", "has changed this tool"},
	{"takes its tool back", 3, "", "not have this tool any more"},
	{"hangs at a call", 3, "", "!deadline"},
	{"dies at a call", 3, "", "!call"},
	{"floods the result", 3, "", "flood flood"},
	{"floods beyond a line", 3, "", "!call"},
	{"floods progress", 3, "", "done"},
	{"floods changes", 3, "", "done"},
	{"wants to sample", 3, "", `"code"`},
	{"answers twice and for others", 3, "", "first"},
	{"answers with nothing", 3, "", ""},
	{"answers with null", 3, "", ""},
	{"answers with odd parts", 3, "", "[image, image/png, 3 bytes]\ninside\n[resource u: n]"},
	{"answers with an unknown part", 3, "", "!call"},
	{"tells its secret", 3, "", "key [hidden]"},
	{"refuses with its secret", 3, "", "bad n, [hidden]"},
	{"tells its environment", 3, "", "PATH="},
}

func TestHostile_aServerHarmsOnlyItself(t *testing.T) {
	t.Setenv("TENON_API_KEY", secret+"-of-the-server")
	t.Setenv("HF_TOKEN", secret+"-of-the-server")
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			c := behaving(t, b.name)
			tools, r, listed, called := call(t, c)
			if len(tools) != b.tools || (listed == nil) != (b.list == "") || listed != nil && !strings.Contains(listed.Error(), b.list) {
				t.Errorf("%d tools, %v", len(tools), listed)
			}
			want, wrong := strings.CutPrefix(b.call, "!")
			if wrong && (called == nil || !strings.Contains(called.Error(), want)) || !wrong && (called != nil || !strings.Contains(r.Text, want)) {
				t.Errorf("%.200q, %v", r.Text, called)
			}
			if all := fmt.Sprint(listed, called, r.Text, string(r.Structured)); strings.Contains(all, secret) {
				t.Errorf("a secret came out: %.300s", all)
			}
			if len(r.Text) > longestResult {
				t.Errorf("a result of %d bytes", len(r.Text))
			}
			for _, tool := range tools {
				if len(tool.Name) > 64 || unnamable.MatchString(tool.Name) || len(tool.Description) > longestDescribe || len(tool.Parameters) > longestSchema {
					t.Errorf("%.100q: %.100q", tool.Name, tool.Description)
				}
			}
		})
	}
}

func TestHostile_sampleElicitAndRootsAreRefused(t *testing.T) {
	_, r, _, err := call(t, behaving(t, "wants to sample"))
	answers := strings.Split(r.Text, "\n")
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v %q", err, r.Text)
	}
	for i, a := range answers {
		if refused, empty := strings.Contains(a, `"code"`), a == `{"roots":[]}`; !refused && !empty {
			t.Errorf("answer %d: %s", i, a)
		}
	}
}

// A lost server is connected to again, behind pauses that grow while it cannot be reached.
func TestClient_reconnectsWithPauses(t *testing.T) {
	c := behaving(t, "dies at a call")
	if _, _, listed, called := call(t, c); listed != nil || called == nil {
		t.Fatal(listed, called)
	}
	for c.alive() { // until its watch has seen the end
		runtime.Gosched()
	}
	if tools, _, listed, _ := call(t, c); listed != nil || len(tools) != 3 {
		t.Fatal("not connected again:", listed)
	}

	c = behaving(t, "dies at once")
	now := time.Now()
	c.now = func() time.Time { return now }
	var pauses []time.Duration
	for range 9 {
		if _, err := c.Tools(t.Context()); err == nil {
			t.Fatal("connected")
		}
		before := c.failures
		if _, err := c.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "tried again in") || c.failures != before {
			t.Fatalf("it was tried within the pause: %v", err)
		}
		pauses = append(pauses, c.again.Sub(now))
		now = c.again
	}
	if want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60}; fmt.Sprint(pauses) != fmt.Sprint(seconds(want)) {
		t.Errorf("%v", pauses)
	}
}

// A list that fails is followed by a pause too, and who waited for it gets its failure.
func TestClient_aListThatHangsIsWaitedForOnce(t *testing.T) {
	c := behaving(t, "hangs at the list")
	now := time.Now()
	c.now = func() time.Time { return now }
	var pauses []time.Duration
	for lists := 1; lists <= 3; lists++ {
		failures := make(chan error)
		for range 5 {
			go func() {
				_, err := c.Tools(t.Context())
				failures <- err
			}()
		}
		for range 5 {
			if err := <-failures; err == nil || !strings.Contains(err.Error(), "list its tools") {
				t.Errorf("%v", err)
			}
		}
		if c.failures != lists {
			t.Fatalf("5 callers: %d lists", c.failures-lists+1)
		}
		pauses = append(pauses, c.again.Sub(now))
		now = c.again
	}
	if want := []time.Duration{1, 2, 4}; fmt.Sprint(pauses) != fmt.Sprint(seconds(want)) {
		t.Errorf("%v", pauses)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Tools(late); err == nil || c.failures != 3 {
		t.Errorf("a caller without time began a pause: %v", err)
	}
}

func seconds(n []time.Duration) (all []time.Duration) {
	for _, d := range n {
		all = append(all, d*time.Second)
	}
	return all
}

func (c *Client) alive() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session != nil
}

func (c *Client) hasCurrent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// S2-18: one server that fails costs its own tools alone, and a call to it that is cancelled ends.
func TestServers_oneThatFailsHindersNoOther(t *testing.T) {
	all := Servers{behaving(t, "hangs at the start"), behaving(t, "none"), behaving(t, "dies at once")}
	tools, err := all.Tools(t.Context())
	if len(tools) != 3 || err == nil || !strings.Contains(err.Error(), "no license") || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("%d tools, %v", len(tools), err)
	}
	all.Close()
	if _, err := all[1].Tools(t.Context()); err == nil {
		t.Error("a closed client connects")
	}
}

func TestClient_cancelledCallsEndAndAreToldTo(t *testing.T) {
	cancelled := make(chan struct{})
	begun := make(chan struct{})
	s := sdk.NewServer(&sdk.Implementation{Name: "slow"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		close(begun)
		<-ctx.Done()
		close(cancelled)
		return nil, nil, ctx.Err()
	})
	c, _ := overHTTP(t, s)
	tools, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := tools[0].Execute(ctx, json.RawMessage(`{}`), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-cancelled
}

func FuzzResult(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}}`)
	f.Add(`{"content":[{"type":"resource","resource":null}]}`)
	c := NewClient(NewServer("x"))
	f.Fuzz(func(t *testing.T, text string) {
		var r sdk.CallToolResult
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		if out, err := c.outcome(t.Context(), &r, nil); err != nil || len(out.Structured) > 0 && !json.Valid(out.Structured) {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

func FuzzTool(f *testing.F) {
	f.Add(`{"name":"a","inputSchema":{"type":"object"}}`)
	f.Add(`{"name":"<|x|>","description":"d","inputSchema":[]}`)
	c := NewClient(NewServer("x"))
	f.Fuzz(func(t *testing.T, text string) {
		var tool sdk.Tool
		if json.Unmarshal([]byte(text), &tool) != nil {
			return
		}
		if made, err := c.tool(&tool); err == nil && (made.Name == "" || len(made.Name) > 64 || unnamable.MatchString(made.Name)) {
			t.Errorf("%+v", made)
		}
	})
}

func FuzzAddress(f *testing.F) {
	f.Add("https://mcp.example.org/x")
	f.Add("https://mcp.example.org@evil/")
	c := &Connector{Hosts: []string{"mcp.example.org"}}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := address(text)
		if err == nil && c.allowed(at) && !strings.EqualFold(strings.TrimSuffix(at.Hostname(), "."), "mcp.example.org") {
			t.Errorf("%q passes", text)
		}
	})
}

// A program that reads no more holds neither its calls nor who closes it; it is ended.
func TestHostile_whoStopsReadingIsEnded(t *testing.T) {
	// more than a pipe holds
	long := json.RawMessage(`{"n":1,"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for _, patience := range []time.Duration{300 * time.Millisecond, time.Hour} {
		c := behaving(t, "stops reading")
		tools, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c.mu.Lock()
		c.program.(*program).patience = patience
		c.mu.Unlock()
		ended := make(chan error, 2)
		for range cap(ended) {
			go func() {
				_, err := tools[2].Execute(t.Context(), long, func(agent.Progress) {})
				ended <- err
			}()
		}
		if patience == time.Hour { // it is closed while calls are written
			c.Close()
		}
		for range cap(ended) {
			if err := <-ended; err == nil {
				t.Error("a call that nobody reads has a result")
			}
		}
		c.Close()
	}
}
