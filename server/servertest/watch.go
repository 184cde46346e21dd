package servertest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"tenon/server/streamtest"
)

// Exchange is a request and what was answered, whole.
type Exchange struct {
	Method, Path string
	Header       http.Header // of the request
	Request      []byte
	Status       int
	Type         string // the answer's content type
	Response     []byte
	Broken       bool // the client left before the end
}

// Streamed tells whether the answer was a stream of events.
func (e Exchange) Streamed() bool { return strings.HasPrefix(e.Type, "text/event-stream") }

// Fault says what the strictest client would find wrong with a stream; answers of other kinds are
// in order.
func (e Exchange) Fault() error {
	if !e.Streamed() || e.Broken {
		return nil
	}
	if err := streamtest.Check(e.Path, string(e.Response)); err != nil {
		return fmt.Errorf("%s %s: %w", e.Method, e.Path, err)
	}
	return nil
}

// Watch serves as h does and shows every exchange once it has ended; see may be called from any
// goroutine.
func Watch(h http.Handler, see func(Exchange)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client left before it had asked
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		c := &copier{ResponseWriter: w, status: http.StatusOK}
		defer func() { // also when h aborts, as a reverse proxy does whose client has left
			see(Exchange{
				Method: r.Method, Path: r.URL.Path, Header: r.Header, Request: body, Status: c.status, Type: w.Header().Get("Content-Type"),
				Response: c.copy.Bytes(), Broken: r.Context().Err() != nil,
			})
		}()
		h.ServeHTTP(c, r)
	})
}

// copier keeps what it passes on.
type copier struct {
	http.ResponseWriter
	status int
	copy   bytes.Buffer
}

func (c *copier) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copier) Write(b []byte) (int, error) {
	c.copy.Write(b)
	return c.ResponseWriter.Write(b)
}

// Flush implements http.Flusher, which Gin asks for. A writer that cannot flush delivers later.
func (c *copier) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }

// Hijack implements http.Hijacker, which Gin asks for: sockets take the connection over.
func (c *copier) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(c.ResponseWriter).Hijack()
}

// Unwrap lets http.ResponseController set deadlines.
func (c *copier) Unwrap() http.ResponseWriter { return c.ResponseWriter }
