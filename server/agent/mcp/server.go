package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/engine/sandbox"
	"tenon/models/public"
	"tenon/server/agent"
	"tenon/server/chat"
)

// Server is the configuration of one server. The tags are those of package builtin's settings.
type Server struct {
	Label       string
	Command     []string                  `key:"command" help:"program and arguments of a server that speaks over standard input and output"`
	Folder      string                    `key:"folder" path:"yes" help:"folder that the program starts in"`
	Env         map[string]string         `key:"env" help:"variables for the program, such as its key; they reach nobody else"`
	Environment []string                  `key:"environment" help:"variables of the server's environment that it gets, beside PATH, HOME, USER, LANG, LC_*, TZ, TERM and TMPDIR; never TENON_*"`
	URL         string                    `key:"url" help:"in place of a command: address of a server that speaks streamable HTTP"`
	Headers     map[string]string         `key:"headers" help:"headers for that address, such as its key; they reach no other"`
	Approval    agent.Approval            `key:"approval" help:"ask (the default): each call is approved first; allow: it runs at once; deny: the tools are not offered"`
	Tools       map[string]agent.Approval `key:"tools" help:"approval of single tools"`
	Timeout     time.Duration             `key:"timeout" help:"longest time that a call may take, and connecting"`
	Roots       []string                  `key:"roots" path:"yes" help:"folders that the server is told to work in"`
	Resources   bool                      `key:"resources" help:"true: the model can list and read the server's resources, by two tools more"`
	Sampling    int                       `key:"sampling" help:"prompts of the server that the model answers in one request, without tools; none: sampling is refused"`
	Tokens      int                       `key:"sampling_tokens" help:"most tokens of such an answer"`
	Elicitation bool                      `key:"elicitation" help:"true: while its tool runs the server can ask the user, where the client shows questions, as tenon run does; else it is refused"`

	publicOnly bool // it is reached at public addresses alone
}

// NewServer returns the settings of a server with their defaults, to be filled.
func NewServer(label string) *Server {
	return &Server{Label: label, Timeout: time.Minute, Tokens: 1024}
}

// Check says what is wrong with the settings.
func (s *Server) Check() error {
	if slices.Contains([]string{"builtin", "command", "http", "request"}, s.Label) {
		return errors.New("the name stands for tools of another kind")
	}
	if (len(s.Command) == 0) == (s.URL == "") {
		return errors.New("names neither a command nor a url, or both")
	}
	for _, name := range s.Environment {
		if strings.HasPrefix(name, "TENON_") || strings.HasSuffix(name, "_") {
			return fmt.Errorf("environment: %s cannot be handed on", name)
		}
	}
	if s.URL == "" {
		return nil
	}
	_, err := address(s.URL)
	return err
}

func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("url: is no address") // its text may hold a key
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("url: expected http:// or https:// and a host")
	case u.User != nil:
		return nil, errors.New("url: a name and a password cannot stand in it; use headers")
	}
	return u, nil
}

// secrets are what nobody but the server may read.
func (s *Server) secrets() *strings.Replacer {
	var pairs []string
	hide := func(value string) {
		const tooShortForAKey = 6
		if len(value) >= tooShortForAKey {
			escaped, _ := json.Marshal(value) // as it stands in schemas and other JSON
			pairs = append(pairs, value, "[hidden]", string(escaped[1:len(escaped)-1]), "[hidden]")
		}
	}
	// it may hold a key; errors tell the address
	if at, err := url.Parse(s.URL); err == nil && len(at.RequestURI()) > len("/") {
		hide(s.URL)
		hide(at.RequestURI())
		for _, values := range at.Query() {
			for _, v := range values {
				hide(v)
			}
		}
		for part := range strings.SplitSeq(at.Path, "/") {
			const likeAKey = 12 // shorter parts are words, which results may hold
			if len(part) >= likeAKey {
				hide(part)
			}
		}
	}
	for _, v := range s.Env {
		hide(v)
	}
	for _, v := range s.Headers {
		hide(v)
		_, key, _ := strings.Cut(v, " ") // Bearer KEY
		hide(key)
	}
	return strings.NewReplacer(pairs...)
}

