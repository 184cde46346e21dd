package sse_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/server/sse"
)

func TestWriter_framesEvents(t *testing.T) {
	rec := httptest.NewRecorder()
	w := sse.NewWriter(rec, "")
	for _, err := range []error{
		w.Event("", map[string]string{"a": "<b> & \n"}),
		w.Event("done", struct{}{}),
		w.Data("[DONE]"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	want := "data: {\"a\":\"<b> & \\n\"}\n\nevent: done\ndata: {}\n\ndata: [DONE]\n\n"
	if diff := cmp.Diff(want, rec.Body.String()); diff != "" {
		t.Error(diff)
	}
	if got := rec.Header().Get("Content-Type"); got != "text/event-stream; charset=utf-8" || !rec.Flushed {
		t.Errorf("content type %q, flushed %t", got, rec.Flushed)
	}
}

func TestWriter_keepsASilentStreamAlive(t *testing.T) {
	for ping, want := range map[string]string{
		"":     ": keep-alive\n\n: keep-alive\n\ndata: 1\n\n",
		"ping": "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\ndata: 1\n\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := httptest.NewRecorder()
			w := sse.NewWriter(rec, ping)
			<-time.After(11 * time.Second) // the bubble's clock, not the machine's
			if err := w.Event("", 1); err != nil {
				t.Fatal(err)
			}
			w.Close()
			<-time.After(time.Minute)
			if got := rec.Body.String(); got != want {
				t.Errorf("ping %q: %q", ping, got)
			}
		})
	}
}

// A reader that is gone ends the stream at one of the next events, and no later one is tried.
func TestWriter_remembersAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &brokenWriter{ResponseRecorder: httptest.NewRecorder()}
		w := sse.NewWriter(broken, "")
		defer w.Close()
		if err := w.Event("", 1); err != nil {
			t.Errorf("the event waited for the network: %v", err)
		}
		synctest.Wait()
		for range 3 {
			if err := w.Event("", 1); !errors.Is(err, errGone) {
				t.Fatal(err)
			}
		}
		if broken.writes != 1 {
			t.Errorf("%d writes", broken.writes)
		}
	})
}

// Issue 7: slow readers cannot hold a slot. Whoever writes is never held up, and told once the reader is too far behind.
func TestWriter_neverWaitsForAReader(t *testing.T) {
	stuck := &stuckWriter{ResponseRecorder: httptest.NewRecorder(), release: make(chan struct{})}
	w := sse.NewWriter(stuck, "")
	text, sent := strings.Repeat("x", 1000), 0
	var err error
	for ; err == nil && sent < 1<<22; sent += len(text) {
		err = w.Event("", text)
	}
	if err == nil || sent < 1_000_000 { // of text; the events' frames count towards the 1 MiB too
		t.Errorf("%v after %d bytes", err, sent)
	}
	close(stuck.release)
	w.Close()
	if n := stuck.Body.Len(); n > 1<<20 {
		t.Errorf("%d bytes were written to a reader that was given up", n)
	}
}

// What was sent before Close arrives, however slow the reader was.
func TestWriter_closeWaitsForWhatWasSent(t *testing.T) {
	stuck := &stuckWriter{ResponseRecorder: httptest.NewRecorder(), release: make(chan struct{})}
	w := sse.NewWriter(stuck, "")
	for range 100 {
		if err := w.Data("1"); err != nil {
			t.Fatal(err)
		}
	}
	go close(stuck.release)
	w.Close()
	if got := strings.Count(stuck.Body.String(), "data: 1\n\n"); got != 100 {
		t.Errorf("%d of 100 events arrived", got)
	}
}

// stuckWriter is a connection whose reader does not read until it is released.
type stuckWriter struct {
	*httptest.ResponseRecorder
	release chan struct{}
}

func (s *stuckWriter) Write(b []byte) (int, error) {
	<-s.release
	return s.ResponseRecorder.Write(b)
}

var errGone = errors.New("connection reset")

type brokenWriter struct {
	*httptest.ResponseRecorder
	writes int
}

var _ http.ResponseWriter = (*brokenWriter)(nil)

func (b *brokenWriter) Write([]byte) (int, error) {
	b.writes++
	return 0, errGone
}
