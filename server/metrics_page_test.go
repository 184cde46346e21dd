package server

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

var described = regexp.MustCompile(`fqName: "((?:tenon_|vllm:)[a-z_]+)", help: "(.*?)",(?: unit: "[^"]*",)? constLabels: \{.*\}, variableLabels: \{(.*?)\}\}`)

// S1-27, S3-21: METRICS.md names every metric that is registered, with its labels and its meaning,
// and no other.
func TestMetrics_thePageNamesEachThatIsRegistered(t *testing.T) {
	all := make(chan *prometheus.Desc)
	go func() {
		defer close(all)
		newMetrics(prometheus.NewRegistry(), nil, nil).registry.Describe(all)
	}()
	var rows []string
	for d := range all {
		if m := described.FindStringSubmatch(d.String()); m != nil {
			labels := strings.ReplaceAll(m[3], ",", ", ")
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", m[1], labels, m[2]))
		}
	}
	slices.Sort(rows)
	page := "# What GET /metrics shows\n\nMetrics in Prometheus' text format, beside those of the Go runtime and of the process (`go_`, `process_`). A test of package\n" +
		"server prints this page (`go test ./server -update`).\n\n| metric | labels | what it counts |\n|---|---|---|\n" + strings.Join(rows, "") +
		"\n## OpenTelemetry\n\nWith a collector (`--otlp-endpoint`, or `OTEL_EXPORTER_OTLP_ENDPOINT`) all of this is sent to it, too, as OTLP over HTTP, from the same registry.\n" +
		"Added are the histograms that OpenTelemetry's conventions name for servers of models: `gen_ai.server.request.duration`,\n" +
		"`gen_ai.server.time_to_first_token`, `gen_ai.server.time_per_output_token` and `gen_ai.client.token.usage`, by model and operation.\n" +
		"Traces have a span for each request, turn, executed call and request to an upstream; see [package telemetry](telemetry/doc.go).\n"
	const file = "METRICS.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != page {
		t.Errorf("%s is out of date (%v); go test ./server -update writes it", file, err)
	}
}
