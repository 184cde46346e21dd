// Package telemetry sends traces and metrics to an OpenTelemetry collector (OTLP over HTTP).
// Without a collector there is nothing: a nil *[Telemetry] does nothing, and allocates nothing.
//
// What is sent:
//
//	POST /v1/chat/completions          span of the request; a traceparent header is its parent
//	├─ chat coder                      span of a turn: gen_ai.* and OpenInference's attributes
//	│  └─ POST                         of each request to an upstream (engine/remote), which
//	│                                  gets a traceparent
//	├─ execute_tool search             of a call that the server executed
//	└─ chat coder                      of the turn that read its result
//
// Metrics are what GET /metrics shows, from the same registry, and the histograms that
// OpenTelemetry names for servers of models (measure.go). spans.go and attributes.go make the
// spans, logs.go names them in log lines, telemetry.go has the settings.
//
// What was said is never sent: no prompt, answer, argument or result, and no text of an error,
// which may quote them. The names of tools and models are.
//
// A collector that is away costs no request anything. Spans wait in a queue of bounded length, and
// what does not fit is dropped. The log says so once in a while.
//
// The variables OTEL_* of the specification hold, as far as the SDK for Go reads them.
package telemetry
