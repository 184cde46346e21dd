package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/server/servertest"
)

const anError = `{"error":{"message":"there is no model","type":"invalid_request_error","param":"model","code":"model_not_found"}}`

// Issue 7: a row fails for what its client would choke on, and for nothing else.
func TestJudge_verdicts(t *testing.T) {
	ok := servertest.Exchange{Method: "GET", Path: "/health", Status: http.StatusOK, Type: "application/json"}
	broken := servertest.Exchange{Method: "POST", Path: "/v1/responses", Status: http.StatusOK, Type: "text/event-stream", Response: []byte("data: {\"error\":{}}\n\n")}
	refused := servertest.Exchange{Method: "POST", Path: "/v1/chat/completions", Status: http.StatusNotFound, Response: []byte(anError)}
	failed := errors.New("exit status 1")
	hung := fmt.Errorf("ended: %w", &hangError{"nothing has moved"})
	for _, c := range []struct {
		name      string
		client    client
		real      bool
		exchanges []servertest.Exchange
		out       string
		err       error
		fault     string // "": it passes
	}{
		{"an agent that tells the secret", client{}, false, []servertest.Exchange{ok}, "It is secret-1.", nil, ""},
		{"an agent that does not", client{}, false, []servertest.Exchange{ok}, "It is a secret.", nil, "did not say the secret"},
		{"a real model need not", client{}, true, []servertest.Exchange{ok}, "It is a secret.", nil, ""},
		{"a client that never asks", client{}, true, nil, "usage: …", nil, "asked nothing"},
		{"a stream that a client chokes on", client{}, true, []servertest.Exchange{broken}, "", nil, "/v1/responses"},
		{"a refusal", client{}, true, []servertest.Exchange{refused}, "", nil, "status 404"},
		{"a refusal that was provoked", client{refusals: []string{"there is no model"}}, true, []servertest.Exchange{refused}, "", nil, ""},
		{"an agent that gives up on a real model", client{givesUp: true}, true, []servertest.Exchange{ok}, "", failed, ""},
		{"an agent that gives up on a script", client{givesUp: true}, false, []servertest.Exchange{ok}, "secret-1", failed, "exit status 1"},
		{"an agent whose turn does not end", client{givesUp: true}, true, []servertest.Exchange{ok}, "", hung, "nothing has moved"},
		{"an overflow that is read", client{overflow: "too long"}, false, []servertest.Exchange{ok}, "It is too long.", failed, ""},
		{"an overflow that is not", client{overflow: "too long"}, false, []servertest.Exchange{ok}, "secret-1", failed, "did not say \"too long\""},
		{"steps that pass", client{script: "x.mjs"}, false, []servertest.Exchange{ok}, "ok a\nok b\nend\n", nil, ""},
		{"a step that fails", client{script: "x.mjs"}, true, []servertest.Exchange{ok}, "ok a\nFAIL b: no call\nend\n", nil, "b: no call"},
		{"steps that break off", client{script: "x.mjs"}, true, []servertest.Exchange{ok}, "ok a\n", nil, "did not end"},
	} {
		r := result{statuses: map[int]int{}}
		r.judge(c.client, &seat{secret: "secret-1", real: c.real, exchanges: c.exchanges}, c.out, c.err)
		if got := strings.Join(r.faults, "; "); (c.fault == "") != (got == "") || !strings.Contains(got, c.fault) {
			t.Errorf("%s: %q, want %q", c.name, got, c.fault)
		}
	}
}

func TestReport_theTableShowsEveryRowAndWhatFailed(t *testing.T) {
	var b strings.Builder
	report(&b, []result{
		{client: "openai-js", model: scripted, requests: 3, statuses: map[int]int{200: 2, 404: 1}, steps: "2 of 2", took: 1500 * time.Millisecond},
		{client: "codex", model: gemma, requests: 1, statuses: map[int]int{200: 1}, took: time.Minute, faults: []string{"it hung"}, refused: []string{"a.example:443"}},
	})
	want := "client     model     verdict  steps   requests  statuses     seconds  asked outside\n" +
		"openai-js  scripted  pass     2 of 2  3         1×404 2×200  2        \n" +
		"codex      gemma     FAIL             1         1×200        60       a.example:443\n" +
		"\ncodex, gemma: it hung\n\n2 rows, 1 failed\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// asking is a client that asks the scripted model as an SDK's script does, without being one.
func asking(question string) client {
	return client{
		name: "asking", environment: "none", calls: []call{{"get_secret", map[string]any{"reason": "asked"}}},
		run: func(ctx context.Context, s *seat) (string, error) {
			body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]}`, s.model, question+s.secret)
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				return "", err
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				return "", err
			}
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			return string(b), err
		},
	}
}

func TestAttempt_runsAClientInAHomeOfItsOwnAndKeepsWhatPassed(t *testing.T) {
	dir := t.TempDir()
	i := &installer{dir: dir, node: "node", done: map[string]error{"none": nil}}
	to, err := serve(t.Context(), options{}, scripted)
	if err != nil {
		t.Fatal(err)
	}
	r := attempt(t.Context(), i, asking("Do you know "), to)
	if len(r.faults) > 0 || r.requests != 1 || r.statuses[http.StatusOK] != 1 {
		t.Errorf("%+v", r)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "homes", "asking-scripted", "exchange-*.txt"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
}

func TestAttempt_aClientThatCannotBeInstalledFailsItsRow(t *testing.T) {
	i := &installer{dir: t.TempDir(), done: map[string]error{"none": errors.New("the registry is away")}}
	r := attempt(t.Context(), i, asking(""), &served{model: scripted})
	if r.verdict() == "pass" || !strings.Contains(r.verdict(), "the registry is away") {
		t.Errorf("%+v", r)
	}
}
