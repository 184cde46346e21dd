package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server"
)

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
	o.Models.(oneModel).engine.Info.Unmasked = true // under the mask there is nothing to repair
	o.Engines = counts{"scripted": {Evaluated: 70, Repeated: 3, Steps: 9, Restarts: 2, Running: 1, Waiting: 4, Cells: 50, Capacity: 4096, Kept: 2,
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
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// What was done about calls that did not validate is counted: written anew, given up, ended in a loop.
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
	o.Service.Retries = -1
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