// transport is the way to the server; words takes what a program writes to standard error.
func (s *Server) transport(words io.Writer) (sdk.Transport, error) {
	if s.URL != "" {
		return s.http()
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = s.Folder, words, leave
	own := []string{"PATH", "HOME", "USER", "LANG", "LC_", "TZ", "TERM", "TMPDIR", "SYSTEMROOT"}
	cmd.Env = sandbox.Select(os.Environ(), append(own, s.Environment...))
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("connect pipes: %w", err)
	}
	sandbox.Group(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	return &sdk.IOTransport{Reader: out, Writer: &program{WriteCloser: in, cmd: cmd, patience: s.Timeout}}, nil
}

// leave is how long a program may take to end by itself. Tests have some that never do, and wait
// less.
var leave = 2 * time.Second

// program is a server's process; closing it ends the process and all that it started.
type program struct {
	io.WriteCloser
	cmd      *exec.Cmd
	patience time.Duration // with a program that reads no more
	once     sync.Once
}

// Write ends a program that reads no more: the SDK would wait for it beyond the call's own time.
func (p *program) Write(b []byte) (int, error) {
	defer time.AfterFunc(p.patience, func() { _ = p.Close() }).Stop()
	return p.WriteCloser.Write(b)
}

func (p *program) Close() error {
	p.once.Do(func() {
		_ = p.WriteCloser.Close() // that is how it is told to end
		ended := make(chan struct{})
		go func() {
			_ = p.cmd.Wait() // how it ends does not matter
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(leave):
		}
		sandbox.EndGroup(p.cmd)
		<-ended
	})
	return nil
}

// longestAnswer bounds an answer over HTTP; the SDK has the same bound for lines and events.
const longestAnswer = 16 << 20

func (s *Server) http() (sdk.Transport, error) {
	at, err := address(s.URL)
	if err != nil {
		return nil, err
	}
	client := public.Client(!s.publicOnly)
	client.Transport = &guarded{next: client.Transport, at: at, headers: s.Headers}
	client.CheckRedirect = func(to *http.Request, via []*http.Request) error {
		const mostRedirects = 5
		if !sameOrigin(to.URL, at) || len(via) > mostRedirects {
			return fmt.Errorf("redirected to another server, %s", to.URL.Host)
		}
		return nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client}, nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// guarded gives requests to one server its headers, and bounds its answers.
type guarded struct {
	next    http.RoundTripper
	at      *url.URL
	headers map[string]string
}

func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if !sameOrigin(r.URL, g.at) {
		return nil, fmt.Errorf("%s is another server", r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range g.headers {
		r.Header.Set(name, value)
	}
	res, err := g.next.RoundTrip(r)
	if err == nil && !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		res.Body = http.MaxBytesReader(nil, res.Body, longestAnswer)
	}
	return res, err
}

// Connector reaches servers that requests name, as [agent.Connector] says.
type Connector struct {
	Hosts    []string       // that may be named: HOST, HOST:PORT, or *.DOMAIN
	Private  bool           // they may be on this machine and its networks, and speak http
	Approval agent.Approval // of their tools
}

// Connect implements agent.Connector.
func (c *Connector) Connect(ctx context.Context, s chat.HostedTools) (agent.Source, error) {
	at, err := address(s.URL)
	if err != nil {
		return nil, err
	}
	if at.Scheme != "https" && !c.Private {
		return nil, errors.New("url: expected https://")
	}
	if !c.allowed(at) {
		return nil, fmt.Errorf("url: the configuration does not allow the host %s", at.Host)
	}
	server := NewServer(s.Source)
	server.URL, server.Headers, server.Approval, server.publicOnly = s.URL, s.Headers, c.Approval, !c.Private
	client := NewClient(server)
	context.AfterFunc(ctx, client.Close)
	return client, nil
}

func (c *Connector) allowed(at *url.URL) bool {
	host := strings.ToLower(strings.TrimSuffix(at.Hostname(), "."))
	for _, h := range c.Hosts {
		h = strings.ToLower(h)
		domain, any := strings.CutPrefix(h, "*")
		if h == host || h == strings.ToLower(at.Host) || any && strings.HasPrefix(domain, ".") && strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}
