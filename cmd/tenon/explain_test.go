package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// scripted is a model that says one thing, once.
type scripted struct{ *enginetest.Scripted }

func (s scripted) Acquire(context.Context, string) (chat.Model, func(), error) {
	return chat.Model{ID: "m", Engine: s.Scripted, Renderer: templates.Builtin{}, Dialect: tools.Fallback(), OneCall: true}, func() {}, nil
}

func (s scripted) Status() []fleet.Status { return nil }

// recorded is a server on a port of its own that keeps the record of one request, whose id is "r".
func recorded(t *testing.T) (port string) {
	t.Helper()
	m := scripted{enginetest.Script(enginetest.Say("Look:\n" + `{"tool": "ping", "arguments": {"n": "7"}}`))}
	m.Info.Can = enginetest.Unmasked // under the mask there is nothing to mend
	key, err := server.NewKey("sesame", 1)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server.New(server.Options{Service: &chat.Service{Models: m}, Models: m, DebugRequests: 1, Keys: []server.Key{key}}))
	t.Cleanup(h.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(
		`{"model":"m","messages":[{"role":"user","content":"hi"}],"store":true,"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Request-Id", "r")
	r.Header.Set("X-Api-Key", "sesame")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	_, port, err = net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestExplain_showsARequestFromInside(t *testing.T) {
	port := recorded(t)
	shown, _, err := execute(t, "explain", "--port", port, "--api-key", "me=sesame", "r")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"POST /v1/chat/completions  r  200", "dialect json", `content 0 text       "hi"`, "root ::=", "ignored: store",
		"mended: ", "call_end ping", "finish: stop", "milliseconds",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is missing in\n%s", want, shown)
		}
	}
	if _, _, err := execute(t, "explain", "--port", port, "--api-key", "sesame", "other"); err == nil || !strings.Contains(err.Error(), "no record of request other") {
		t.Errorf("an unknown id: %v", err)
	}
	if _, _, err := execute(t, "explain", "--port", port, "r"); err == nil || !strings.Contains(err.Error(), "API key is needed") {
		t.Errorf("without a key: %v", err)
	}
}

func TestReplay_aSavedRequestIsATest(t *testing.T) {
	saved, _, err := execute(t, "explain", "--json", "--port", recorded(t), "--api-key", "sesame", "r")
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "r.json", saved)
	if out, _, err := execute(t, "replay", file); err != nil || !strings.HasPrefix(out, "same") {
		t.Errorf("%v %s", err, out)
	}
	if out, _, err := execute(t, "explain", file); err != nil || !strings.Contains(out, "call_end ping") {
		t.Errorf("%v %s", err, out)
	}
	changed := strings.ReplaceAll(saved, `"kind":"text","choice":0,"text":"k"`, `"kind":"text","choice":0,"text":"t"`)
	if out, _, err := execute(t, "replay", write(t, "changed.json", changed)); err == nil || !strings.Contains(out, "DIFFERS") || !strings.Contains(out, "events[") {
		t.Errorf("%v %s", err, out)
	}
	if _, _, err := execute(t, "replay", "no-such-file"); err == nil {
		t.Error("accepted")
	}
}

// An answer to a request with X-Tenon-Debug holds its record; nobody should have to cut it out.
func TestReplay_takesAWholeAnswer(t *testing.T) {
	port := recorded(t)
	record, _, err := execute(t, "explain", "--json", "--port", port, "--api-key", "sesame", "r")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "answer.json")
	if err := os.WriteFile(file, []byte(`{"id":"resp_1","status":"completed","tenon_debug":`+record+`}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, _, err := execute(t, "replay", file); err != nil || !strings.HasPrefix(said, "same") {
		t.Errorf("%v: %s", err, said)
	}
	if said, _, err := execute(t, "explain", file); err != nil || !strings.Contains(said, "dialect json") {
		t.Errorf("%v: %s", err, said)
	}
}
