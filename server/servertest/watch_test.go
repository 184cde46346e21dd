package servertest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server/servertest"
)

func serve(ctx context.Context, h http.HandlerFunc) (seen []servertest.Exchange) {
	defer func() { _ = recover() }() // what net/http does with http.ErrAbortHandler
	watched := servertest.Watch(h, func(e servertest.Exchange) { seen = append(seen, e) })
	watched.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/messages", strings.NewReader("asked")))
	return seen
}

func TestWatch_showsWhatPassed(t *testing.T) {
	seen := serve(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("data: {}\n\n"))
	})
	if len(seen) != 1 || string(seen[0].Request) != "asked" || seen[0].Status != http.StatusTeapot || string(seen[0].Response) != "data: {}\n\n" || seen[0].Broken {
		t.Fatalf("%+v", seen)
	}
	if seen[0].Fault() == nil {
		t.Error("a stream that no client of the protocol reads is in order")
	}
}

// A client that leaves makes a reverse proxy abort: the exchange is seen nevertheless, as one that
// broke off.
func TestWatch_showsWhatWasAborted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	seen := serve(ctx, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("data: "))
		cancel()
		panic(http.ErrAbortHandler)
	})
	if len(seen) != 1 || !seen[0].Broken || seen[0].Fault() != nil {
		t.Errorf("%+v", seen)
	}
}
