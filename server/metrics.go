package server

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tenon/grammar"
	"tenon/server/chat"
	"tenon/server/chat/record"
)

// metrics are what GET /metrics shows, in a registry of their own so that two servers in one
// process stay apart. Requests and turns are counted here when they have ended; what an engine
// holds is asked for at each scrape (engineCollector).
type metrics struct {
	registry *prometheus.Registry

	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	running  prometheus.Gauge

	turns, calls, failed, executed, rejected, repairs, checks, retries, loops, issues, errors *prometheus.CounterVec
	prompt, generated, reasoning, rewound, missed, conversion, engineTime                     *prometheus.CounterVec

	firstToken, queueWait *prometheus.HistogramVec

	tools, sets *labels
}

// Buckets in seconds. A model answers in tens of milliseconds on a GPU, and reads a long prompt
// for minutes without one.
var (
	requestBuckets = []float64{.005, .02, .1, .5, 1, 5, 20, 60, 300}
	waitBuckets    = []float64{.001, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}
)

func newMetrics(r *prometheus.Registry, e Engines, m Models) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
		r.MustRegister(h)
		return h
	}
	asked := func(name, help string, value func() float64) {
		r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
	}
	asked("tenon_grammar_cache_hits_total", "Output grammars that the server had compiled for an earlier request.", func() float64 {
		return float64(grammar.Kept().Found)
	})
	asked("tenon_grammar_compiles_total", "Output grammars that the server compiled.", func() float64 {
		return float64(grammar.Kept().Compiled)
	})
	out := &metrics{
		registry: r,
		requests: counter("tenon_http_requests_total", "Requests by method, route, protocol and status.", "method", "route", "protocol", "status"),
		duration: histogram("tenon_http_request_duration_seconds", "Time from a request's head to the end of its answer.", requestBuckets, "method", "route"),
		running:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "tenon_http_requests_running", Help: "Requests that are being answered."}),

		turns:      counter("tenon_turns_total", "Turns by how they ended: the reason, or the kind of the error.", "model", "result"),
		prompt:     counter("tenon_prompt_tokens_total", "Tokens of prompts, by whether they were evaluated or taken from the cache.", "model", "source"),
		generated:  counter("tenon_generated_tokens_total", "Tokens of output.", "model"),
		reasoning:  counter("tenon_reasoning_tokens_total", "Of the tokens of output, those that were thinking.", "model"),
		rewound:    counter("tenon_rewound_tokens_total", "Tokens of output that were taken back and made again.", "model"),
		missed:     counter("tenon_cache_misses_total", "Prompts that differ from an earlier one of the caller's, by the part where they do: template, prompt, tools, system, history or latest (the last message).", "model", "part"),
		calls:      counter("tenon_tool_calls_total", "Calls that were sent; each validates against its tool's schema.", "model"),
		failed:     counter("tenon_tool_errors_total", "Results of tools that clients sent back as errors; of tools beyond the first 200 the tool is other.", "model", "tool"),
		executed:   counter("tenon_executed_calls_total", "Calls that the server executed, by what came of them: ok, failed (the tool says so), or why they were not brought to an end: error, timeout, invalid, unknown, refused, repeated, cancelled. Of tools beyond the first 200 the tool is other.", "model", "tool", "result"),
		tools:      &labels{seen: map[string]bool{}},
		rejected:   counter("tenon_parse_notes_total", "Parts of output that proved to be no valid call, or were left out.", "model"),
		repairs:    counter("tenon_repairs_total", "What was mended in calls, by the rule's name.", "rule"),
		checks:     counter("tenon_checks_total", "Parts of output that were validated while the turn waited, by the verdict: go, rewind (written anew), or refused (it stayed invalid and became text).", "model", "verdict"),
		retries:    counter("tenon_retries_total", "Sessions that were opened anew.", "model"),
		loops:      counter("tenon_loops_total", "Answers that were ended because they went round in circles.", "model"),
		issues:     counter("tenon_schema_issues_total", "Keywords of the tools' schemas that the mask did not enforce.", "model"),
		errors:     counter("tenon_tool_set_errors_total", "What went wrong with calls, by the set of tools that was declared, a hash: result (a tool's, as the client says), rewind, retry, refused (the call became text). Of sets beyond the first 200 the set is other.", "protocol", "set", "kind"),
		sets:       &labels{seen: map[string]bool{}},
		conversion: counter("tenon_conversion_seconds_total", "Time beside the engine's: decode (the body arrives and is read), compile (history, prompt and grammar are made), parse (the output is read).", "protocol", "phase"),
		firstToken: histogram("tenon_time_to_first_token_seconds", "Time from a turn's begin to its first text, thinking or call.", waitBuckets, "model"),
		queueWait:  histogram("tenon_queue_wait_seconds", "Time that choices waited for a slot.", waitBuckets, "model"),
		engineTime: counter("tenon_engine_seconds_total", "Time of choices in their slots: on the prompt, on the output, and of that on masks.", "model", "phase"),
	}
	r.MustRegister(out.running, engineCollector{e, m}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return out
}

// labels bounds how many series clients can make by what they name.
type labels struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

