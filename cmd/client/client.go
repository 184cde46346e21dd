package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"tenon/cmd/config"
	"tenon/engine/sseread"
	"tenon/server"
)

// ErrNoServer: nobody answers where the settings say that a server listens.
var ErrNoServer = errors.New("no server answers")

// Error is what the server says is wrong.
type Error struct {
	Status  int
	Message string `json:"message"`

	Health *Health `json:"-"` // what /health said
}

func (e *Error) Error() string { return e.Message }

// Client talks to one server.
type Client struct {
	Base string // its address, without a slash at the end
	Key  string // "": none
	http *http.Client
}

// New is a client of the server with these settings.
func New(s config.Settings) (*Client, error) {
	c := &Client{Base: Address(s), http: &http.Client{}}
	sent := s.APIKey
	if len(sent) == 0 && s.APIKeyFile != "" {
		var err error
		if sent, err = server.ReadKeys(s.APIKeyFile); err != nil {
			return nil, err
		}
	}
	if len(sent) > 0 {
		_, c.Key, _ = server.SplitKey(sent[0])
	}
	if u, err := url.Parse(c.Base); err == nil && u.Scheme == "https" && loopback(u.Hostname()) {
		// The certificate names the host that clients elsewhere know, or is signed by
		// itself; who listens on loopback is this machine's.
		c.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}}
	}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address is where the server with these settings listens, as seen from this machine.
func Address(s config.Settings) string {
	scheme := "http://"
	if s.TLSCert != "" {
		scheme = "https://"
	}
	host := s.Host
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1" // what a server on every address also listens on
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(s.Port))
}

// Get asks for a JSON answer.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.call(ctx, http.MethodGet, path, nil, out)
}

// Post sends JSON and reads JSON; out may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	return c.call(ctx, http.MethodPost, path, in, out)
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.Open(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	return nil
}

// unreached is why the server was not asked.
func (c *Client) unreached(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w at %s: start one with 'tenon start' (in the background) or 'tenon serve', or say where it is with --host and --port", ErrNoServer, c.Base)
	}
	return fmt.Errorf("ask the server: %w", err)
}

// Open sends a request and returns an answer of status 200, whose body the caller closes.
func (c *Client) Open(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("write the request: %w", err)
		}
		body = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the server: %w", err)
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreached(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}

// refusal reads an error in the shape of any of the server's protocols.
func refusal(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // the status alone says enough
	e := &Error{Status: resp.StatusCode}
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &said) == nil && json.Unmarshal(said.Error, e) == nil && e.Message != "" {
		if resp.StatusCode == http.StatusUnauthorized {
			e.Message += " (--api-key, TENON_API_KEY)"
		}
		return e
	}
	e.Health = new(Health)
	if json.Unmarshal(text, e.Health) != nil || e.Health.Status == "" {
		e.Health = nil
	}
	e.Message = strings.TrimSpace(fmt.Sprintf("the server answered %s: %s", resp.Status, text))
	return e
}

// Stream sends a request and gives each server-sent event's data to each, until the stream ends or
// each returns an error.
func (c *Client) Stream(ctx context.Context, method, path string, in any, each func(event string, data []byte) error) error {
	resp, err := c.Open(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for in := sseread.NewReader(resp.Body); ; {
		event, data, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the server's stream: %w", err)
		}
		if err := each(event, data); err != nil {
			return err
		}
	}
}
