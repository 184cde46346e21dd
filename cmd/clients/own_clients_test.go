package clients

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func newRecorder(h http.Handler, host string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodConnect, "/", nil)
	r.Host = host
	h.ServeHTTP(rec, r)
	return rec
}

func TestChoose_namesAreChecked(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) != len(clients) {
		t.Errorf("%d, %v", len(all), err)
	}
	two, err := choose("codex,openai-js")
	if err != nil || len(two) != 2 || two[1].name != "openai-js" {
		t.Errorf("%v, %v", two, err)
	}
	if _, err := choose("codex,cursor"); err == nil || !strings.Contains(err.Error(), `"cursor"`) {
		t.Errorf("%v", err)
	}
}

// Every client that was recorded has its row.
func TestClients_haveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range clients {
		if seen[c.name] {
			t.Errorf("%s comes twice", c.name)
		}
		seen[c.name] = true
	}
	if len(clients) != 22 {
		t.Errorf("%d clients", len(clients))
	}
}

func TestRun_saysWhichModelThereIsNot(t *testing.T) {
	if _, err := run(t.Context(), options{models: "other", dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "serve other") {
		t.Errorf("%v", err)
	}
	if _, err := run(t.Context(), options{models: gemma, tenon: "/nowhere/tenon", dir: t.TempDir()}); err == nil {
		t.Error("no error for a server that is not there")
	}
}

func TestEvaluated_readsTheServersOwnCount(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			fmt.Fprintln(w, "# TYPE tenon_engine_evaluated_tokens_total counter\ntenon_engine_evaluated_tokens_total{model=\"a\"} 1.2141e+04\ntenon_engine_evaluated_tokens_total{model=\"b\"} 9")
		}
	}))
	defer s.Close()
	if n := evaluated(t.Context(), s.URL); n != 12150 {
		t.Errorf("%d", n)
	}
	s.Close()
	if n := evaluated(t.Context(), s.URL); n != 0 {
		t.Errorf("%d from a server that is gone", n)
	}
}
