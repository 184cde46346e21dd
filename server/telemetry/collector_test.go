package telemetry_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	spanpb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/servertest"
	"tenon/server/telemetry"
)

// collector is one that keeps what it gets.
type collector struct {
	*httptest.Server
	mu      sync.Mutex // guards what follows
	spans   []*spanpb.Span
	metrics map[string]*metricpb.Metric
	of      map[string]any // the resource's attributes
	raw     []byte         // all that came
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]*metricpb.Metric{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw = append(c.raw, body...)
		switch r.URL.Path {
		case "/v1/traces":
			var in tracepb.ExportTraceServiceRequest
			err = errors.Join(err, proto.Unmarshal(body, &in))
			for _, rs := range in.ResourceSpans {
				c.of = attributes(rs.Resource.Attributes)
				for _, s := range rs.ScopeSpans {
					c.spans = append(c.spans, s.Spans...)
				}
			}
		case "/v1/metrics":
			var in metricspb.ExportMetricsServiceRequest
			err = errors.Join(err, proto.Unmarshal(body, &in))
			for _, rm := range in.ResourceMetrics {
				for _, s := range rm.ScopeMetrics {
					for _, m := range s.Metrics {
						c.metrics[m.Name] = m
					}
				}
			}
		default:
			t.Errorf("something for %s", r.URL)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func attributes(all []*commonpb.KeyValue) map[string]any {
	out := map[string]any{}
	for _, kv := range all {
		switch v := kv.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			out[kv.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			out[kv.Key] = int(v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			out[kv.Key] = v.DoubleValue
		case *commonpb.AnyValue_ArrayValue:
			for _, item := range v.ArrayValue.Values {
				out[kv.Key] = item.GetStringValue() // the last one
			}
		}
	}
	return out
}

// span is the only one with a name.
func (c *collector) span(t *testing.T, name string) *spanpb.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []*spanpb.Span
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %q: %v", len(found), name, c.spans)
	}
	return found[0]
}

// traced is a server whose telemetry goes to a collector, and what sends all that is left.
func traced(t *testing.T, endpoint string, log *slog.Logger, replies ...enginetest.Reply) (h http.Handler, flush func(context.Context) error) {
	t.Helper()
	for _, name := range []string{"ENDPOINT", "PROTOCOL", "TRACES_ENDPOINT", "METRICS_ENDPOINT"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, "")
	}
	registry := prometheus.NewRegistry()
	sent, err := telemetry.Start(t.Context(), telemetry.Options{Endpoint: endpoint, Version: "1.2", Metrics: registry, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	o := servertest.Options(servertest.Model{ID: "coder", Engine: enginetest.Script(replies...)})
	o.Telemetry, o.Metrics = sent, registry
	o.Log = slog.New(sent.Logs(log.Handler()))
	return server.New(o), sent.Close
}

const (
	secret = "swordfish"
	asked  = `"model":"coder","max_tokens":100,"temperature":0.5,"top_p":0.25,"seed":7,"messages":[{"role":"user","content":"` + secret + `"}],
		"tools":[{"type":"function","function":{"name":"open","parameters":{"type":"object","properties":{"word":{"type":"string"}}}}}]`
	calls  = `{"tool": "open", "arguments": {"word": "` + secret + `"}}`
	parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
)

func post(ctx context.Context, h http.Handler, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Traceparent", parent)
	r.Header.Set("X-Request-Id", "mine")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}
