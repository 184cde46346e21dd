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
	w := sse.NewWriter(rec)
	w.Beat(0, silent)
	w.Event("", map[string]string{"a": "<b> & \n"})
	w.Event("done", struct{}{})
	w.Data("[DONE]")
	if err := w.Err(); err != nil {
		t.Fatal(err)
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

// silent is a protocol without heartbeats.
func silent() {}

// A silent stream gets an event each time that the silence has lasted, and none once it has ended.
// The first one begins it.
func TestWriter_heartbeatsFillTheSilence(t *testing.T) {
	for every, beats := range map[time.Duration]int{0: 2, time.Second: 11, sse.MaxEvery: 1} {
		synctest.Test(t, func(t *testing.T) {
			rec := httptest.NewRecorder()
			w := sse.NewWriter(rec)
			w.Beat(every, func() { w.Event("beat", 0) })
			if w.Begun() {
				t.Error("it has begun before anything was sent")
			}
			// the bubble's clock, not the machine's
			<-time.After(11*time.Second + time.Millisecond)
			if w.Event("", 1); w.Err() != nil || !w.Begun() {
				t.Fatal(w.Err())
			}
			w.End()
			<-time.After(time.Minute)
			w.Close()
			if got, want := rec.Body.String(), strings.Repeat("event: beat\ndata: 0\n\n", beats)+"data: 1\n\n"; got != want {
				t.Errorf("every %v: %q", every, got)
			}
		})
	}
}

// A stream that ends before anything was due has sent nothing: its refusal has a status of its
// own.
func TestWriter_endBeforeTheFirstBeatSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := httptest.NewRecorder()
		w := sse.NewWriter(rec)
		w.Beat(0, func() { w.Event("beat", 0) })
		<-time.After(sse.DefaultEvery - 1)
		w.End()
		w.Close()
		if w.Begun() || rec.Body.Len() > 0 || len(rec.Header()) > 0 {
			t.Errorf("begun %t: %q %v", w.Begun(), rec.Body, rec.Header())
		}
	})
}

// A step of the protocol may be several events: no heartbeat comes in between.
func TestWriter_noHeartbeatInsideOfAStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := httptest.NewRecorder()
		w := sse.NewWriter(rec)
		w.Beat(0, func() { w.Data("beat") })
		_ = w.Do(func() {
			w.Data("1")
			<-time.After(time.Minute)
			w.Data("2")
		})
		w.Close()
		if got := rec.Body.String(); !strings.HasPrefix(got, "data: 1\n\ndata: 2\n\n") {
			t.Errorf("%q", got)
		}
	})
}

// A reader that is gone ends the stream at one of the next events, and no later one is tried.
func TestWriter_remembersAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &brokenWriter{ResponseRecorder: httptest.NewRecorder()}
		w := sse.NewWriter(broken)
		w.Beat(0, silent)
		defer w.Close()
		if w.Event("", 1); w.Err() != nil {
			t.Errorf("the event waited for the network: %v", w.Err())
		}
		synctest.Wait()
		for range 3 {
			if w.Event("", 1); !errors.Is(w.Err(), errGone) {
				t.Fatal(w.Err())
			}
		}
		if broken.writes != 1 {
			t.Errorf("%d writes", broken.writes)
		}
	})
}

// Issue 7: slow readers cannot hold a slot. Whoever writes is never held up, and told once the
// reader is too far behind.
func TestWriter_neverWaitsForAReader(t *testing.T) {
	stuck := &stuckWriter{ResponseRecorder: httptest.NewRecorder(), release: make(chan struct{})}
	w := sse.NewWriter(stuck)
	w.Beat(0, silent)
	text, sent := strings.Repeat("x", 1000), 0
	var err error
	for ; err == nil && sent < 1<<22; sent += len(text) {
		w.Event("", text)
		err = w.Err()
	}
	// of text; the events' frames count towards the 1 MiB too
	if err == nil || sent < 1_000_000 {
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
	w := sse.NewWriter(stuck)
	w.Beat(0, silent)
	for range 100 {
		if w.Data("1"); w.Err() != nil {
			t.Fatal(w.Err())
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
