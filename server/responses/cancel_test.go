package responses

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/server/chat"
)

// endless is a service whose turn says one word and goes on until its context ends.
type endless struct{ said chan struct{} }

func (e endless) Run(ctx context.Context, _ chat.Request, sink chat.Sink) error {
	for _, event := range []chat.Event{{Kind: chat.Started, Model: "m"}, {Kind: chat.Text, Text: "word"}} {
		if err := sink(event); err != nil {
			return err
		}
	}
	close(e.said)
	<-ctx.Done()
	return chat.AsError(ctx.Err())
}

func (e endless) Named(model string) string { return model }

func (e endless) Count(context.Context, chat.Request) (chat.Tokens, error) {
	return chat.Tokens{N: 0}, nil
}

func TestCancel_fromAnotherConnectionEndsTheAnswerWithWhatThereIs(t *testing.T) {
	for stream, want := range map[string]string{"true": "event: response.incomplete", "false": `"status":"cancelled"`} {
		service := endless{make(chan struct{})}
		a := New(service, nil, 0)
		rec := httptest.NewRecorder()
		done := make(chan struct{})
		go func() {
			defer close(done)
			a.Create(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"model":"m","input":"hi","stream":`+stream+`}`)))
		}()
		<-service.said
		a.mu.Lock()
		var id string
		for id = range a.running {
		}
		a.mu.Unlock()
		running := httptest.NewRecorder()
		a.Get(running, httptest.NewRequest(http.MethodGet, "/", nil), id)
		if running.Code != http.StatusOK || !strings.Contains(running.Body.String(), `"status":"in_progress"`) {
			t.Errorf("stream %s: while it runs it is %d %s", stream, running.Code, running.Body)
		}
		cancelled := httptest.NewRecorder()
		a.Cancel(cancelled, httptest.NewRequest(http.MethodPost, "/", nil), id)
		<-done
		var told struct {
			Status string
			Model  string
			Usage  *usage
			Output []struct{ Status string }
		}
		if err := json.Unmarshal(cancelled.Body.Bytes(), &told); err != nil || cancelled.Code != http.StatusOK || told.Status != "cancelled" || told.Model != "m" || len(told.Output) != 1 || told.Output[0].Status != "incomplete" || told.Usage != nil {
			t.Errorf("stream %s: whoever cancels is told %d %s", stream, cancelled.Code, cancelled.Body)
		}
		if body := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(body, want) || !strings.Contains(body, "word") {
			t.Errorf("stream %s: %d %s", stream, rec.Code, body)
		}
		if s, ok := fetch(a.store, id, ""); !ok || !strings.Contains(string(s.Body), `"cancelled"`) {
			t.Errorf("stream %s: it is not kept as cancelled", stream)
		}
	}
}
