package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tenon/engine/sandbox"
	"tenon/server/agent"
	"tenon/tools"
)

// Limits on what a server lists.
const (
	mostPages       = 100
	mostTools       = 1000
	longestSchema   = 256 << 10
	longestDescribe = 8 << 10
)

// Pauses before a server is tried again that could not be reached or did not list its tools.
const (
	firstPause   = time.Second
	longestPause = time.Minute
)

// Client is one server. All methods may be called from any goroutine.
type Client struct {
	server *Server
	hide   *strings.Replacer
	now    func() time.Time
	turn   chan struct{} // holds one: who connects or lists
	alone  chan struct{} // holds one: the call that the server may ask in return

	mu       sync.Mutex // guards what follows
	session  *sdk.ClientSession
	program  io.Closer // the session's, nil over HTTP
	listed   []agent.Tool
	current  bool // listed is what the server has
	failures int  // to connect or to list, one after the other
	again    time.Time
	last     error
	calls    map[string]chan agent.Progress
	running  *running
	said     sandbox.Output
	closed   bool
}

// NewClient returns a client of a server whose settings were checked. It connects when it must.
func NewClient(s *Server) *Client {
	return &Client{server: s, hide: s.secrets(), said: sandbox.Output{Last: 2 << 10}, now: time.Now, turn: make(chan struct{}, 1), alone: make(chan struct{}, 1), calls: map[string]chan agent.Progress{}}
}

// Label is what the configuration calls the server.
func (c *Client) Label() string { return c.server.Label }

// Serves tells whether the client is one of a server with these settings.
func (c *Client) Serves(s *Server) bool { return reflect.DeepEqual(c.server, s) }

// Close ends the connection, and the program if it is one.
func (c *Client) Close() {
	c.mu.Lock()
	s, p := c.session, c.program
	c.session, c.closed = nil, true
	c.mu.Unlock()
	if p != nil {
		_ = p.Close() // first: the SDK waits for what it still writes
	}
	if s != nil {
		_ = s.Close() // a server that does not take leave is left
	}
}

// Tools are those that the server has now.
func (c *Client) Tools(ctx context.Context) ([]agent.Tool, error) { return c.tools(ctx, true) }

// tools are those that the server has now, or had when it was last asked. A server that tells of
// changes is asked only after one; any other is asked anew where fresh is set.
func (c *Client) tools(ctx context.Context, fresh bool) ([]agent.Tool, error) {
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.end()
	caps := cmp.Or(s.InitializeResult().Capabilities, &sdk.ServerCapabilities{})
	c.mu.Lock()
	all, asked := c.listed, c.current && (!fresh || caps.Tools != nil && caps.Tools.ListChanged)
	paused := c.paused()
	if !asked && paused == nil {
		c.current = true // a change from here on is seen
	}
	c.mu.Unlock()
	switch {
	case asked:
		return all, nil
	case paused != nil: // as for who waited while the list failed
		return all, paused
	}
	within, cancel := context.WithTimeout(ctx, c.server.Timeout)
	defer cancel()
	all, whole, err := c.list(within, s, caps)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listed, c.current = all, c.current && whole
	switch {
	case whole:
		c.failures = 0
	case ctx.Err() == nil: // else it is the caller who has no time
		c.pause(err)
	}
	return all, err
}

// paused is the last failure while the pause behind it lasts. c.mu is held.
func (c *Client) paused() error {
	if pause := c.again.Sub(c.now()); pause > 0 {
		return fmt.Errorf("%w (it is tried again in %v)", c.last, pause.Round(time.Second))
	}
	return nil
}

// pause begins a pause behind a failure. c.mu is held.
func (c *Client) pause(err error) {
	c.again, c.last = c.now().Add(min(firstPause<<min(c.failures, 10), longestPause)), err
	c.failures++
}

// begin waits until nobody else connects or lists.
func (c *Client) begin(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return c.failure("wait for it", ctx.Err())
	}
}

func (c *Client) end() { <-c.turn }

// connect returns the session, a new one if there is none.
func (c *Client) connect(ctx context.Context) (*sdk.ClientSession, error) {
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	defer c.end()
	c.mu.Lock()
	s, paused, closed := c.session, c.paused(), c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, c.failure("connect", errors.New("it was closed"))
	case s != nil:
		return s, nil
	case paused != nil:
		return nil, paused
	}
	within, cancel := context.WithTimeout(ctx, c.server.Timeout)
	defer cancel()
	s, err := c.dial(within)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil: // it is the caller who has no time
		return nil, err
	case err != nil:
		c.pause(err)
		return nil, err
	}
	if c.session, c.current = s, false; c.closed { // meanwhile
		go func() { _ = s.Close() }()
	}
	go c.watch(s)
	return s, nil
}

// watch forgets a session that has ended.
func (c *Client) watch(s *sdk.ClientSession) {
	_ = s.Wait() // however it ended
	_ = s.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.session = nil
	}
}

