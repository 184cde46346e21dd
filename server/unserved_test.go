package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
)

func TestUnserved_documentedRoutesAreRefusedInTheirOwnShape(t *testing.T) {
	h := server.New(options(t))
	for _, c := range []struct {
		method, path string
		status       int
		shape, want  string
	}{
		{"POST", "/v1/messages/batches", 404, `"type":"error"`, "batches are not served"},
		{"GET", "/v1/messages/batches/msgbatch_1/results", 404, `"type":"error"`, "batches are not served"},
		{"POST", "/v1/conversations", 404, `"code":"unknown_url"`, "previous_response_id"},
		{"POST", "/v1/responses/compact", 404, `"code":"unknown_url"`, "compacted"},
		{"POST", "/v1/audio/speech", 404, `"code":"unknown_url"`, "text only"},
		{"GET", "/v1/chat/completions", 405, `"code":"method_not_allowed"`, "not kept"},
		{"POST", "/v1/filesystem", 404, `"code":"unknown_url"`, "no route POST /v1/filesystem\""},
		{"PUT", "/v1/messages", 405, `"type":"error"`, "PUT is not allowed"},
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(c.method, c.path, strings.NewReader("{}")))
		body := rec.Body.String()
		if rec.Code != c.status || !strings.Contains(body, c.shape) || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, rec.Code, body)
		}
	}
}

// Issue 23: what the protocols have and this server has not is known before one tries it.
func TestUnserved_theReadmeNamesEachRoute(t *testing.T) {
	source, err := os.ReadFile("unserved.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, notYet, _ := strings.Cut(strings.ToLower(string(readme)), "\nnot yet: ")
	notYet, _, _ = strings.Cut(notYet, "\n\n")
	routes := regexp.MustCompile(`\{"/v1/(?:\w+/)*(\w+)", "`).FindAllStringSubmatch(string(source), -1)
	if len(routes) < 20 {
		t.Fatalf("%d routes are found", len(routes))
	}
	for _, r := range append(routes, []string{"", "stored chat completions"}, []string{"", "ollama's chats, completions and embeddings"}) {
		words := strings.NewReplacer("fine_tuning", "fine-tuning", "_", " ").Replace(r[1])
		if !strings.Contains(notYet, words) {
			t.Errorf("README's \"Not yet\" lacks %s:\n%s", words, notYet)
		}
	}
}

// several is a list of models that none of which is loaded.
type several []string

func (s several) Status() []fleet.Status {
	var all []fleet.Status
	for _, id := range s {
		all = append(all, fleet.Status{Entry: catalog.Entry{ID: id}, State: fleet.NotLoaded})
	}
	return all
}

func TestModels_anthropicsPages(t *testing.T) {
	o := options(t)
	o.Models = several{"a", "b", "c", "d"}
	h := server.New(o)
	for query, want := range map[string]struct {
		ids  []string
		more bool
	}{
		"":                        {[]string{"a", "b", "c", "d"}, false},
		"?limit=1000":             {[]string{"a", "b", "c", "d"}, false},
		"?limit=2":                {[]string{"a", "b"}, true},
		"?limit=2&after_id=b":     {[]string{"c", "d"}, false},
		"?after_id=d":             {nil, false},
		"?limit=2&before_id=d":    {[]string{"b", "c"}, true},
		"?before_id=c&after_id=a": {[]string{"b"}, false},
	} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/v1/models"+query, nil))
		var page struct {
			Data    []struct{ ID string }
			HasMore bool   `json:"has_more"`
			LastID  string `json:"last_id"`
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &page); err != nil || rec.Code != http.StatusOK {
			t.Fatalf("%s: %d %v %s", query, rec.Code, err, rec.Body)
		}
		var ids []string
		for _, m := range page.Data {
			ids = append(ids, m.ID)
		}
		if diff := cmp.Diff(want.ids, ids); diff != "" || page.HasMore != want.more || len(ids) > 0 && page.LastID != ids[len(ids)-1] {
			t.Errorf("%s: %s %+v", query, diff, page)
		}
	}
	for query, field := range map[string]string{"?limit=0": "limit", "?limit=1001": "limit", "?limit=x": "limit", "?after_id=z": "after_id"} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/v1/models"+query, nil))
		if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), `"param":"`+field) {
			t.Errorf("%s: %d %s", query, rec.Code, rec.Body)
		}
	}
}
