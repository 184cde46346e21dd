package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// Logs returns a handler that adds to a line which span it belongs to.
func (t *Telemetry) Logs(h slog.Handler) slog.Handler {
	if t == nil {
		return h
	}
	return traced{h}
}

type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (h traced) Handle(ctx context.Context, line slog.Record) error {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() {
		line.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements slog.Handler.
func (h traced) WithAttrs(all []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(all)} }

// WithGroup implements slog.Handler.
func (h traced) WithGroup(name string) slog.Handler { return traced{h.Handler.WithGroup(name)} }