func (c *Client) dial(ctx context.Context) (*sdk.ClientSession, error) {
	t, err := c.server.transport(&c.said)
	if err != nil {
		return nil, c.failure("connect", err)
	}
	options := &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, // what is not named gets an error
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.current = false
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { c.progress(r.Params) },
	}
	c.allow(options)
	if len(c.server.Roots) > 0 {
		options.Capabilities.RootsV2 = &sdk.RootCapabilities{} //nolint:staticcheck // servers of today ask for them
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "tenon", Version: "1"}, options)
	for _, r := range c.server.Roots {
		client.AddRoots(&sdk.Root{URI: "file://" + r}) //nolint:staticcheck // as above
	}
	if p, ok := t.(*sdk.IOTransport); ok {
		c.mu.Lock()
		c.program = p.Writer
		c.mu.Unlock()
	}
	s, err := client.Connect(ctx, t, nil)
	if err != nil && c.program != nil {
		_ = c.program.Close() // the SDK closes a session that it has begun
	}
	if err != nil {
		return nil, c.failure("connect", err)
	}
	return s, nil
}

// failure is an error of this server, with a program's last words and without its secrets.
func (c *Client) failure(what string, err error) error {
	words, _ := c.said.Bytes()
	if said := strings.TrimSpace(strings.ToValidUTF8(string(words), "\uFFFD")); said != "" && what == "connect" {
		err = fmt.Errorf("%w; it wrote: %s", err, said)
	}
	if ours := c.hide.Replace(err.Error()); ours != err.Error() {
		err = errors.New(ours)
	}
	return fmt.Errorf("MCP server %s: %s: %w", c.server.Label, what, err)
}

// list asks for all tools; whole is false if they are to be asked for again.
func (c *Client) list(ctx context.Context, s *sdk.ClientSession, caps *sdk.ServerCapabilities) (all []agent.Tool, whole bool, err error) {
	if c.server.Resources && caps.Resources != nil {
		all = c.resourceTools()
	}
	if caps.Tools == nil {
		return all, true, nil
	}
	var wrong []error
	params, seen := &sdk.ListToolsParams{}, map[string]bool{}
	for range mostPages {
		page, err := s.ListTools(ctx, params)
		if err != nil {
			return all, false, errors.Join(append(wrong, c.failure("list its tools", err))...)
		}
		for _, t := range page.Tools {
			made, err := c.tool(t)
			if err == nil && seen[t.Name] {
				err = errors.New("is listed twice")
			}
			if seen[t.Name] = true; err != nil {
				wrong = append(wrong, c.failure(fmt.Sprintf("tool %.64q", t.Name), err))
				continue
			}
			all = append(all, made)
		}
		if page.NextCursor == "" || len(all) > mostTools || len(wrong) > mostTools {
			break
		}
		params = &sdk.ListToolsParams{Cursor: page.NextCursor}
	}
	if len(all) > mostTools {
		all, wrong = all[:mostTools], append(wrong, c.failure("list its tools", fmt.Errorf("it has more than %d", mostTools)))
	}
	return all, true, errors.Join(wrong...)
}

// unnamable is what no protocol allows in a tool's name.
var unnamable = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

func (c *Client) tool(t *sdk.Tool) (agent.Tool, error) {
	var schema json.RawMessage
	if t.InputSchema != nil {
		object, ok := t.InputSchema.(map[string]any)
		if !ok {
			return agent.Tool{}, errors.New("its schema is no object")
		}
		var err error
		if schema, err = json.Marshal(object); err != nil || len(schema) > longestSchema {
			return agent.Tool{}, fmt.Errorf("its schema has %d bytes; at most %d are read", len(schema), longestSchema)
		}
	}
	if hidden := c.hide.Replace(string(schema)); json.Valid([]byte(hidden)) {
		schema = json.RawMessage(hidden)
	}
	if t.Name == "" {
		return agent.Tool{}, errors.New("has no name")
	}
	const longestName = 64
	name := unnamable.ReplaceAllString(t.Name, "_")
	made := c.offer(name[:min(len(name), longestName)], cutText(c.hide.Replace(t.Description), longestDescribe), schema)
	made.Original = t.Name
	if a, ok := c.server.Tools[t.Name]; ok {
		made.Approval = a
	}
	made.Execute = func(ctx context.Context, arguments json.RawMessage, progress func(agent.Progress)) (agent.Result, error) {
		return c.call(ctx, made, arguments, progress)
	}
	return made, nil
}

// offer is a tool of this server.
func (c *Client) offer(name, description string, schema json.RawMessage) agent.Tool {
	return agent.Tool{
		Tool:   tools.Tool{Name: name, Description: description, Parameters: schema},
		Source: c.server.Label, Approval: c.server.Approval, Timeout: c.server.Timeout,
	}
}

// Servers are all servers of the configuration, as one source.
type Servers []*Client

// Tools asks all servers at once.
func (s Servers) Tools(ctx context.Context) ([]agent.Tool, error) {
	lists, failures := make([][]agent.Tool, len(s)), make([]error, len(s))
	var all sync.WaitGroup
	for i, c := range s {
		all.Go(func() { lists[i], failures[i] = c.Tools(ctx) })
	}
	all.Wait()
	var found []agent.Tool
	for _, l := range lists {
		found = append(found, l...)
	}
	return found, errors.Join(failures...)
}

// Close closes all, at once.
func (s Servers) Close() {
	var all sync.WaitGroup
	for _, c := range s {
		all.Go(c.Close)
	}
	all.Wait()
}
