package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"tenon/server/chat"
	"tenon/server/chat/record"
	"tenon/server/lmstudio/socket"
	"tenon/server/telemetry"
	"tenon/server/wire"
)

// observer sees requests from their head to the end of their answer: it counts each, logs it in
// one line, and keeps or sends its record where that is wanted.
type observer struct {
	log        *slog.Logger
	logPrompts bool
	metrics    *metrics
	telemetry  *telemetry.Telemetry
	kept       *records
	streamed   *socket.Logs // whoever streams the log
}

func (o observer) observe(c *gin.Context) {
	asked := asksForRecord(c.Request)
	r := &record.Record{
		ID: c.Writer.Header().Get(wire.RequestID), At: time.Now(), Method: c.Request.Method, Path: c.Request.URL.Path,
		Full: asked || o.recorded(), Begun: o.telemetry.Turn,
	}
	ctx, ended := o.telemetry.Request(c.Request, r.ID, c.FullPath())
	c.Request = c.Request.WithContext(record.With(ctx, r))
	body, out := &bodyRecorder{ReadCloser: c.Request.Body}, &recordWriter{ResponseWriter: c.Writer}
	if r.Full && body.ReadCloser != nil {
		c.Request.Body = body
	}
	if asked {
		c.Writer = out
	}
	o.metrics.running.Inc()
	defer o.metrics.running.Dec()
	c.Next()
	took := time.Since(r.At)
	r.Status, r.Body = status(c), string(wire.WithoutCredentials(body.read.Bytes()))
	o.deliver(r, chat.CallerKey(c.Request.Context()), out, asked)
	o.metrics.request(c.Request.Method, c.FullPath(), r.Status, took)
	o.turns(c.Request.Context(), r, protocol(c.FullPath()))
	ended(r.Status)
	o.logLine(c, r, took)
}

// recorded tells whether turns leave a trace without being asked for one.
func (o observer) recorded() bool { return o.kept.most > 0 || o.logPrompts || o.streamed.Wanted() }

// turns counts the turns of a record that has ended, and shows them to whoever streams the log.
func (o observer) turns(ctx context.Context, r *record.Record, protocol string) {
	for _, t := range r.Outcomes {
		o.metrics.turn(t, protocol, r.At)
		o.logCalls(ctx, r.ID, t)
	}
	for _, e := range r.Executions {
		o.metrics.execution(e)
		o.telemetry.Execution(ctx, e)
		o.logExecution(ctx, r.ID, e)
	}
	o.streamed.Turns(r)
}

// logExecution writes a line for a call that the server executed, or had to refuse.
func (o observer) logExecution(ctx context.Context, id string, e record.Execution) {
	r, level, message := e.Hosted.Result, slog.LevelInfo, "tool executed"
	line := []slog.Attr{
		slog.String("id", id), slog.String("model", e.Model), slog.String("tool", e.Hosted.Tool), slog.String("source", e.Hosted.Source),
		slog.String("call", e.Call.ID), slog.String("approved_by", r.Approver), slog.Duration("took", r.Took), slog.Int("exit", r.Exit), slog.Int("bytes", len(r.Text)),
	}
	switch {
	case r.Why == "unknown":
		level, message = slog.LevelWarn, "unknown tool"
		line = append(line, slog.Any("available", e.Available[:min(len(e.Available), mostNames)]))
	case r.Failed:
		level, message = slog.LevelError, "tool failed"
		line = append(line, slog.String("why", cmp.Or(r.Why, "the tool says so")))
	}
	if o.logPrompts {
		line = append(line, slog.String("arguments", string(e.Call.Arguments)), slog.String("result", r.Text))
	}
	o.log.LogAttrs(ctx, level, message, line...)
}

// mostNames bounds the names of tools in a line of the log.
const mostNames = 30

