package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tenon/engine"
)

const (
	reach      = 5 * time.Second  // for a connection
	patience   = 20 * time.Second // for an answer that needs no model
	mostAnswer = 64 << 20         // bytes of one
	mostError  = 500              // bytes of what an upstream says is wrong
)

// client speaks HTTP with one upstream.
type client struct {
	base *url.URL
	key  string
	http *http.Client

	anthropic bool // the key goes as Anthropic's API has it
}

// newTransport trusts the system's certificates, and those of a file if one is named.
func newTransport(ca string) (http.RoundTripper, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: reach}).DialContext
	// prompts go where the settings say, and nowhere else
	t.Proxy, t.MaxIdleConnsPerHost = nil, 64
	if ca == "" {
		return t, nil
	}
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, fmt.Errorf("read the certificates of an upstream: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate (PEM)", ca)
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t, nil
}

// noRedirects: a key must not follow one, and a prompt neither.
func noRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// call sends in, nil for a GET, and decodes the answer into out.
func (c *client) call(ctx context.Context, path string, in, out any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	body, err := c.send(ctx, path, in)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // it was only read
	if err := json.NewDecoder(io.LimitReader(body, mostAnswer)).Decode(out); err != nil {
		return fmt.Errorf("%w: %s answers %s with no JSON: %w", errLost, c.base.Host, path, err)
	}
	return nil
}

// send sends in, nil for a GET, and returns the answer's body. Any status but 200 is an error.
func (c *client) send(ctx context.Context, path string, in any) (io.ReadCloser, error) {
	method, body := http.MethodGet, []byte(nil)
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	// it is sent again where a kept connection proves to be closed; nothing of this leaves
	r.Header["Idempotency-Key"] = nil
	if c.anthropic {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case c.key == "":
	case c.anthropic:
		r.Header.Set("X-Api-Key", c.key)
	default:
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: %w", errLost, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	return nil, c.refused(answer, said)
}

// errLost: the upstream is not there, or what it says cannot be used. Another may serve the turn.
var errLost = &worded{"the upstream is lost", engine.ErrWorkerLost}

// worded is an error of package engine in words that fit an upstream.
type worded struct {
	words string
	kind  error
}

func (e *worded) Error() string { return e.words }
func (e *worded) Unwrap() error { return e.kind }

// errRefused: the upstream does not take the request as it is: its grammar, or a setting.
var errRefused = fmt.Errorf("%w: the upstream refuses the request", engine.ErrUnsupported)

// tooLong is how upstreams say that a prompt does not fit.
var tooLong = regexp.MustCompile(`exceed_context_size|prompt is too long|(maximum|model's) context length`)

// refused is the error of a status.
func (c *client) refused(answer *http.Response, said []byte) error {
	what := fmt.Sprintf("%s answers %s: %s", c.base.Host, answer.Status, messageOf(said))
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests || code == overloaded:
		return &worded{"the upstream is busy: " + what, &engine.BusyError{RetryAfter: retryAfter(answer.Header.Get("Retry-After"))}}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("%w: %s (is its key right?)", errLost, what)
	case code >= 300 && code < 400:
		return fmt.Errorf("%w: %s; redirects are not followed", errLost, what)
	case code >= 500:
		return fmt.Errorf("%w: %s", errLost, what)
	}
	if tooLong.Match(said) {
		return fmt.Errorf("%w: %s", engine.ErrContextExceeded, what)
	}
	return fmt.Errorf("%w: %s", errRefused, what)
}

// overloaded is Anthropic's status for it.
const overloaded = 529

// retryAfter reads the header, which is a number of seconds or a date.
func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return min(time.Duration(n), 3600) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(at), 0), time.Hour)
	}
	return 0
}

// messageOf finds the words in an error's body, in the forms that upstreams have.
func messageOf(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	text := string(body)
	if json.Unmarshal(body, &e) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		switch {
		case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
			text = inner.Message
		case json.Unmarshal(e.Error, &text) == nil && text != "":
		case e.Message != "":
			text = e.Message
		case len(e.Detail) > 0:
			text = string(e.Detail)
		}
	}
	return strings.ToValidUTF8(text[:min(len(text), mostError)], "")
}
