package server_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"tenon/models/fleet"
	"tenon/server"
)

// Sockets take the key in their first frame, in either form, or in the header; greetings take
// none.
func TestStudio_socketsAskForTheKey(t *testing.T) {
	const token = "sk-lm-abcdefgh:01234567890123456789"
	var all []server.Key
	for _, text := range []string{token, "plain-key-0123456789"} {
		k, err := server.NewKey(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	s, _, _ := studio(t, func(o *server.Options) { o.Keys = all })
	if status, out := askStudio(t, s, "GET", "/lmstudio-greeting", ""); status != 200 || out["lmstudio"] != true {
		t.Errorf("greeting: %d %v", status, out)
	}
	for _, c := range []struct {
		identifier, passkey, header string
		ok                          bool
	}{
		{"abcdefgh", "01234567890123456789", "", true}, {"guest", "plain-key-0123456789", "", true}, {"guest", "any", "Bearer " + token, true},
		{"guest", "any", "", false}, {"abcdefgh", "wrong", "", false},
	} {
		ws, _, err := websocket.Dial(context.Background(), s.URL+"/llm", &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {c.header}}}) //nolint:bodyclose // the socket takes the body over
		if err != nil {
			t.Fatal(err)
		}
		_ = ws.Write(context.Background(), websocket.MessageText, []byte(`{"authVersion":1,"clientIdentifier":"`+c.identifier+`","clientPasskey":"`+c.passkey+`"}`))
		_, b, err := ws.Read(context.Background())
		if err != nil || strings.Contains(string(b), `"success":true`) != c.ok {
			t.Errorf("%+v: %s %v", c, b, err)
		}
		_ = ws.CloseNow()
	}
}

// A web page of another site opens no socket, unless it is listed.
func TestStudio_socketsOfOtherPagesAreRefused(t *testing.T) {
	s, _, _ := studio(t, func(o *server.Options) { o.CORSOrigins = []string{"https://app.example"} })
	for origin, may := range map[string]bool{"": true, "https://app.example": true, s.URL: true, "https://evil.example": false, "null": false} {
		ws, resp, err := websocket.Dial(t.Context(), s.URL+"/llm", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}}) //nolint:bodyclose // the socket takes the body over
		if (err == nil) != may || !may && resp.StatusCode != http.StatusForbidden {
			t.Errorf("%q: %v", origin, err)
		}
		if err == nil {
			_ = ws.CloseNow()
		}
	}
}

// S3-6: of layers that differ the last wins, and the record of the request shows what is in force,
// with the keys that say nothing here.
func TestStudio_theRecordShowsTheMergeOfLayers(t *testing.T) {
	var log lockedBuffer
	s, _, f := studio(t, func(o *server.Options) {
		o.DebugRequests, o.Log = 5, slog.New(slog.NewTextHandler(&log, nil))
	})
	if _, err := f.Load(t.Context(), fleet.Request{Name: "m"}); err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.Dial(t.Context(), s.URL+"/llm", nil) //nolint:bodyclose // the socket takes the body over
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	layer := func(name, fields string) string {
		return `{"layerName":"` + name + `","config":{"fields":[` + fields + `]}}`
	}
	for _, frame := range []string{
		`{"authVersion":1,"clientIdentifier":"a","clientPasskey":"b"}`,
		`{"type":"channelCreate","endpoint":"predict","channelId":0,"creationParameter":{"modelSpecifier":{"type":"query","query":{}},"history":{"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]},"predictionConfigStack":{"layers":[` +
			layer("modelDefault", `{"key":"llm.prediction.temperature","value":0.9},{"key":"llm.prediction.topKSampling","value":7}`) + "," +
			layer("apiOverride", `{"key":"llm.prediction.temperature","value":0.25},{"key":"ext.unknown","value":1}`) + `]}}}`,
	} {
		if err := ws.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}
	for b := []byte{}; !strings.Contains(string(b), "channelClose"); {
		if _, b, err = ws.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	id := regexp.MustCompile(`id=(req_\w+) method=WS`).FindStringSubmatch(log.String())
	if id == nil {
		t.Fatal(log.String())
	}
	_, record := askStudio(t, s, "GET", "/debug/requests/"+id[1], "")
	if at(record, "turns", 0, "sampling", "Temperature") != "0.25" || at(record, "turns", 0, "sampling", "TopK") != "7" || at(record, "turns", 0, "request", "ignored", 0) != "ext.unknown" {
		t.Errorf("%v, %v", at(record, "turns", 0, "sampling"), at(record, "turns", 0, "request", "ignored"))
	}
}

// lockedBuffer is a log that is written and read by different goroutines.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