func (n *labels) name(tool string) string {
	const most, longest = 200, 128
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.seen[tool] && (len(n.seen) >= most || len(tool) > longest || !utf8.ValidString(tool)) {
		return "other"
	}
	n.seen[tool] = true
	return tool
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// request counts a request. Routes are the table's patterns, so that paths cannot make series
// without end.
func (m *metrics) request(method, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(known(method), route, protocol(route), strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(known(method), route).Observe(took.Seconds())
}

func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return method
	default:
		return "other"
	}
}

// protocol is the one that a route belongs to.
func protocol(route string) string {
	for _, p := range []struct{ prefix, name string }{
		{"/v1/chat/completions", "chat"}, {"/v1/completions", "completions"}, {"/v1/responses", "responses"}, {"/v1/messages", "messages"},
		{"/v1/embeddings", "embeddings"}, {"/api/version", "ollama"}, {"/api/tags", "ollama"}, {"/api/show", "ollama"}, {"/api/", "lmstudio"},
	} {
		if strings.HasPrefix(route, p.prefix) {
			return p.name
		}
	}
	return "none"
}

// turn counts a turn of a request that came at a time. Model is its id, which is one of a list, or
// empty if no model was found.
func (m *metrics) turn(o *record.Outcome, protocol string, came time.Time) {
	m.converted(o, protocol, came)
	if o.Err != nil {
		m.turns.WithLabelValues(o.Model, o.Err.Kind.String()).Inc()
	}
	for i, f := range o.Finishes {
		m.turns.WithLabelValues(o.Model, string(f.Reason)).Inc()
		m.choice(o.Model, f, i == 0)
	}
	m.calls.WithLabelValues(o.Model).Add(float64(len(o.Calls)))
	for _, tool := range o.Failed {
		m.failed.WithLabelValues(o.Model, m.tools.name(tool)).Inc()
	}
	m.issues.WithLabelValues(o.Model).Add(float64(o.Issues))
	m.retries.WithLabelValues(o.Model).Add(float64(o.Retries))
	m.checks.WithLabelValues(o.Model, "rewind").Add(float64(o.Rewinds))
	m.checks.WithLabelValues(o.Model, "refused").Add(float64(refused(o)))
	m.checks.WithLabelValues(o.Model, "go").Add(float64(max(o.Checks-o.Rewinds-refused(o), 0)))
	if o.FirstToken > 0 {
		m.firstToken.WithLabelValues(o.Model).Observe(o.FirstToken.Seconds())
	}
}

// execution counts a call that the server executed, or had to refuse.
func (m *metrics) execution(e record.Execution) {
	r := e.Hosted.Result
	result := cmp.Or(r.Why, map[bool]string{false: "ok", true: "failed"}[r.Failed])
	m.executed.WithLabelValues(e.Model, m.tools.name(e.Hosted.Source+"/"+e.Hosted.Tool), result).Inc()
}

// converted counts what a turn cost beside the engine, and what went wrong with its calls.
func (m *metrics) converted(o *record.Outcome, protocol string, came time.Time) {
	m.conversion.WithLabelValues(protocol, "decode").Add(max(o.Began.Sub(came), 0).Seconds())
	m.conversion.WithLabelValues(protocol, "compile").Add(o.Planning.Seconds())
	for _, f := range o.Finishes {
		m.conversion.WithLabelValues(protocol, "parse").Add(f.Parsing.Seconds())
	}
	if o.ToolSet == "" {
		return
	}
	set := m.sets.name(o.ToolSet)
	for kind, n := range map[string]int{"result": len(o.Failed), "rewind": o.Rewinds, "retry": o.Retries, "refused": refused(o)} {
		m.errors.WithLabelValues(protocol, set, kind).Add(float64(n))
	}
}

// refused counts the calls that stayed invalid. The engine was told to go on with them: they are
// text by then.
func refused(o *record.Outcome) (n int) {
	for _, f := range o.Finishes {
		n += f.Mending.Refused
	}
	return n
}

// choice counts a choice. All choices of a turn have one prompt, which counts with the first.
func (m *metrics) choice(model string, f chat.Finish, first bool) {
	if first {
		m.prompt.WithLabelValues(model, "evaluated").Add(float64(max(f.Usage.Prompt-f.Usage.Cached, 0)))
		m.prompt.WithLabelValues(model, "cache").Add(float64(f.Usage.Cached))
	}
	m.generated.WithLabelValues(model).Add(float64(f.Usage.Completion))
	m.reasoning.WithLabelValues(model).Add(float64(f.Usage.Reasoning))
	m.rewound.WithLabelValues(model).Add(float64(f.Rewound))
	if f.Miss != nil {
		m.missed.WithLabelValues(model, f.Miss.Part).Inc()
	}
	// it is told more than once
	m.loops.WithLabelValues(model).Add(float64(min(f.Mending.Loops, 1)))
	m.rejected.WithLabelValues(model).Add(float64(len(f.Notes)))
	for _, r := range f.Repairs {
		m.repairs.WithLabelValues(r.Rule).Inc()
	}
	m.queueWait.WithLabelValues(model).Observe(f.Timing.Queue.Seconds())
	m.engineTime.WithLabelValues(model, "prompt").Add(f.Timing.Prompt.Seconds())
	m.engineTime.WithLabelValues(model, "output").Add(f.Timing.Decode.Seconds())
	m.engineTime.WithLabelValues(model, "masks").Add(f.Timing.Mask.Seconds())
}
