package telemetry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options say where telemetry goes, and what beside spans.
type Options struct {
	// of a collector, such as http://collector:4318; "": as OTEL_EXPORTER_OTLP_ENDPOINT says
	Endpoint string
	Version  string              // of this server
	Metrics  prometheus.Gatherer // they are sent, too
	Log      *slog.Logger        // for what cannot be sent
}

// Telemetry makes spans and measures turns. All methods may be called from any goroutine, and on
// nil.
type Telemetry struct {
	spans   *sdk.TracerProvider
	meters  *metric.MeterProvider
	tracer  trace.Tracer
	measure measures
}

// Start begins to send. It returns nil where no collector is named, or OTEL_SDK_DISABLED is true.
// It does not wait for the collector.
func Start(ctx context.Context, o Options) (*Telemetry, error) {
	traces, metrics := wanted("TRACES", o.Endpoint), wanted("METRICS", o.Endpoint)
	if !traces && !metrics {
		return nil, nil
	}
	if err := check(o.Endpoint); err != nil {
		return nil, err
	}
	otel.SetErrorHandler(&complaints{log: o.Log})
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(
		attribute.String("service.name", "tenon"), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", rand.Text()), // replicas count apart
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the service to OpenTelemetry: %w", err)
	}
	spans, meters := []sdk.TracerProviderOption{sdk.WithResource(of)}, []metric.Option{metric.WithResource(of)}
	if traces {
		var at []otlptracehttp.Option // none: as the environment says
		if o.Endpoint != "" {
			at = append(at, otlptracehttp.WithEndpointURL(signalURL(o.Endpoint, "traces")))
		}
		out, err := otlptracehttp.New(ctx, at...)
		if err != nil {
			return nil, fmt.Errorf("send traces: %w", err)
		}
		spans = append(spans, sdk.WithBatcher(out))
	}
	if metrics {
		var at []otlpmetrichttp.Option
		if o.Endpoint != "" {
			at = append(at, otlpmetrichttp.WithEndpointURL(signalURL(o.Endpoint, "metrics")))
		}
		out, err := otlpmetrichttp.New(ctx, at...)
		if err != nil {
			return nil, fmt.Errorf("send metrics: %w", err)
		}
		ours := bridge.NewMetricProducer(bridge.WithGatherer(o.Metrics))
		meters = append(meters, metric.WithReader(metric.NewPeriodicReader(out, metric.WithProducer(ours))))
	}
	t := &Telemetry{spans: sdk.NewTracerProvider(spans...), meters: metric.NewMeterProvider(meters...)}
	t.tracer = t.spans.Tracer(scope)
	t.measure, err = newMeasures(t.meters.Meter(scope))
	return t, err
}

// scope names who makes spans and metrics.
const scope = "tenon"

// Close sends what is left, until ctx ends.
func (t *Telemetry) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return errors.Join(t.spans.Shutdown(ctx), t.meters.Shutdown(ctx))
}

// wanted tells whether a signal, TRACES or METRICS, has a collector.
func wanted(signal, endpoint string) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return false
	}
	return endpoint+variable(signal, "ENDPOINT") != ""
}

// variable is what the environment says of an exporter, for one signal or for all.
func variable(signal, name string) string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
}

// check tells what cannot be done. An exporter would go on with something else in its place.
func check(endpoint string) error {
	for _, signal := range []string{"TRACES", "METRICS"} {
		if p := variable(signal, "PROTOCOL"); p != "" && p != "http/protobuf" {
			return fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; tenon speaks http/protobuf alone, for which collectors listen on port 4318", p)
		}
	}
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("otlp-endpoint is %q; expected a URL such as http://localhost:4318", endpoint)
	}
	return nil
}

// signalURL is where a collector takes a signal, as the specification says.
func signalURL(endpoint, signal string) string {
	u, _ := url.Parse(endpoint) // it was checked
	return u.JoinPath("v1", signal).String()
}

// complaints log what cannot be sent: not more often than every hour, since it fails time and
// again.
type complaints struct {
	log  *slog.Logger
	last atomic.Int64 // when, in Unix seconds
}

const complainEvery = time.Hour

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	last, now := c.last.Load(), time.Now().Unix()
	if now-last < int64(complainEvery/time.Second) || !c.last.CompareAndSwap(last, now) {
		return
	}
	c.log.Warn("telemetry cannot be sent; requests go on without it", "error", err, "said again in", complainEvery)
}
