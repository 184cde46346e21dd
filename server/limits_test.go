package server_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tenon/server"
)

// Issue 19: the bytes of all bodies in flight are bounded: who comes while others hold them is
// told when to come again, and each gives its own back when it ends.
func TestBody_thoseInFlightAreBoundedTogether(t *testing.T) {
	const most = 4 << 10
	h := handler(t, func(o *server.Options) { o.MaxBody = most })
	send := func(body io.Reader) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", body))
		return rec
	}
	large := `{"model":"` + strings.Repeat("x", most-20)
	var open []*io.PipeWriter
	done := make(chan struct{})
	for range 4 { // they have sent all but their end
		r, w := io.Pipe()
		go func() { send(r); done <- struct{}{} }()
		if _, err := io.WriteString(w, large); err != nil {
			t.Fatal(err)
		}
		open = append(open, w)
	}
	if rec := send(strings.NewReader(`{"model":"scripted","messages":[{"role":"user","content":"` + strings.Repeat("y", 200) + `"}]}`)); rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for _, w := range open {
		_ = w.CloseWithError(io.ErrUnexpectedEOF)
		<-done
	}
	if rec := send(strings.NewReader(hello + `}`)); rec.Code != http.StatusOK {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := send(iotest.OneByteReader(strings.NewReader(hello + `}`))); rec.Code != http.StatusOK {
		t.Errorf("byte by byte: %d %s", rec.Code, rec.Body)
	}
}

// Issue 19: of the connections that send nothing only so many stay; those that have been silent
// longest go first, and requests are served.
func TestConnections_silentOnesAreBounded(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.Serving(handler(t, func(*server.Options) {}))
	go func() { _ = s.Serve(listener) }()
	defer func() { _ = s.Close() }()
	const many, kept = 600, 512
	var first []net.Conn
	for i := range many {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if i < many-kept-1 {
			first = append(first, c)
		}
	}
	answer, err := http.Get("http://" + listener.Addr().String() + "/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	for i, c := range first {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // a guard against hanging
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
			t.Fatalf("connection %d of %d is still open: %v", i, many, err)
		}
	}
}
