package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/chat"
)

// tryingOnce are models whose turns are not tried again.
type tryingOnce struct{ chat.Models }

func (m tryingOnce) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	out, release, err := m.Models.Acquire(ctx, name)
	out.Teaching.Retries = new(int)
	return out, release, err
}

type counts map[string]engine.Stats

func (c counts) Stats(context.Context) map[string]engine.Stats { return c }

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// busy is a server that has had requests of every kind.
func busy(t *testing.T) http.Handler {
	t.Helper()
	lost := enginetest.Say("half")
	lost.Err = engine.ErrWorkerLost
	o := options(t, enginetest.Say(lookingCall), enginetest.Say("four"), lost)
	// under the mask there is nothing to repair
	o.Models.(oneModel).engine.Info.Can = enginetest.Unmasked
	o.Engines = counts{"scripted": {Evaluated: 70, Repeated: 3, Steps: 9, Restarts: 2, Running: 1, Waiting: 4, Cells: 50, Evictable: 18, Capacity: 4096, Kept: 2,
		Confinement: &engine.Confinement{NoNewPrivs: true, Landlock: 7}}}
	h := server.New(o)
	askWith(t, h, "/v1/chat/completions", hello+weather)
	askWith(t, h, "/v1/messages", `{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`)
	askWith(t, h, "/v1/responses", `{"model":"scripted","input":"hi"}`)
	askWith(t, h, "/v1/completions", `{"model":"unknown","prompt":"hi"}`)
	askWith(t, h, "/nowhere/at/all", `{}`)
	return h
}

func TestMetrics_tellWhatHappened(t *testing.T) {
	shown := scrape(t, busy(t))
	for _, want := range []string{
		`tenon_http_requests_total{method="POST",protocol="chat",route="/v1/chat/completions",status="200"} 1`,
		`tenon_http_requests_total{method="POST",protocol="responses",route="/v1/responses",status="503"} 1`,
		`tenon_http_requests_total{method="POST",protocol="completions",route="/v1/completions",status="404"} 1`,
		`tenon_http_requests_total{method="POST",protocol="none",route="none",status="404"} 1`,
		`tenon_turns_total{model="scripted",result="tool_calls"} 1`,
		`tenon_turns_total{model="scripted",result="unavailable"} 1`,
		`tenon_turns_total{model="",result="not_found"} 1`,
		`tenon_tool_calls_total{model="scripted"} 1`,
		`tenon_repairs_total{rule="trailing-comma"} 1`,
		`tenon_generated_tokens_total{model="scripted"} 72`,
		`tenon_time_to_first_token_seconds_count{model="scripted"} 3`,
		`tenon_queue_wait_seconds_count{model="scripted"} 2`,
		`tenon_slots{model="scripted"} 1`,
		`tenon_slots_busy{model="scripted"} 1`,
		`tenon_queue_length{model="scripted"} 4`,
		`tenon_cache_cells_used{model="scripted"} 50`,
		`vllm:num_requests_running{model_name="scripted"} 1`,
		`vllm:num_requests_waiting{model_name="scripted"} 4`,
		`vllm:kv_cache_usage_perc{model_name="scripted"} 0.0078125`,
		`tenon_worker_restarts_total{model="scripted"} 2`,
		`tenon_worker_confined{by="landlock",model="scripted"} 1`,
		`tenon_worker_confined{by="seccomp",model="scripted"} 0`,
		`tenon_models{state="loaded"} 1`,
	} {
		if !strings.Contains(shown, want+"\n") {
			name, _, _ := strings.Cut(want, "{")
			t.Errorf("%s is missing; there is:\n%s", want, linesOf(shown, name))
		}
	}
}

func linesOf(text, prefix string) string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

