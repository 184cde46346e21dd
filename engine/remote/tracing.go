package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// tracing makes a span of each request that a traced turn sends, and has the upstream go on with
// the trace. The span lasts until the answer's body is closed. Without a trace it costs a look.
type tracing struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t tracing) RoundTrip(r *http.Request) (*http.Response, error) {
	parent := trace.SpanFromContext(r.Context())
	if !parent.SpanContext().IsValid() {
		return t.RoundTripper.RoundTrip(r)
	}
	ctx, span := parent.TracerProvider().Tracer("tenon").Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("http.request.method", r.Method), attribute.String("url.full", r.URL.Redacted()), attribute.String("server.address", r.URL.Hostname())))
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		span.SetAttributes(attribute.Int("server.port", port))
	}
	r = r.Clone(ctx) // a transport must not change what it was given
	propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(r.Header))
	answer, err := t.RoundTripper.RoundTrip(r)
	if err != nil {
		span.SetAttributes(attribute.String("error.type", "connection"))
		span.SetStatus(codes.Error, "no answer")
		span.End()
		return nil, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", answer.StatusCode))
	if answer.StatusCode >= http.StatusBadRequest {
		span.SetAttributes(attribute.String("error.type", strconv.Itoa(answer.StatusCode)))
		span.SetStatus(codes.Error, answer.Status)
	}
	answer.Body = tracedBody{answer.Body, span}
	return answer, nil
}

// tracedBody is an answer's body. Where it breaks off, its span tells of it.
type tracedBody struct {
	io.ReadCloser
	span trace.Span
}

func (b tracedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		b.span.SetAttributes(attribute.String("error.type", "connection"))
		b.span.SetStatus(codes.Error, "the answer broke off")
	}
	return n, err
}

func (b tracedBody) Close() error {
	defer b.span.End()
	return b.ReadCloser.Close()
}
