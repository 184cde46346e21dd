package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
)

// hanging is an engine of three upstreams, some of which no longer answer.
func hanging(t *testing.T, hosts ...string) (*far, *Engine) {
	f := newFar("a", "b", "c")
	for _, h := range f.hosts {
		h.body = says(transcript(t, "llama/whole.txt"))
	}
	e := connectTo(t, f, "http://a", "http://b", "http://c")
	for _, h := range hosts {
		f.change(h, func(h *farHost) { h.hangs = true })
	}
	time.Sleep(2 * stale)
	return f, e
}

// Issue 26: each turn waited 20 s for an upstream that hangs, and for each after the other.
func TestWatch_26_oneThatHangsHoldsUpNoTurn(t *testing.T) {
	for _, hung := range []string{"a", "b", "c"} {
		synctest.Test(t, func(t *testing.T) {
			f, e := hanging(t, hung)
			for i := range 20 {
				begun := time.Now()
				if got := ask(t, e, plain()); got.err != nil || got.text != gruss {
					t.Errorf("turn %d: %q, %v", i, got.text, got.err)
				}
				if waited := time.Since(begun); waited > promptly || i > 0 && waited > 0 {
					t.Errorf("turn %d waited for %s", i, waited)
				}
				time.Sleep(2 * stale)
			}
			f.mu.Lock()
			if h := f.hosts[hung]; h.hanging > 1 || h.asked == 0 {
				t.Errorf("%d requests wait for %s, of %d", h.hanging, hung, h.asked)
			}
			f.mu.Unlock()
			f.change(hung, func(h *farHost) { h.hangs = false })
			time.Sleep(20 * time.Minute) // a breaker rests for less
			for _, u := range e.all() {
				if !e.isUp(u) {
					t.Errorf("%s is not back", u.client.base.Host)
				}
			}
			_ = e.Close()
		})
	}
}

// Where all hang, a turn fails soon, or with its end, and none of their checks is doubled.
func TestWatch_26_allHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, e := hanging(t, "a", "b", "c")
		for i := range 5 {
			begun := time.Now()
			if got := ask(t, e, plain()); !errors.Is(got.err, engine.ErrWorkerLost) || time.Since(begun) > promptly {
				t.Errorf("turn %d: %v after %s", i, got.err, time.Since(begun))
			}
		}
		f.mu.Lock()
		for name, h := range f.hosts {
			if h.hanging > 1 {
				t.Errorf("%d requests wait for %s", h.hanging, name)
			}
		}
		f.mu.Unlock()
		if e.Answers(t.Context()) {
			t.Error("it answers")
		}
		_ = e.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		_, e := hanging(t, "a", "b", "c")
		ctx, cancel := context.WithTimeout(t.Context(), promptly/4)
		defer cancel()
		begun := time.Now()
		if err := e.find(ctx, nil, func() *upstream { return e.best(request{}, nil) }, func(*upstream) {}); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != promptly/4 {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		// its tokenizer is there
		if _, err := e.Open(ctx, plain()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		_ = e.Close()
	})
}

// Issue 26: a client was told that "the model's worker ended", and the cause stood in the log.
func TestErrors_26_clientsAreToldTheCause(t *testing.T) {
	f := newFar("a")
	f.change("a", func(h *farHost) { h.status = http.StatusInternalServerError })
	e := connectTo(t, f, "http://a")
	// of the turn, and of asking it anew
	for _, cause := range []string{"Internal Server Error", "is busy"} {
		got := ask(t, e, plain())
		if text := fmt.Sprint(got.err); !errors.Is(got.err, engine.ErrWorkerLost) || strings.Contains(text, "worker") || !strings.Contains(text, cause) || !strings.Contains(text, "try again") {
			t.Error(text)
		}
		f.change("a", func(h *farHost) { h.crowded = true })
	}
}

// What is a matter of settings is nothing else.
func TestErrors_26_settings(t *testing.T) {
	f := newFar("a")
	f.hosts["a"] = &farHost{api: Chat, owner: "short"}
	_, err := Connect(t.Context(), Options{Name: "m", URLs: []string{"http://a#api=chat"}, Log: slog.New(slog.DiscardHandler), transport: f})
	if text := fmt.Sprint(err); !strings.Contains(text, "set ctx-size") || strings.Contains(text, "another model") || strings.Contains(text, "lost") || strings.Contains(text, "worker") {
		t.Error(text)
	}
}

// Of a busy upstream nothing is said but that, and when to come back.
func TestErrors_26_busy(t *testing.T) {
	f := newFar("a")
	f.change("a", func(h *farHost) { h.status, h.retry = http.StatusTooManyRequests, "7" })
	got := ask(t, connectTo(t, f, "http://a"), plain())
	var busy *engine.BusyError
	if text := fmt.Sprint(got.err); !errors.As(got.err, &busy) || busy.RetryAfter != 7*time.Second || !strings.Contains(text, "the upstream is busy") || strings.Contains(text, "slots") {
		t.Error(text)
	}
}

// An upstream whose answer goes on is not asked whether it is there.
func TestWatch_whoSpeaksIsThere(t *testing.T) {
	f := newFar("a")
	e := connectTo(t, f, "http://a")
	u := e.all()[0]
	f.hosts["a"].body = func(*http.Request) io.Reader {
		e.mu.Lock()
		defer e.mu.Unlock()
		u.verified = time.Time{}
		return strings.NewReader(hostOf(LlamaServer).says("well"))
	}
	if got := ask(t, e, plain()); got.err != nil {
		t.Fatal(got.err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if u.verified.IsZero() {
		t.Error("it is asked again")
	}
}
