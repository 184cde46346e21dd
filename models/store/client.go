package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"tenon/models/public"
)

// ErrSilent: the source sent nothing for Store.Silence. Callers fall back to a model that they
// can have.
var ErrSilent = errors.New("the source is silent")

// SourceError: the source answered with an error, or not as it must.
type SourceError struct {
	URL     string
	Status  int // 0: none came
	Message string
	wait    time.Duration // before it may be asked again
}

func (e *SourceError) Error() string { return e.URL + " " + e.Message }

// again tells whether asking once more may help.
func (e *SourceError) again() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout || e.Status >= 500
}

func statusError(address string, resp *http.Response) error {
	hint := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = "; the repository is private, gated or does not exist: set HF_TOKEN if you have access"
	case http.StatusNotFound:
		hint = "; check the name"
	case http.StatusTooManyRequests:
		hint = "; it was asked too often"
	}
	e := &SourceError{URL: address, Status: resp.StatusCode, Message: "answers " + resp.Status + hint}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		e.wait = min(time.Duration(s)*time.Second, time.Minute)
	}
	return e
}

// request sends a GET and gives its answer to read. If no byte comes for s.Silence, from the
// first moment on, it ends with ErrSilent.
func (s *Store) request(ctx context.Context, address string, header http.Header, read func(*http.Response, io.Reader) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := s.Silence
	if silence == 0 {
		silence = 5 * time.Second
	}
	watchdog := time.AfterFunc(silence, func() {
		cancel(fmt.Errorf("%s sent nothing for %s: %w", address, silence, ErrSilent))
	})
	defer watchdog.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	req.Header = header.Clone()
	s.authorize(req)
	resp, err := s.client(ctx, req.URL).Do(req)
	if err != nil {
		return because(ctx, fmt.Errorf("ask %s: %w", address, err))
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	watchdog.Reset(silence)
	return because(ctx, read(resp, &heard{resp.Body, func() { watchdog.Reset(silence) }}))
}

// because replaces "context canceled" by why it was.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// heard tells when bytes come.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.tell()
	}
	return n, err
}

const mostRedirects = 10

// client is for a source. Where the source has a public address, no redirect may lead to a
// private one: it would have this machine ask its own network for whoever runs the source.
func (s *Store) client(ctx context.Context, source *url.URL) *http.Client {
	transport := publicTransport
	if s.private(ctx, source) {
		transport = anyTransport
	}
	return &http.Client{Transport: transport, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) >= mostRedirects {
			return fmt.Errorf("redirected %d times", len(via))
		}
		if from := via[len(via)-1].URL; to.URL.Scheme != "https" && from.Scheme == "https" {
			return fmt.Errorf("redirected to %s, which is not https", to.URL.Redacted())
		}
		return nil
	}}
}

var (
	anyTransport    = newTransport((&net.Dialer{Timeout: 30 * time.Second}).DialContext)
	publicTransport = newTransport(dialPublic)
)

func newTransport(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = dial
	t.DisableCompression = true // ranges are of the bytes as they are
	return t
}

// dialPublic looks at the address that a name has come to mean, so that no name can mean another
// one later. A proxy of the user's own may be anywhere.
func dialPublic(ctx context.Context, network, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 30 * time.Second}
	if !isProxy(address) {
		d.Control = public.Control
	}
	return d.DialContext(ctx, network, address)
}

func isProxy(address string) bool {
	for _, scheme := range []string{"http", "https"} {
		p, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: scheme, Host: "public.example"}})
		if err == nil && p != nil && (p.Host == address || net.JoinHostPort(p.Hostname(), p.Port()) == address || p.Hostname() == hostOf(address)) {
			return true
		}
	}
	return false
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

// private tells whether a source is on this machine or its network. What a proxy asks for is not
// looked up here.
func (s *Store) private(ctx context.Context, source *url.URL) bool {
	host := source.Hostname()
	if ip, err := netip.ParseAddr(host); err == nil {
		return public.Private(ip)
	}
	if p, err := http.ProxyFromEnvironment(&http.Request{URL: source}); err != nil || p != nil {
		return false
	}
	if known, ok := s.hosts.Load(host); ok {
		return known.(bool)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(ips) == 0 {
		return false
	}
	found := public.Private(ips[0])
	s.hosts.Store(host, found)
	return found
}
