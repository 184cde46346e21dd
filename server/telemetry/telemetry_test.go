package telemetry_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	spanpb "go.opentelemetry.io/proto/otlp/trace/v1"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server/chat"
	"tenon/server/chat/record"
	"tenon/server/telemetry"
	"tenon/tools"
)

// Issue 26: a turn, streamed or not, is a span below its request's, which belongs to the client's
// trace. It says what the turn was and came to, by the names of OpenTelemetry and of
// OpenInference. It holds none of the turn's text.
func TestSpans_ofATurn(t *testing.T) {
	for _, stream := range []string{"false", "true"} {
		var log bytes.Buffer
		c := newCollector(t)
		h, flush := traced(t, c.URL, slog.New(slog.NewTextHandler(&log, nil)), enginetest.Say(calls))
		if rec := post(t.Context(), h, "/v1/chat/completions", `{"stream":`+stream+`,`+asked+`}`); rec.Code != http.StatusOK {
			t.Fatal(rec.Body)
		}
		if err := flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		request, turn := c.span(t, "POST /v1/chat/completions"), c.span(t, "chat coder")
		if hex(request.TraceId) != parent[3:35] || hex(request.ParentSpanId) != parent[36:52] || !bytes.Equal(turn.ParentSpanId, request.SpanId) {
			t.Errorf("the spans are not of the client's trace: %v, %v", request, turn)
		}
		if request.Kind != spanpb.Span_SPAN_KIND_SERVER || turn.Kind != spanpb.Span_SPAN_KIND_INTERNAL {
			t.Errorf("kinds: %v, %v", request.Kind, turn.Kind)
		}
		compare(t, attributes(request.Attributes), map[string]any{
			"http.request.method": "POST", "http.route": "/v1/chat/completions", "http.response.status_code": 200,
			"url.path": "/v1/chat/completions", "url.scheme": "http", "tenon.request_id": "mine",
		})
		of := attributes(turn.Attributes)
		compare(t, of, map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "tenon", "gen_ai.system": "tenon",
			"gen_ai.request.model": "coder", "gen_ai.response.model": "coder", "gen_ai.request.max_tokens": 100,
			"gen_ai.request.temperature": 0.5, "gen_ai.request.top_p": 0.25, "gen_ai.request.seed": 7,
			"gen_ai.response.finish_reasons": "tool_calls", "gen_ai.usage.output_tokens": len(calls),
			"openinference.span.kind": "LLM", "llm.system": "tenon", "llm.model_name": "coder", "llm.token_count.completion": len(calls),
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "open",
		})
		if of["gen_ai.usage.input_tokens"] != of["llm.token_count.prompt"] || of["llm.token_count.total"] != of["gen_ai.usage.input_tokens"].(int)+len(calls) {
			t.Errorf("counts do not agree: %v", of)
		}
		if len(turn.Events) != 1 || turn.Events[0].Name != "first token" || of["gen_ai.response.time_to_first_chunk"].(float64) <= 0 {
			t.Errorf("the first token is not told: %v", turn)
		}
		if bytes.Contains(c.raw, []byte(secret)) {
			t.Error("what was said was sent")
		}
		if !strings.Contains(log.String(), "trace_id="+parent[3:35]) {
			t.Errorf("the log names no trace: %s", &log)
		}
		compare(t, c.of, map[string]any{"service.name": "tenon", "service.version": "1.2", "telemetry.sdk.language": "go"})
	}
}

func hex(b []byte) string {
	const digits = "0123456789abcdef"
	var out []byte
	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}
	return string(out)
}

func compare(t *testing.T, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, not %v", name, got[name], value)
		}
	}
}

// The metrics are those of the page, from the same registry, and the histograms of the
// conventions.
func TestMetrics_areSentToo(t *testing.T) {
	c := newCollector(t)
	h, flush := traced(t, c.URL, slog.New(slog.DiscardHandler), enginetest.Say(calls))
	post(t.Context(), h, "/v1/chat/completions", `{`+asked+`}`)
	if err := flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gen_ai.server.request.duration", "gen_ai.server.time_to_first_token", "gen_ai.server.time_per_output_token"} {
		if m := c.metrics[name]; m == nil || m.Unit != "s" || m.GetHistogram().DataPoints[0].Count != 1 {
			t.Errorf("%s: %v", name, m)
		}
	}
	tokens := c.metrics["gen_ai.client.token.usage"].GetHistogram()
	if len(tokens.DataPoints) != 2 {
		t.Fatal(tokens)
	}
	for _, p := range tokens.DataPoints {
		of := attributes(p.Attributes)
		if of["gen_ai.token.type"] == "output" && p.GetSum() != float64(len(calls)) || of["gen_ai.response.model"] != "coder" {
			t.Error(p)
		}
	}
	if m := c.metrics["tenon_tool_calls_total"].GetSum(); m == nil || m.DataPoints[0].GetAsDouble() != 1 {
		t.Errorf("the registry's are not sent: %v", c.metrics)
	}
}

