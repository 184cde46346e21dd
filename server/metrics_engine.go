package server

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tenon/engine"
	"tenon/models/fleet"
)

// Engines tells what the loaded models have done and hold. *fleet.Fleet implements it.
type Engines interface {
	Stats(ctx context.Context) map[string]engine.Stats
}

// engineCollector asks the engines at each scrape. Either field may be nil.
type engineCollector struct {
	engines Engines
	models  Models
}

// scrapeTimeout is how long a scrape waits for an engine; one that does not answer is left out.
const scrapeTimeout = 2 * time.Second

// engineMetric is one figure of an engine's.
type engineMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(engine.Stats) float64
}

var (
	engineMetrics = []engineMetric{
		counted("tenon_engine_evaluated_tokens_total", "Tokens that went through the model.", func(s engine.Stats) int64 { return s.Evaluated }),
		counted("tenon_engine_repeated_tokens_total", "Tokens that were evaluated once more.", func(s engine.Stats) int64 { return s.Repeated }),
		counted("tenon_engine_drafted_tokens_total", "Tokens that were guessed and evaluated along with those before them.", func(s engine.Stats) int64 { return s.Drafted }),
		counted("tenon_engine_accepted_tokens_total", "Of the drafted tokens, those that the model chose as well.", func(s engine.Stats) int64 { return s.Accepted }),
		counted("tenon_engine_steps_total", "Calls of the model.", func(s engine.Stats) int64 { return s.Steps }),
		counted("tenon_engine_preemptions_total", "Turns that lost their cells to older ones.", func(s engine.Stats) int64 { return s.Preempted }),
		counted("tenon_cache_written_bytes_total", "Bytes of the KV cache that were written to disk.", func(s engine.Stats) int64 { return s.Written }),
		counted("tenon_cache_fetched_tokens_total", "Tokens whose part of the KV cache was read from disk.", func(s engine.Stats) int64 { return s.Fetched }),
		counted("tenon_worker_restarts_total", "Workers that were started because the one before had ended.", func(s engine.Stats) int64 { return s.Restarts }),
		held("tenon_slots_busy", "Turns in slots.", func(s engine.Stats) int { return s.Running }),
		held("tenon_queue_length", "Turns that wait for a slot.", func(s engine.Stats) int { return s.Waiting }),
		held("tenon_cache_cells", "Cells of the KV cache.", func(s engine.Stats) int { return s.Capacity }),
		held("tenon_cache_cells_used", "Cells of the KV cache in use, kept prefixes included.", func(s engine.Stats) int { return s.Cells }),
		held("tenon_cache_sequences_kept", "Sequences that are kept for reuse.", func(s engine.Stats) int { return s.Kept }),
		held("tenon_grammars_kept", "Compiled grammars that are remembered.", func(s engine.Stats) int { return s.Grammars }),
		held("tenon_grammar_bytes", "Memory of compiled grammars, with all they have learned.", func(s engine.Stats) int { return s.GrammarBytes }),
	}
	// Schedulers of clusters know these names of vLLM's (Gateway API Inference Extension,
	// llm-d). Prefixes that are kept for reuse do not count as use there: a turn that needs
	// room gets it.
	vllmMetrics = []engineMetric{
		gauge("vllm:num_requests_running", "Turns in slots, by the name vLLM has for it.", "model_name", func(s engine.Stats) float64 { return float64(s.Running) }),
		gauge("vllm:num_requests_waiting", "Turns that wait for a slot, by the name vLLM has for it.", "model_name", func(s engine.Stats) float64 { return float64(s.Waiting) }),
		gauge("vllm:kv_cache_usage_perc", "Share of the KV cache that running turns hold, 0 to 1, by the name vLLM has for it.", "model_name", usage),
	}
	slotsDesc  = prometheus.NewDesc("tenon_slots", "Turns that can run at once.", []string{"model"}, nil)
	modelsDesc = prometheus.NewDesc("tenon_models", "Models by state.", []string{"state"}, nil)

	confinedDesc = prometheus.NewDesc("tenon_worker_confined", "Whether a restriction of the worker's process is in force.",
		[]string{"model", "by"}, nil)
)

func counted(name, help string, value func(engine.Stats) int64) engineMetric {
	return engineMetric{prometheus.NewDesc(name, help, []string{"model"}, nil), prometheus.CounterValue, func(s engine.Stats) float64 { return float64(value(s)) }}
}

func held(name, help string, value func(engine.Stats) int) engineMetric {
	return gauge(name, help, "model", func(s engine.Stats) float64 { return float64(value(s)) })
}

func gauge(name, help, label string, value func(engine.Stats) float64) engineMetric {
	return engineMetric{prometheus.NewDesc(name, help, []string{label}, nil), prometheus.GaugeValue, value}
}

// usage is the share of the KV cache that running turns hold.
func usage(s engine.Stats) float64 {
	return float64(s.Cells-s.Evictable) / float64(max(s.Capacity, 1))
}

// Describe implements prometheus.Collector.
func (c engineCollector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range slices.Concat(engineMetrics, vllmMetrics) {
		out <- m.desc
	}
	out <- slotsDesc
	out <- modelsDesc
	out <- confinedDesc
}

// Collect implements prometheus.Collector.
func (c engineCollector) Collect(out chan<- prometheus.Metric) {
	if c.models != nil {
		c.collectModels(out)
	}
	if c.engines == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	for id, s := range c.engines.Stats(ctx) {
		for _, m := range slices.Concat(engineMetrics, vllmMetrics) {
			out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(s), id)
		}
		if s.Confinement != nil {
			collectConfinement(out, id, *s.Confinement)
		}
	}
}

func collectConfinement(out chan<- prometheus.Metric, id string, in engine.Confinement) {
	for by, holds := range map[string]bool{"no_new_privs": in.NoNewPrivs, "landlock": in.Landlock > 0, "seccomp": in.Seccomp} {
		value := 0.0
		if holds {
			value = 1
		}
		out <- prometheus.MustNewConstMetric(confinedDesc, prometheus.GaugeValue, value, id, by)
	}
}

func (c engineCollector) collectModels(out chan<- prometheus.Metric) {
	count := map[fleet.State]int{fleet.NotLoaded: 0, fleet.Waiting: 0, fleet.Loading: 0, fleet.Loaded: 0, fleet.Ending: 0}
	for _, s := range c.models.Status() {
		count[s.State]++
		if s.State == fleet.Loaded {
			out <- prometheus.MustNewConstMetric(slotsDesc, prometheus.GaugeValue, float64(s.Model.Slots), s.ID)
		}
	}
	for state, n := range count {
		out <- prometheus.MustNewConstMetric(modelsDesc, prometheus.GaugeValue, float64(n), string(state))
	}
}
