package responses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server/chat"
)

// paced is a service whose turns say a word each time that they are let, and end with the channel.
type paced struct {
	endless
	words chan string
	panic bool
}

func (p *paced) Run(ctx context.Context, _ chat.Request, sink chat.Sink) error {
	if p.panic {
		panic("boom")
	}
	err := sink(chat.Event{Kind: chat.Started, Model: "m"})
	for err == nil {
		select {
		case word, ok := <-p.words:
			if !ok {
				return sink(chat.Event{Kind: chat.Finished, Finish: chat.Finish{Reason: chat.Stop}})
			}
			err = sink(chat.Event{Kind: chat.Text, Text: word})
		case <-ctx.Done():
			if ended := (*chat.Error)(nil); errors.As(context.Cause(ctx), &ended) {
				return ended
			}
			return chat.AsError(ctx.Err())
		}
	}
	return err
}

type told struct {
	ID, Status string
	Background bool
	Error      *responseError
	Output     []struct{ Content []struct{ Text string } }
}

// asks sends a request of a key and decodes what it is told.
func asks(t *testing.T, key string, serve func(http.ResponseWriter, *http.Request), body string) (int, told) {
	t.Helper()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	serve(rec, r.WithContext(chat.WithCaller(r.Context(), chat.Caller{Key: key})))
	var got told
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	return rec.Code, got
}

func with(serve func(http.ResponseWriter, *http.Request, string), id string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { serve(w, r, id) }
}

// ended waits until a response runs no more.
func ended(a *API, id string) {
	a.mu.Lock()
	run, ok := a.running[id]
	a.mu.Unlock()
	if ok {
		<-run.ended
	}
}

const inBackground = `{"model":"m","input":"hi","background":true}`

func TestBackground_isAskedForUntilItIsComplete(t *testing.T) {
	service := &paced{words: make(chan string)}
	a := New(service, nil, 0)
	code, first := asks(t, "alice", a.Create, inBackground)
	if code != http.StatusOK || first.Status != "queued" || !first.Background || first.ID == "" {
		t.Fatalf("%d %+v", code, first)
	}
	service.words <- "one "
	if _, now := asks(t, "alice", with(a.Get, first.ID), ""); now.Status != "in_progress" {
		t.Errorf("while it runs: %+v", now)
	}
	if code, _ := asks(t, "bob", with(a.Get, first.ID), ""); code != http.StatusNotFound {
		t.Errorf("another key sees it: %d", code)
	}
	if code, _ := asks(t, "bob", with(a.Cancel, first.ID), ""); code != http.StatusNotFound {
		t.Errorf("another key cancels it: %d", code)
	}
	if code, _ := asks(t, "alice", a.Create, `{"model":"m","input":"on","previous_response_id":"`+first.ID+`"}`); code != http.StatusBadRequest {
		t.Errorf("it is gone on from before it is complete: %d", code)
	}
	service.words <- "two"
	close(service.words)
	ended(a, first.ID)
	_, last := asks(t, "alice", with(a.Get, first.ID), "")
	if last.Status != "completed" || last.Output[0].Content[0].Text != "one two" || last.ID != first.ID {
		t.Errorf("%+v", last)
	}
	if code, _ := asks(t, "alice", a.Create, `{"model":"m","input":"on","previous_response_id":"`+first.ID+`"}`); code != http.StatusOK {
		t.Errorf("it cannot be gone on from: %d", code)
	}
	if code, _ := asks(t, "alice", with(a.Delete, first.ID), ""); code != http.StatusOK || in(a.store).bytes == 0 {
		t.Errorf("%d, %d bytes", code, in(a.store).bytes)
	}
}

func TestBackground_isKeptAndNotStreamed(t *testing.T) {
	for _, beside := range []string{`"store":false`, `"stream":true`} {
		if code, _ := asks(t, "", New(turn(), nil, 0).Create, `{"model":"m","input":"hi","background":true,`+beside+`}`); code != http.StatusBadRequest {
			t.Errorf("%s: %d", beside, code)
		}
	}
	small, err := OpenStore(StoreOptions{MaxBytes: 100})
	if err != nil {
		t.Fatal(err)
	}
	a := New(turn(), small, 0)
	if code, _ := asks(t, "", a.Create, inBackground); code != http.StatusServiceUnavailable || len(a.running) != 0 {
		t.Errorf("%d, %d run", code, len(a.running))
	}
}