// An error is told by its class, as its text may quote what was said. A client that left has done
// nothing wrong.
func TestSpans_ofFaults(t *testing.T) {
	lost := enginetest.Say("half")
	lost.Err = engine.ErrWorkerLost
	held := enginetest.Say("half")
	held.Hold = make(chan struct{})
	for _, f := range []struct {
		name, span, class string
		reply             enginetest.Reply
		body              string
		status            int
		code              spanpb.Status_StatusCode
	}{
		{"lost", "chat coder", "unavailable", lost, asked, 503, spanpb.Status_STATUS_CODE_ERROR},
		{"unknown", "chat " + secret, "not_found", lost, `"model":"` + secret + `","messages":[{"role":"user","content":"hi"}]`, 404, spanpb.Status_STATUS_CODE_ERROR},
		{"cancelled", "chat coder", chat.ClientGone.String(), held, asked, 499, spanpb.Status_STATUS_CODE_UNSET},
	} {
		t.Run(f.name, func(t *testing.T) {
			c := newCollector(t)
			h, flush := traced(t, c.URL, slog.New(slog.DiscardHandler), f.reply)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if f.reply.Hold != nil {
				go func() {
					f.reply.Hold <- struct{}{} // it has begun
					leave()
				}()
			}
			post(ctx, h, "/v1/chat/completions", "{"+f.body+"}")
			if err := flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			turn, request := c.span(t, f.span), c.span(t, "POST /v1/chat/completions")
			if attributes(turn.Attributes)["error.type"] != f.class || turn.Status.GetCode() != f.code {
				t.Errorf("%v", turn)
			}
			wrong := request.Status.GetCode() == spanpb.Status_STATUS_CODE_ERROR
			if attributes(request.Attributes)["http.response.status_code"] != f.status || wrong != (f.status >= 500) {
				t.Errorf("%v", request)
			}
		})
	}
}

// A call that the server executes is a span of the tool.
func TestSpans_ofAnExecution(t *testing.T) {
	c := newCollector(t)
	sent, err := telemetry.Start(t.Context(), telemetry.Options{Endpoint: c.URL, Metrics: prometheus.NewRegistry(), Log: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Unix(1000, 0)
	sent.Execution(t.Context(), record.Execution{Call: tools.Call{ID: "call_1"}, Began: began, Hosted: chat.HostedCall{
		Source: "files", Tool: "read", Result: &chat.HostedResult{Took: time.Second, Why: "timeout"},
	}})
	if err := sent.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	span := c.span(t, "execute_tool read")
	compare(t, attributes(span.Attributes), map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read", "gen_ai.tool.call.id": "call_1", "openinference.span.kind": "TOOL", "error.type": "timeout",
	})
	if span.StartTimeUnixNano != uint64(began.UnixNano()) || span.EndTimeUnixNano-span.StartTimeUnixNano != uint64(time.Second) {
		t.Error(span)
	}
}

// A collector that is away, or that hangs, costs no request anything. The log says it once, and
// the end of the server does not wait for longer than it is told to.
func TestCollector_away(t *testing.T) {
	asks := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-asks }))
	defer hangs.Close()
	defer close(asks)
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, url := range map[string]string{"hangs": hangs.URL, "closed": closed.URL} {
		t.Run(name, func(t *testing.T) {
			var log safeBuffer
			var replies []enginetest.Reply
			t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
			for range 50 { // more than the queue of spans holds
				replies = append(replies, enginetest.Say("x"))
			}
			h, flush := traced(t, url, slog.New(slog.NewTextHandler(&log, nil)), replies...)
			for range replies {
				if rec := post(t.Context(), h, "/v1/chat/completions", `{`+asked+`}`); rec.Code != http.StatusOK {
					t.Fatal(rec.Body)
				}
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if err := flush(ended); err == nil {
				t.Error("nothing tells that spans were lost")
			}
			if n := strings.Count(log.String(), "telemetry cannot be sent"); n > 1 {
				t.Errorf("the log says it %d times", n)
			}
		})
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// What turns telemetry on and off, and what is refused.
func TestStart_asTheEnvironmentSays(t *testing.T) {
	const collector = "http://127.0.0.1:1"
	for _, c := range []struct {
		endpoint string
		env      []string
		on       bool
		refused  string
	}{
		{},
		{endpoint: collector, on: true},
		{env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT", collector}, on: true},
		{env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector + "/v1/traces"}, on: true},
		{endpoint: collector, env: []string{"OTEL_SDK_DISABLED", "true"}},
		{endpoint: collector, env: []string{"OTEL_TRACES_EXPORTER", "none"}, on: true},
		{endpoint: collector, env: []string{"OTEL_TRACES_EXPORTER", "none", "OTEL_METRICS_EXPORTER", "none"}},
		{env: []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}},
		{endpoint: collector, env: []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"}, on: true},
		{endpoint: collector, env: []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, refused: "4318"},
		{endpoint: collector, env: []string{"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc"}, refused: "4318"},
		{endpoint: "localhost:4318", refused: "http://localhost:4318"},
	} {
		t.Run(c.endpoint+" "+strings.Join(c.env, " "), func(t *testing.T) {
			for _, name := range []string{"ENDPOINT", "PROTOCOL", "TRACES_ENDPOINT", "METRICS_ENDPOINT"} {
				t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
			}
			for pair := range slices.Chunk(c.env, 2) {
				t.Setenv(pair[0], pair[1])
			}
			sent, err := telemetry.Start(t.Context(), telemetry.Options{Endpoint: c.endpoint, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
			if (sent != nil) != c.on || (err != nil) != (c.refused != "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%v, %v", sent, err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = sent.Close(ended) // nothing listens there
		})
	}
}

// Without a collector telemetry allocates nothing.
func TestOff_allocatesNothing(t *testing.T) {
	var off *telemetry.Telemetry
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
	o, asked, done := &record.Outcome{}, chat.Request{Model: "coder"}, record.Execution{}
	if n := testing.AllocsPerRun(100, func() {
		ctx, ended := off.Request(r, "mine", "/v1/chat/completions")
		ctx, turned := off.Turn(ctx, asked)
		turned(o)
		off.Execution(ctx, done)
		ended(http.StatusOK)
	}); n != 0 {
		t.Errorf("a request allocates %v times", n)
	}
}
