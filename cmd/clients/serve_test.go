package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/agent/mcp"
	"tenon/server/servertest"
)

const (
	scripted = "scripted"
	gemma    = "gemma"
	// answerCap is the most tokens of a real answer: a base model never stops.
	answerCap = 256
	// scriptedContext is in bytes, which are the scripted engine's tokens: an agent's prompt
	// has some hundred thousand.
	scriptedContext = 4 << 20
	smallContext    = 4 << 10
	gemmaContext    = 32 << 10
)

// served is a model that rows run against.
type served struct {
	model   string
	id      string // its name on the wire
	context int    // tokens
	// handler serves a row; faults are what the model itself had to complain of.
	handler func(context.Context, client) (h http.Handler, faults func() []string, err error)
	// tokens that went through the model; nil: it is a script
	worked func(context.Context) int64
	close  func()
}

func serve(ctx context.Context, o options, model string) (*served, error) {
	switch model {
	case scripted:
		return &served{model: model, id: scripted, context: scriptedContext, handler: serveScript, close: func() {}}, nil
	case gemma:
		return serveReal(ctx, o)
	}
	return nil, fmt.Errorf("expected %s or %s", scripted, gemma)
}

func serveScript(ctx context.Context, c client) (http.Handler, func() []string, error) {
	none := func() []string { return nil }
	if c.handler != nil {
		h, err := c.handler(ctx)
		return h, none, err
	}
	if c.obeyed {
		h, err := studioModels(ctx)
		return h, none, err
	}
	s := &script{client: c}
	e := &enginetest.Scripted{Info: engine.Model{Context: scriptedContext}, Play: s.play}
	if c.overflow != "" {
		e.Info.Context = smallContext
	}
	o := servertest.Options(servertest.Model{ID: scripted, Engine: e})
	o.Agent = agent.New(o.Service, agent.Options{Connector: &mcp.Connector{Hosts: []string{"127.0.0.1"}, Private: true, Approval: agent.Allow}})
	o.Heartbeat = c.waits / 40 // 0: the default
	h := server.New(o)
	return h, func() []string {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.faults
	}, nil
}

// loadTimeout guards against a model that does not load.
const loadTimeout = 5 * time.Minute

// serveReal starts tenon and waits until it is ready.
func serveReal(ctx context.Context, o options) (*served, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(o.dir, "tenon.log"))
	if err != nil {
		return nil, err
	}
	source := o.gguf
	if o.remote != "" {
		source, o.config = gemma, filepath.Join(o.dir, "remote.yaml")
		settings := fmt.Sprintf("models:\n  %s:\n    source: %q\n    remote: [%q]\n", gemma, o.gguf, o.remote)
		if err := os.WriteFile(o.config, []byte(settings), 0o600); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cmd := exec.CommandContext(ctx, o.tenon, "serve", source, "--port", strconv.Itoa(port), "--n-predict", strconv.Itoa(answerCap),
		"--mcp-hosts", "127.0.0.1", "--mcp-private", "--mcp-approval", "allow")
	if o.config != "" {
		cmd.Args = append(cmd.Args, "--config", o.config)
	}
	cmd.Stdout, cmd.Stderr = log, log
	// it ends its workers first
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if err := cmd.Start(); err != nil {
		cancel(nil)
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the state tells how it ended
		cancel(fmt.Errorf("tenon ended (%s); its log, %s, says why", cmd.ProcessState, log.Name()))
		_ = log.Close() // the log is for people
	}()
	end := func() {
		cancel(nil)
		<-ended
	}
	base := &url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	id, err := ready(ctx, base.String())
	if err != nil {
		end()
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		// without X-Forwarded-For: the client is this machine's
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(base) },
		// events leave as they come
		FlushInterval: -1,
	}
	return &served{
		model: gemma, id: id, context: gemmaContext, close: end,
		worked: func(ctx context.Context) int64 { return evaluated(ctx, base.String()) },
		handler: func(context.Context, client) (http.Handler, func() []string, error) {
			return proxy, func() []string { return nil }, nil
		},
	}, nil
}

// evaluated asks the server how many tokens went through its models; 0 where it does not say.
func evaluated(ctx context.Context, base string) int64 {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/metrics", nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	var sum float64
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "tenon_engine_evaluated_tokens_total{"); ok {
			_, value, _ := strings.Cut(rest, "} ")
			n, _ := strconv.ParseFloat(value, 64) // 0 where it is none
			sum += n
		}
	}
	return int64(sum)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }() // the port is free again
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready waits until the server answers that its model is loaded, and returns the model's id.
func ready(ctx context.Context, base string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTimeout, errors.New("the model does not load"))
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for !answers(ctx, base+"/health", nil) {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-tick.C:
		}
	}
	var models struct{ Data []struct{ ID string } }
	if !answers(ctx, base+"/v1/models", &models) || len(models.Data) == 0 {
		return "", errors.New("the server lists no model")
	}
	return models.Data[0].ID, nil
}

// answers tells whether a GET succeeds, and reads what it says into v, if that is not nil.
func answers(ctx context.Context, url string, v any) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK && (v == nil || json.NewDecoder(resp.Body).Decode(v) == nil)
}

// seat is one row's place at a server: an address of its own, and a record of what passed.
type seat struct {
	url     string
	real    bool   // the model is no script
	model   string // its name on the wire
	context int    // of the model, in tokens
	secret  string
	home    string // the client's own
	dir     string // its packages
	node    string // the Node to run them with
	outer   string // the proxy that refuses everything else
	idle    string // the client's limit for a silent stream, in milliseconds

	begun     atomic.Int64 // requests
	mu        sync.Mutex   // guards exchanges
	exchanges []servertest.Exchange
}

func (s *seat) asked() int { return int(s.begun.Load()) }

// sit serves a client and records what passes, until the server is closed.
func (s *seat) sit(h http.Handler) *httptest.Server {
	watched := servertest.Watch(h, func(e servertest.Exchange) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.exchanges = append(s.exchanges, e)
		s.keep(e)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet { // who polls for an answer does not ask again
			s.begun.Add(1)
		}
		watched.ServeHTTP(w, r)
	}))
	s.url = server.URL
	return server
}

// keep writes an exchange down for people.
func (s *seat) keep(e servertest.Exchange) {
	name := filepath.Join(s.home, fmt.Sprintf("exchange-%02d.txt", len(s.exchanges)))
	text := fmt.Sprintf("%s %s\n%s\n\n%d %s\n%s\n", e.Method, e.Path, e.Request, e.Status, e.Type, e.Response)
	_ = os.WriteFile(name, []byte(text), 0o644) // the verdict does not need it
}

// refuser is a proxy that lets nothing pass and remembers who was asked for.
type refuser struct {
	mu    sync.Mutex
	hosts map[string]int
}

func (r *refuser) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	r.hosts[req.Host]++
	r.mu.Unlock()
	http.Error(w, "this run reaches loopback only", http.StatusForbidden)
}
