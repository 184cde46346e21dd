package remote

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// headers is an upstream's answer that takes down the traceparent of the turn it answers.
func headers(text string, into *[]string) func(*http.Request) io.Reader {
	return func(r *http.Request) io.Reader {
		*into = append(*into, r.Header.Get("Traceparent"))
		return strings.NewReader(text)
	}
}

// Issue 26: an upstream goes on with the trace of the turn that it serves, and a request to it is
// a span of that trace.
func TestTracing_anUpstreamGoesOnWithTheTrace(t *testing.T) {
	f, seen := newFar("a"), []string{}
	f.change("a", func(h *farHost) { h.body = headers(h.says("hello"), &seen) })
	e := connectTo(t, f, "http://a")
	if a := ask(t, e, plain()); a.err != nil {
		t.Fatal(a.err)
	}
	kept := tracetest.NewInMemoryExporter()
	spans := sdk.NewTracerProvider(sdk.WithSyncer(kept))
	ctx, turn := spans.Tracer("").Start(t.Context(), "turn")
	s, err := e.Open(ctx, plain())
	if err != nil {
		t.Fatal(err)
	}
	for {
		u, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if u.Finish != nil {
			break
		}
	}
	_ = s.Close()
	turn.End()
	_ = e.Close() // what it runs has ended then
	if len(seen) != 2 || seen[0] != "" {
		t.Fatalf("traceparents of the turn without a trace and of that with one: %q", seen)
	}
	for _, span := range kept.GetSpans() {
		if span.Name != http.MethodPost || span.SpanKind != trace.SpanKindClient || span.Parent.SpanID() != turn.SpanContext().SpanID() {
			continue
		}
		if want := "00-" + span.SpanContext.TraceID().String() + "-" + span.SpanContext.SpanID().String() + "-01"; seen[1] == want {
			return
		}
	}
	t.Errorf("no span of a request is %s: %+v", seen[1], kept.GetSpans())
}

// A request that fails is a span that says so.
func TestTracing_aRequestThatFails(t *testing.T) {
	broken := func(*http.Request) io.Reader { return iotest.ErrReader(io.ErrUnexpectedEOF) }
	for _, fault := range []struct {
		name string
		set  func(*farHost)
	}{
		{"error.type 500", func(h *farHost) { h.status = http.StatusInternalServerError }},
		{"error.type connection", func(h *farHost) { h.down = true }},
		{"error.type connection", func(h *farHost) { h.body = broken }},
	} {
		f := newFar("a")
		e := connectTo(t, f, "http://a")
		f.change("a", fault.set)
		kept := tracetest.NewInMemoryExporter()
		ctx, turn := sdk.NewTracerProvider(sdk.WithSyncer(kept)).Tracer("").Start(t.Context(), "turn")
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://a/completion", strings.NewReader(`{"prompt":[1]}`))
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := e.http.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body) // one of them breaks off
			_ = answer.Body.Close()
		}
		turn.End()
		span := kept.GetSpans()[0]
		found := false
		for _, a := range span.Attributes {
			found = found || string(a.Key)+" "+a.Value.AsString() == fault.name
		}
		if !found || span.Status.Code != codes.Error {
			t.Errorf("%s: %+v", fault.name, span)
		}
	}
}
