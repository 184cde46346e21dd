package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"tenon/server/chat"
	"tenon/server/chat/record"
)

// Request begins the span of a request for a route, "" if there is none. The request goes on under
// the context, and ended is called with its status. Probes leave no span: they would drown the
// rest.
func (t *Telemetry) Request(r *http.Request, id, route string) (_ context.Context, ended func(status int)) {
	ctx := r.Context()
	if t == nil || strings.HasPrefix(route, "/health") || route == "/metrics" {
		return ctx, func(int) {}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	method, name := r.Method, strings.TrimSpace(r.Method+" "+route)
	if !knownMethods[method] {
		method, name = "_OTHER", strings.TrimSpace("HTTP "+route)
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method), attribute.String("url.path", r.URL.Path), attribute.String("url.scheme", scheme(r)),
		attribute.String("server.address", r.Host), attribute.String("network.protocol.version", strings.TrimPrefix(r.Proto, "HTTP/")),
		attribute.String("tenon.request_id", id)))
	if route != "" {
		span.SetAttributes(attribute.String("http.route", route))
	}
	if agent := r.UserAgent(); agent != "" {
		span.SetAttributes(attribute.String("user_agent.original", agent))
	}
	return ctx, func(status int) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			failed(span, strconv.Itoa(status))
		}
		span.End()
	}
}

var knownMethods = map[string]bool{
	http.MethodGet: true, http.MethodPost: true, http.MethodDelete: true, http.MethodHead: true, http.MethodOptions: true,
	http.MethodPut: true, http.MethodPatch: true, http.MethodConnect: true, http.MethodTrace: true,
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// failed marks a span, by the class of the error alone: its text may quote what was said.
func failed(span trace.Span, class string) {
	span.SetAttributes(attribute.String("error.type", class))
	span.SetStatus(codes.Error, class)
}

// Turn is a hook of record.Record: it begins the span of a turn, which ended ends and measures.
func (t *Telemetry) Turn(ctx context.Context, r chat.Request) (_ context.Context, ended func(*record.Outcome)) {
	if t == nil {
		return ctx, func(*record.Outcome) {}
	}
	does := operation(r)
	ctx, span := t.tracer.Start(ctx, does+" "+r.Model, trace.WithAttributes(requested(r)...))
	return ctx, func(o *record.Outcome) {
		span.SetAttributes(outcome(o)...)
		if o.FirstToken > 0 {
			span.AddEvent("first token", trace.WithTimestamp(o.Began.Add(o.FirstToken)))
		}
		switch {
		case o.Err == nil:
		case o.Err.Kind == chat.ClientGone: // it wanted no more; nothing is wrong
			span.SetAttributes(attribute.String("error.type", o.Err.Kind.String()))
		default:
			failed(span, o.Err.Kind.String())
		}
		span.End()
		t.measure.turn(ctx, does, o)
	}
}

// Execution leaves the span of a call that the server executed.
func (t *Telemetry) Execution(ctx context.Context, e record.Execution) {
	if t == nil {
		return
	}
	r := e.Hosted.Result
	_, span := t.tracer.Start(ctx, "execute_tool "+e.Hosted.Tool, trace.WithTimestamp(e.Began), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", e.Hosted.Tool),
		attribute.String("gen_ai.tool.call.id", e.Call.ID), attribute.String("tenon.tool.source", e.Hosted.Source),
		attribute.String("openinference.span.kind", "TOOL"), attribute.String("tool.name", e.Hosted.Tool)))
	switch {
	case r.Why != "":
		failed(span, r.Why)
	case r.Failed:
		failed(span, "tool_error")
	}
	span.End(trace.WithTimestamp(e.Began.Add(r.Took)))
}
