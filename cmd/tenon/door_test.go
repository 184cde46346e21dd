package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// Issue 19: the port answers while models are still being pulled: it lives, is not ready and says
// how far it is. The source holds back all but what it is told to send.
func TestServe_livesWhileModelsArePulled(t *testing.T) {
	alone(t)
	const size, piece = 1 << 20, 64
	more, end := make(chan struct{}), make(chan struct{})
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		for {
			select {
			case <-more:
				_, _ = w.Write(make([]byte, piece))
				_ = http.NewResponseController(w).Flush()
			case <-end:
				return
			}
		}
	}))
	defer source.Close()
	defer close(end)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // the server takes it
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		root := newRootCommand()
		root.SetArgs([]string{"serve", source.URL + "/m.gguf", "--port", strconv.Itoa(port)})
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		ended <- root.ExecuteContext(ctx)
	}()
	for range 2 { // it is asked for the file by then
		select {
		case more <- struct{}{}:
		case err := <-ended:
			t.Fatal(err)
		}
	}
	base := "http://127.0.0.1:" + strconv.Itoa(port)
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{http.MethodGet, "/health/live", 200, "ok"},
		{http.MethodGet, "/health", 503, `"status":"loading","model":"` + source.URL + "/m.gguf"},
		{http.MethodGet, "/v1/models", 200, `"data":[]`},
		{http.MethodPost, "/v1/responses", 503, "is loading"},
	} {
		status, body := call(t, c.method, base+c.path)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s", c.path, status, body)
		}
	}
	for {
		if _, body := call(t, http.MethodGet, base+"/health"); strings.Contains(body, `"progress":0.`) {
			break
		}
		more <- struct{}{}
	}
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("a start that is given up: %v", err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the port stays open")
	}
}

func call(t *testing.T, method, address string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}