// logCalls writes a line for each call that was sent, for what was a call but for a fault, and for
// each result that came back as an error. What a call says is in it only where prompts are logged.
func (o observer) logCalls(ctx context.Context, id string, t *record.Outcome) {
	for _, call := range t.Calls {
		line := []slog.Attr{
			slog.String("id", id), slog.String("model", t.Model), slog.String("tool", call.Name),
			slog.String("call", call.ID), slog.Int("bytes", len(call.Arguments)+len(call.Input)),
		}
		if o.logPrompts {
			line = append(line, slog.String("arguments", string(call.Arguments)+call.Input))
		}
		o.log.LogAttrs(ctx, slog.LevelInfo, "tool call", line...)
	}
	for _, f := range t.Finishes {
		if f.Mending.Refused+f.Mending.Retries == 0 {
			continue
		}
		line := []slog.Attr{
			slog.String("id", id), slog.String("model", t.Model), slog.Int("refused", f.Mending.Refused),
			slog.Int("tried_again", f.Mending.Retries), slog.Any("available", t.Tools[:min(len(t.Tools), mostNames)]),
		}
		if o.logPrompts {
			line = append(line, slog.Any("notes", f.Notes))
		}
		o.log.LogAttrs(ctx, slog.LevelWarn, "no valid call", line...)
	}
	for _, tool := range t.Failed {
		o.log.LogAttrs(ctx, slog.LevelWarn, "tool error", slog.String("id", id), slog.String("model", t.Model), slog.String("tool", tool))
	}
}

// deliver keeps the record, and puts it into the answer of a request that asked for it.
func (o observer) deliver(r *record.Record, caller string, out *recordWriter, asked bool) {
	var b []byte
	if len(r.Turns) > 0 && (asked || o.kept.most > 0) {
		b = encodeRecord(r)
	}
	if asked {
		out.end(b)
	}
	if b != nil && o.kept.most > 0 {
		o.kept.kept.Put(caller, r.ID, b, len(b))
	}
}

// status is the answer's, or that of a client which left before its end.
func status(c *gin.Context) int {
	s := c.Writer.Status()
	if s == http.StatusOK && c.Request.Context().Err() != nil {
		return wire.StatusClientClosed
	}
	return s
}

// logLine writes the access log. Prompts and answers are in it only if that was asked for.
func (o observer) logLine(c *gin.Context, r *record.Record, took time.Duration) {
	level := slog.LevelInfo
	if route := c.FullPath(); strings.HasPrefix(route, "/health") || route == "/metrics" {
		level = slog.LevelDebug // probes would drown the rest
	}
	line := []slog.Attr{
		slog.String("id", r.ID), slog.String("method", r.Method), slog.String("path", r.Path),
		slog.Int("status", r.Status), slog.Duration("took", took),
		slog.Int("bytes", c.Writer.Size()), slog.String("caller", chat.CallerOf(c.Request.Context()).Name),
	}
	o.log.LogAttrs(c.Request.Context(), level, "request", o.describe(line, r)...)
}

// describe adds a record's turns to a line.
func (o observer) describe(line []slog.Attr, r *record.Record) []slog.Attr {
	for _, t := range r.Outcomes {
		line = append(line, turnAttrs(t)...)
	}
	if o.logPrompts {
		for _, t := range r.Turns {
			line = append(line, slog.String("prompt", t.Prompt.String()), slog.String("output", t.Output()))
		}
	}
	return line
}

// turnAttrs are what a line says of a turn: which model, how many tokens, why it failed.
func turnAttrs(t *record.Outcome) []slog.Attr {
	u := t.Usage()
	attrs := []slog.Attr{
		slog.String("model", t.Model), slog.Int("prompt_tokens", u.Prompt), slog.Int("cached_tokens", u.Cached),
		slog.Int("completion_tokens", u.Completion),
	}
	if len(t.Finishes) > 0 && t.Finishes[0].Miss != nil {
		miss := t.Finishes[0].Miss
		attrs = append(attrs, slog.String("cache_miss", fmt.Sprintf("from token %d: %s", miss.Tokens, miss.Where)))
	}
	if t.Err != nil {
		attrs = append(attrs, slog.String("error", t.Err.Error()))
	}
	return attrs
}