func TestBackground_cancelAndDelete(t *testing.T) {
	a := New(&paced{words: make(chan string)}, nil, 0)
	_, made := asks(t, "", a.Create, inBackground)
	for range 2 { // it may be cancelled twice
		if code, got := asks(t, "", with(a.Cancel, made.ID), ""); code != http.StatusOK || got.Status != "cancelled" {
			t.Errorf("%d %+v", code, got)
		}
	}
	if _, got := asks(t, "", with(a.Get, made.ID), ""); got.Status != "cancelled" {
		t.Errorf("%+v", got)
	}
	_, made = asks(t, "", a.Create, inBackground)
	if code, _ := asks(t, "", with(a.Delete, made.ID), ""); code != http.StatusOK || len(a.running) != 0 {
		t.Errorf("%d, %d run", code, len(a.running))
	}
	if code, _ := asks(t, "", with(a.Get, made.ID), ""); code != http.StatusNotFound {
		t.Errorf("it is there: %d", code)
	}
}

func TestBackground_failuresAreTold(t *testing.T) {
	for name, service := range map[string]Service{"panic": &paced{panic: true}, "no model": &unknown{}} {
		a := New(service, nil, 0)
		_, made := asks(t, "", a.Create, inBackground)
		ended(a, made.ID)
		if _, got := asks(t, "", with(a.Get, made.ID), ""); got.Status != "failed" || got.Error == nil || strings.Contains(got.Error.Message, "boom") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func (unknown) Run(context.Context, chat.Request, chat.Sink) error {
	return chat.UnknownModel("m", nil)
}

func TestBackground_isBounded(t *testing.T) {
	a := New(&paced{words: make(chan string)}, nil, 0)
	counts := map[int]int{}
	for range mostOfOne + 3 {
		code, _ := asks(t, "alice", a.Create, inBackground)
		counts[code]++
	}
	if counts[http.StatusOK] != mostOfOne || counts[http.StatusTooManyRequests] != 3 {
		t.Errorf("%v", counts)
	}
	for i := range mostBackground {
		code, _ := asks(t, fmt.Sprint("key", i), a.Create, inBackground)
		counts[code]++
	}
	if counts[http.StatusOK] != mostBackground || len(a.running) != mostBackground {
		t.Errorf("%v, %d run", counts, len(a.running))
	}
	stop(a)
}

// stop drains a store whose time is over.
func stop(a *API) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	a.store.Drain(over)
}

// A server that stops waits for what runs, ends what is left, and says so afterwards; one that is
// killed says it, too.
func TestBackground_atTheServersEnd(t *testing.T) {
	o := StoreOptions{Dir: t.TempDir()}
	store, err := OpenStore(o)
	if err != nil {
		t.Fatal(err)
	}
	a := New(&paced{words: make(chan string)}, store, 0)
	_, left := asks(t, "", a.Create, inBackground)
	// what a server finds behind one that was killed
	next := New(&paced{words: make(chan string)}, store, 0)
	if _, got := asks(t, "", with(next.Get, left.ID), ""); got.Status != "failed" || !strings.Contains(got.Error.Message, "the server ended while") {
		t.Errorf("%+v", got)
	}
	stop(a)
	if _, got := asks(t, "", with(a.Get, left.ID), ""); got.Status != "failed" || !strings.Contains(got.Error.Message, "the server has ended") {
		t.Errorf("%+v", got)
	}
	if code, _ := asks(t, "", a.Create, inBackground); code != http.StatusServiceUnavailable {
		t.Errorf("another begins: %d", code)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if store, err = OpenStore(o); err != nil {
		t.Fatal(err)
	}
	a = New(&paced{words: make(chan string)}, store, 0)
	if _, got := asks(t, "", with(a.Get, left.ID), ""); got.Status != "failed" || !strings.Contains(got.Error.Message, "the server has ended") {
		t.Errorf("%+v", got)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}
