package server_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/server"
)

// piped is a listener whose connections are pipes, whose deadlines keep a test's fake clock.
type piped struct{ waiting chan net.Conn }

func (p piped) Accept() (net.Conn, error) {
	c, ok := <-p.waiting
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p piped) Close() error   { return nil }
func (p piped) Addr() net.Addr { return &net.TCPAddr{} }

func (p piped) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.waiting <- theirs
	return ours
}

// silenceFor returns after how long the server ends a connection on which sent was all that came.
// What it answers is read.
func silenceFor(t *testing.T, sent string) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := piped{make(chan net.Conn)}
		s := server.Serving(handler(t, nothing))
		go func() { _ = s.Serve(l) }()
		c, begin := l.dial(), time.Now()
		go func() { _, _ = io.WriteString(c, sent) }()
		_, _ = io.Copy(io.Discard, c) // its end is what is waited for
		took = time.Since(begin)
		_ = c.Close()
		close(l.waiting)
		synctest.Wait()
		_ = s.Close()
	})
	return took
}

// Issue 19: connections have deadlines for each thing that a client can leave undone, whatever it
// has sent before.
func TestConnections_deadlines(t *testing.T) {
	const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		sent string
		most time.Duration
	}{
		"nothing":                    {"", 10 * time.Second},
		"half of a head":             {head, 10 * time.Second},
		"no body":                    {head + "Content-Length: 100\r\n\r\n", 31 * time.Second},
		"half of a body":             {head + "Content-Length: 100\r\n\r\n" + hello, 31 * time.Second},
		"a chunk without end":        {head + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n" + hello, (30 + 1024) * time.Second},
		"the body of a refusal":      {strings.Replace(head, "/v1/chat", "/none", 1) + "Content-Length: 100\r\n\r\n", 31 * time.Second},
		"nothing behind an answer":   {"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", 2 * time.Minute},
		"nothing behind a long turn": {head + "Content-Length: 3\r\n\r\n{}\n", 2 * time.Minute},
	} {
		took := silenceFor(t, c.sent)
		if took > c.most+time.Second || took < c.most/2 {
			t.Errorf("%s: the connection ends after %s, want %s", name, took, c.most)
		}
	}
}

// The bodies' deadline is not the answer's: who has sent his body may wait for long.
func TestConnections_anAnswerMayTakeLongerThanABody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := piped{make(chan net.Conn)}
		s := server.Serving(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(time.Hour) // of the fake clock
			_, _ = io.WriteString(w, "late")
		}))
		go func() { _ = s.Serve(l) }()
		c := l.dial()
		go func() { _, _ = io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}") }()
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }() // it was only read
		if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "late" {
			t.Errorf("%q %v", body, err)
		}
		_ = c.Close()
		close(l.waiting)
		_ = s.Close()
	})
}

// Issue 19: of the connections that send nothing only so many stay: one more ends the one that has
// been silent longest, at once. Those that are being answered do not count.
func TestConnections_oneMoreSilentEndsTheOldest(t *testing.T) {
	const most = 512
	synctest.Test(t, func(t *testing.T) {
		l := piped{make(chan net.Conn)}
		release := make(chan struct{})
		s := server.Serving(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
		go func() { _ = s.Serve(l) }()
		busy := l.dial()
		_, _ = io.WriteString(busy, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		var silent []net.Conn
		for range most {
			silent = append(silent, l.dial())
		}
		synctest.Wait()
		if ended(silent[0]) {
			t.Error("one of the most that may be silent was ended")
		}
		silent = append(silent, l.dial())
		synctest.Wait()
		if !ended(silent[0]) || ended(silent[1]) {
			t.Error("one more did not end the one that was silent longest, and no other")
		}
		close(release)
		answer, err := http.ReadResponse(bufio.NewReader(busy), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("the one that was being answered: %v", err)
		}
		_ = answer.Body.Close()
		for _, c := range append(silent, busy) {
			_ = c.Close()
		}
		close(l.waiting)
		_ = s.Close()
	})
}

// Issue 19: who does not read his answer, whatever it is, keeps his connection for a while only.
func TestConnections_whoReadsNothingIsGivenUp(t *testing.T) {
	for _, request := range []string{
		"GET /v1/models HTTP/1.1\r\n",
		"GET /metrics HTTP/1.1\r\n",
		"GET /none HTTP/1.1\r\n",
		"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			l := piped{make(chan net.Conn)}
			s := server.Serving(handler(t, nothing))
			go func() { _ = s.Serve(l) }()
			c, begin := l.dial(), time.Now()
			_, _ = io.WriteString(c, request+"Host: localhost\r\n\r\n"+strings.Repeat("{}", strings.Count(request, "POST")))
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				// nothing is read, until writing fails: then the other side has
				// ended
				for err := error(nil); err == nil; {
					time.Sleep(time.Second)
					_ = c.SetWriteDeadline(time.Now().Add(time.Millisecond))
					if _, err = c.Write([]byte("x")); errors.Is(err, os.ErrDeadlineExceeded) {
						err = nil
					}
				}
			}()
			select {
			case <-gone:
			case <-time.After(10 * time.Minute):
				t.Errorf("%.30s: the connection is still there after %s", request, time.Since(begin))
			}
			_ = c.Close()
			<-gone
			close(l.waiting)
			_ = s.Close()
		})
	}
}

// ended tells whether the other side has closed a connection.
func ended(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || err != nil && strings.Contains(err.Error(), "closed")
}
