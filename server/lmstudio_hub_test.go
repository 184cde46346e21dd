package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server"
	"tenon/server/servertest"
)

// localHub is a hub with one repository, whose files begin to come once held is closed.
type localHub struct {
	files map[string][]byte
	held  chan struct{}

	mu    sync.Mutex // guards asked
	asked []string
}

func (h *localHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.asked = append(h.asked, r.URL.String())
	h.mu.Unlock()
	switch {
	case r.URL.Path == "/api/models":
		if !strings.Contains("some/tiny-gguf", strings.ToLower(r.URL.Query().Get("search"))) {
			_, _ = w.Write([]byte("[]"))
			return
		}
		_, _ = w.Write([]byte(`[{"id":"some/tiny-GGUF"},{"id":"../evil"}]`))
	case strings.HasPrefix(r.URL.Path, "/api/models/some/tiny-GGUF/tree/"):
		var list []map[string]any
		for name, b := range h.files {
			list = append(list, map[string]any{"path": name, "size": len(b)})
		}
		_ = json.NewEncoder(w).Encode(list)
	case strings.HasPrefix(r.URL.Path, "/some/tiny-GGUF/resolve/main/"):
		body, ok := h.files[strings.TrimPrefix(r.URL.Path, "/some/tiny-GGUF/resolve/main/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if h.held != nil {
			select {
			case <-h.held:
			case <-r.Context().Done():
				return
			}
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	default:
		http.NotFound(w, r)
	}
}

// fetching is a server beside a hub that holds a tiny model in two quantizations.
func serveBesideHub(t *testing.T, held chan struct{}) (*httptest.Server, *fleet.Fleet) {
	t.Helper()
	var b bytes.Buffer
	if err := tinymodel.Write(&b, tinymodel.Options{Kind: tinymodel.FullAttention}); err != nil {
		t.Fatal(err)
	}
	hub := httptest.NewServer(&localHub{held: held, files: map[string][]byte{
		"tiny-Q8_0.gguf": b.Bytes(), "tiny-Q4_K_M.gguf": b.Bytes(), "mmproj-F16.gguf": {1}, "README.md": {2},
	}})
	t.Cleanup(hub.Close)
	kept := &store.Store{Dir: t.TempDir(), Hub: hub.URL}
	f, o := servertest.Fleet(map[string]engine.Engine{"m": servertest.Obedient(engine.Model{Context: 512})}, func(o *fleet.Options) { o.Store = kept })
	t.Cleanup(func() { _ = f.Close() })
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	return s, f
}

// hubSocket is an SDK's socket for the hub.
func hubSocket(t *testing.T, s *httptest.Server) (send func(string), next func() map[string]any) {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), s.URL+"/repository", nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	send = func(frame string) {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	next = func() (v map[string]any) {
		_, b, err := ws.Read(t.Context())
		if err != nil || json.Unmarshal(b, &v) != nil {
			t.Fatalf("%v: %s", err, b)
		}
		return v
	}
	send(`{"authVersion":1,"clientIdentifier":"guest","clientPasskey":"x"}`)
	next()
	return send, next
}

// Issue 21: a model is found, chosen and fetched by the SDK's calls, and is listed then.
func TestStudio_hubOverTheSDK(t *testing.T) {
	held := make(chan struct{})
	s, f := serveBesideHub(t, held)
	send, next := hubSocket(t, s)
	send(`{"type":"rpcCall","endpoint":"searchModels","callId":1,"parameter":{"opts":{"searchTerm":"tiny","limit":3,"compatibilityTypes":["gguf"]}}}`)
	found := next()
	if at(found, "result", "results", 0, "identifier", "identifier") != "some/tiny-GGUF" || at(found, "result", "results", 1) != nil {
		t.Fatal(found)
	}
	send(`{"type":"rpcCall","endpoint":"searchModels","callId":2,"parameter":{"opts":{"searchTerm":"tiny","compatibilityTypes":["safetensors"]}}}`)
	if none := next(); len(at(none, "result", "results").([]any)) != 0 {
		t.Error(none)
	}
	send(`{"type":"rpcCall","endpoint":"getModelDownloadOptions","callId":3,"parameter":{"modelSearchResultIdentifier":{"type":"hf","identifier":"some/tiny-GGUF"}}}`)
	options := at(next(), "result", "results").([]any)
	if len(options) != 2 || at(options[0], "quantization") != "Q4_K_M" || at(options[0], "recommended") != true || at(options[0], "fitEstimation") != "fitWithoutGPU" {
		t.Fatal(options)
	}
	source := at(options[1], "downloadIdentifier").(string)

	open := func(id int) {
		// a download that is cancelled after its first bytes, and one that is not
		send(fmt.Sprintf(`{"type":"channelCreate","endpoint":"downloadModel","channelId":%d,"creationParameter":{"downloadIdentifier":%q}}`, id, source))
	}
	open(1)
	if first := next(); at(first, "message", "type") != "downloadProgress" || at(first, "message", "update", "totalBytes").(float64) <= 0 {
		t.Fatal(first)
	}
	send(`{"type":"channelSend","channelId":1,"message":{"type":"cancel"}}`)
	for end := next(); at(end, "type") != "channelError"; end = next() {
	}
	close(held)
	open(2)
	var kinds []any
	for {
		frame := next()
		if at(frame, "type") != "channelSend" {
			kinds = append(kinds, at(frame, "type"))
			break
		}
		if kind := at(frame, "message", "type"); len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
	}
	if want := "[downloadProgress startFinalizing success channelClose]"; fmt.Sprint(kinds) != want {
		t.Errorf("%v, want %s", kinds, want)
	}
	if _, err := f.Resolve("tiny-q8_0"); err != nil {
		t.Error(err)
	}
	send(`{"type":"rpcCall","endpoint":"getModelDownloadOptions","callId":4,"parameter":{"modelSearchResultIdentifier":{"type":"hf","identifier":"some/other"}}}`)
	if refused := next(); at(refused, "error", "title") == nil {
		t.Error(refused)
	}
}

// Issue 21: the same over REST: a job that is asked for its state, a model that is there, one that
// there is not.
func TestStudio_hubOverREST(t *testing.T) {
	held := make(chan struct{})
	s, f := serveBesideHub(t, held)
	status, job := askStudio(t, s, "POST", "/api/v1/models/download", `{"model":"https://huggingface.co/some/tiny-GGUF","quantization":"Q8_0"}`)
	id, _ := job["job_id"].(string)
	if status != http.StatusOK || job["status"] != "downloading" || !strings.HasPrefix(id, "job_") || len(id) != 14 || job["total_size_bytes"].(float64) <= 0 || job["started_at"] == nil {
		t.Fatal(status, job)
	}
	_, now := askStudio(t, s, "GET", "/api/v1/models/download/status/"+id, "")
	if now["status"] != "downloading" || now["downloaded_bytes"] == nil || now["bytes_per_second"] == nil || now["completed_at"] != nil {
		t.Error(now)
	}
	close(held)
	for now["status"] == "downloading" {
		_, now = askStudio(t, s, "GET", "/api/v1/models/download/status/"+id, "")
	}
	if now["status"] != "completed" || now["completed_at"] == nil || now["downloaded_bytes"] != now["total_size_bytes"] {
		t.Error(now)
	}
	if _, err := f.Resolve("tiny-q8_0"); err != nil {
		t.Error(err)
	}
	if _, again := askStudio(t, s, "POST", "/api/v1/models/download", `{"model":"some/tiny-GGUF@Q8_0"}`); len(again) != 1 || again["status"] != "already_downloaded" {
		t.Error(again)
	}
	for body, want := range map[string]int{
		`{"model":"some/nothing"}`: http.StatusNotFound, `{}`: http.StatusBadRequest, `{"model":"/etc/passwd"}`: http.StatusBadRequest, `{"model":"tiny"}`: http.StatusBadRequest,
	} {
		if status, v := askStudio(t, s, "POST", "/api/v1/models/download", body); status != want || at(v, "error", "message") == nil {
			t.Errorf("%s: %d %v", body, status, v)
		}
	}
	if status, _ := askStudio(t, s, "GET", "/api/v1/models/download/status/job_0000000000", ""); status != http.StatusNotFound {
		t.Error(status)
	}
}