func TestMetrics_keepToTheNamingConventions(t *testing.T) {
	problems, err := promlint.New(strings.NewReader(scrape(t, busy(t)))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Metric, "vllm:") { // whose names are vLLM's
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// What was done about calls that did not validate is counted: written anew, given up, ended in a
// loop.
func TestMetrics_tellWhatWasMended(t *testing.T) {
	const tool = `,"tools":[{"type":"function","function":{"name":"book","parameters":{"type":"object","required":["code"],"properties":{"code":{"pattern":"^(a|b)\\1$"}}}}}]}`
	call := func(code string) enginetest.Reply {
		r := enginetest.Say(`{"tool": "book", "arguments": {"code": "` + code + `"}}`)
		r.Checks = []int{len(r.Tokens) - 1}
		return r
	}
	again := enginetest.Say(`"bb"}`)
	again.Checks = []int{len(again.Tokens)}
	mended := call("ab")
	mended.Again = []enginetest.Reply{{Tokens: append(again.Tokens, enginetest.Say("}").Tokens...), Checks: again.Checks}}
	o := options(t, mended, call("ab"))
	o.Service.Models = tryingOnce{o.Service.Models}
	h := server.New(o)
	askWith(t, h, "/v1/chat/completions", hello+tool)
	askWith(t, h, "/v1/chat/completions", hello+tool)
	shown := scrape(t, h)
	for _, want := range []string{
		`tenon_checks_total{model="scripted",verdict="refused"} 1`, `tenon_checks_total{model="scripted",verdict="go"} 1`,
		`tenon_checks_total{model="scripted",verdict="rewind"} 4`, `tenon_tool_calls_total{model="scripted"} 1`, `tenon_loops_total{model="scripted"} 0`,
	} {
		if !strings.Contains(shown, want+"\n") {
			name, _, _ := strings.Cut(want, "{")
			t.Errorf("%s is missing; there is:\n%s", want, linesOf(shown, name))
		}
	}
}

// S1-25, S1-27: what is done beside the engine has its seconds, a second request compiles nothing,
// and errors of tools are counted by the set of tools that was declared.
func TestMetrics_tellWhatConversionCosts(t *testing.T) {
	data, err := os.ReadFile("../../shared/data/tools/github-mcp.json")
	if err != nil {
		t.Skip("the 117 tools are not here: ", err)
	}
	var declared []json.RawMessage
	if err := json.Unmarshal(data, &declared); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, tool := range declared {
		list = append(list, asFunction(t, tool))
	}
	o := options(t, enginetest.Say("one"), enginetest.Say("two"))
	o.Models.(oneModel).engine.Info.Context = 1 << 20
	h := server.New(o)
	body := `{"model":"scripted","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"get_me","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"Error: it broke"}],"tools":[` + strings.Join(list, ",") + `]}`
	before := sample(t, h, "tenon_grammar_compiles_total")
	if rec := askWith(t, h, "/v1/chat/completions", body); rec.Code != http.StatusOK {
		t.Fatal(rec.Body)
	}
	first, hits := sample(t, h, "tenon_grammar_compiles_total"), sample(t, h, "tenon_grammar_cache_hits_total")
	askWith(t, h, "/v1/chat/completions", body)
	second := sample(t, h, "tenon_grammar_compiles_total")
	if first <= before || second != first || sample(t, h, "tenon_grammar_cache_hits_total") <= hits {
		t.Errorf("%d tools: %v grammars were compiled before, %v with the first request, %v with the second", len(list), before, first-before, second-first)
	}
	for _, phase := range []string{"decode", "compile", "parse"} {
		if sample(t, h, `tenon_conversion_seconds_total{phase="`+phase+`",protocol="chat"}`) <= 0 {
			t.Errorf("no seconds of %s", phase)
		}
	}
	if lines := linesOf(scrape(t, h), "tenon_tool_set_errors_total"); strings.Count(lines, `kind="refused"`) != 1 {
		t.Errorf("errors by set of tools:\n%s", lines)
	}
}

// asFunction is a tool of MCP's list as Chat Completions declares it.
func asFunction(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var tool struct {
		Name, Description string
		InputSchema       json.RawMessage `json:"inputSchema"`
		Parameters        json.RawMessage
		Function          json.RawMessage
	}
	if err := json.Unmarshal(raw, &tool); err != nil {
		t.Fatal(err)
	}
	if tool.Function != nil {
		return string(raw)
	}
	if tool.Parameters == nil {
		tool.Parameters = tool.InputSchema
	}
	return fmt.Sprintf(`{"type":"function","function":{"name":%q,"parameters":%s}}`, tool.Name, tool.Parameters)
}

// sample is the value of a series, 0 where there is none.
func sample(t *testing.T, h http.Handler, series string) float64 {
	t.Helper()
	for line := range strings.Lines(scrape(t, h)) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return 0
}

// Issue 19: clients make no series without end by naming tools.
func TestMetrics_toolsThatClientsNameAreBounded(t *testing.T) {
	replies := make([]enginetest.Reply, 300)
	for i := range replies {
		replies[i] = enginetest.Say("x")
	}
	h := server.New(options(t, replies...))
	for i := range replies {
		body := fmt.Sprintf(`{"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"tool%d","input":{}}]},`+
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","is_error":true,"content":"no"}]}]}`, i)
		if got := status(h, httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(body))); got != http.StatusOK {
			t.Fatal(got)
		}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if series := strings.Count(rec.Body.String(), "tenon_tool_errors_total{"); series != 201 {
		t.Errorf("%d series", series)
	}
}
