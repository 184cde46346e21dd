package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

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
