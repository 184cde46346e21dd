package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/loader"
	api "tenon/server/fleet"
)

// served is a server of scripted models with its own API.
func served(t *testing.T, change func(*fleet.Options, *server.Options)) http.Handler {
	t.Helper()
	c := &catalog.Catalog{Entries: []catalog.Entry{{ID: "a", Path: "/models/a.gguf", Source: "folder"}, {ID: "b", Aliases: []string{"bee"}}}}
	fo := fleet.Options{Catalog: c, Most: 1, Start: func(_ context.Context, _ catalog.Entry, _ fleet.Grant, progress func(float64)) (engine.Engine, error) {
		progress(0.5)
		return enginetest.Script(enginetest.Say("hello"), enginetest.Say("hello")), nil
	}}
	so := server.Options{Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&fo, &so)
	}
	f := fleet.New(fo)
	t.Cleanup(func() { _ = f.Close() }) // scripted engines close well
	so.Service, so.Models, so.Fleet.Fleet = &chat.Service{Models: loader.New(f, loader.Options{})}, f, f
	so.LMStudio, so.Traits = f, func(catalog.Entry) loader.Traits { return loader.Traits{} }
	return server.New(so)
}

// own asks tenon's own API, as a client on this machine does.
func own(h http.Handler, method, path, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/tenon/v1/"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:5555"
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestFleet_loadListUnload(t *testing.T) {
	h := served(t, nil)
	for _, c := range []struct{ method, path, body, want string }{
		{"GET", "models", "", `"id":"a","state":"not-loaded"`},
		{"GET", "models", "", `"path":"/models/a.gguf","source":"folder"`},
		{"GET", "ps", "", `{"instances":[]}`},
		{"POST", "load", `{"model":"a","ttl":60}`, `"ttl_seconds":60`},
		{"GET", "ps", "", `"model":"a","state":"loaded"`},
		{"POST", "pin", `{"model":"a"}`, `{"ok":true}`},
		{"POST", "load", `{"model":"b"}`, `"type":"busy"`},
		{"POST", "pin", `{"model":"a","pinned":false}`, `{"ok":true}`},
		{"POST", "alias", `{"alias":"gpt-4o","model":"b"}`, `{"ok":true}`},
		{"POST", "alias", `{"alias":"gpt-4o","model":"a"}`, `"type":"name_taken","message":"alias \"gpt-4o\": the name is taken: it means b","field":"alias"`},
		{"POST", "unload", `{"model":"a"}`, `{"ok":true}`},
		{"POST", "load", `{"model":"GPT-4o"}`, `"ttl_seconds":null`},
		{"GET", "ps", "", `"model":"b"`},
		{"POST", "load", `{"model":"none"}`, `"type":"model_not_found"`},
		{"POST", "load", `{"model":"a","cache_type_k":"q3"}`, `"field":"cache_type_k"`},
		{"POST", "load", `{"model":"a","ttl":1e300}`, `"field":"ttl"`},
		{"POST", "load", `{"model":"a","ttl":1e-12}`, `"field":"ttl"`},
		{"POST", "load", `{"model":"a","contextlength":1}`, `"field":"contextlength"`},
		{"POST", "unload", `{}`, `"message":"model: is required"`},
		{"POST", "remove", `{"model":"a"}`, `"type":"read_only"`},
		{"POST", "pull", `{"source":"/etc/passwd"}`, `"field":"source"`},
		{"GET", "none", "", `"type":"no_route"`},
	} {
		if got := own(h, c.method, c.path, c.body).Body.String(); !strings.Contains(got, c.want) {
			t.Errorf("%s %s %s: %s lacks %s", c.method, c.path, c.body, got, c.want)
		}
	}
}

// A request's time to live is that of the instance from then on, as with LM Studio's server.
func TestFleet_aRequestsTimeToLive(t *testing.T) {
	h := served(t, nil)
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"A","ttl":90,"messages":[{"role":"user","content":"hi"}]}`, "/v1/completions": `{"model":"bee","ttl":90,"prompt":"hi"}`,
		"/api/v0/chat/completions": `{"model":"A","ttl":90,"messages":[{"role":"user","content":"hi"}]}`, "/api/v0/completions": `{"model":"bee","ttl":90,"prompt":"hi"}`,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "http://localhost"+path, strings.NewReader(body)))
		if ps := own(h, "GET", "ps", "").Body.String(); w.Code != http.StatusOK || !strings.Contains(ps, `"ttl_seconds":90`) {
			t.Errorf("%s: %d %s; %s", path, w.Code, w.Body, ps)
		}
	}
}

func TestFleet_whatChangesItNeedsAnAdmin(t *testing.T) {
	user, err := server.NewKey("bob=sesame-sesame-sesame", 1)
	if err != nil {
		t.Fatal(err)
	}
	boss, err := server.NewKey("admin:alice=open-open-open-open", 2)
	if err != nil || !boss.Admin || boss.Name != "alice" || user.Admin {
		t.Fatal(boss, err)
	}
	keyed := served(t, func(_ *fleet.Options, o *server.Options) { o.Keys = []server.Key{user, boss} })
	open := served(t, nil)
	with := func(key string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }
	}
	from := func(addr string) func(*http.Request) { return func(r *http.Request) { r.RemoteAddr = addr } }
	passed := func(r *http.Request) { r.Header.Set("X-Forwarded-For", "1.2.3.4") }
	for _, c := range []struct {
		name          string
		handler       http.Handler
		change        func(*http.Request)
		read, change2 int
	}{
		{"no key", keyed, func(*http.Request) {}, 401, 401},
		{"a user", keyed, with("sesame-sesame-sesame"), 200, 403},
		{"an admin", keyed, with("open-open-open-open"), 200, 200},
		{"the mark is no part of the key", keyed, with("admin:open-open-open-open"), 401, 401},
		{"without keys, from here", open, from("[::1]:5"), 200, 200},
		{"without keys, from elsewhere", open, from("10.0.0.7:5"), 200, 403},
		{"without keys, through a proxy", open, passed, 200, 403},
	} {
		if got := own(c.handler, "GET", "ps", "", c.change).Code; got != c.read {
			t.Errorf("%s: ps %d, want %d", c.name, got, c.read)
		}
		for _, path := range []string{"load", "unload", "pin"} {
			if got := own(c.handler, "POST", path, `{"model":"a"}`, c.change).Code; got != c.change2 {
				t.Errorf("%s: %s %d, want %d", c.name, path, got, c.change2)
			}
		}
	}
}

// fetching is a store that tells of progress and then fails.
type fetching struct{}

func (fetching) Pull(_ context.Context, _ store.Ref, progress func(store.Progress)) (string, error) {
	progress(store.Progress{File: "m.gguf", Done: 5, Total: 10})
	progress(store.Progress{File: "m.gguf", Done: 10, Total: 10})
	return "", &store.SourceError{URL: "https://x", Message: "answers 404 Not Found"}
}
func (fetching) Remove(string) error { return errors.New("none") }
func (fetching) Holds(string) bool   { return false }
func (fetching) Search(context.Context, string, int) ([]string, error) {
	return nil, errors.New("none")
}
func (fetching) Files(context.Context, string) ([]store.HubFile, error) {
	return nil, errors.New("none")
}

func TestFleet_progressIsStreamed(t *testing.T) {
	h := served(t, func(o *fleet.Options, _ *server.Options) { o.Store = fetching{} })
	load := own(h, "POST", "load", `{"model":"a","stream":true}`).Body.String()
	if !strings.Contains(load, "event: done\ndata: {\"id\":\"a\"") {
		t.Error(load)
	}
	pull := own(h, "POST", "pull", `{"source":"hf:a/b","stream":true}`).Body.String()
	for _, want := range []string{
		"event: progress\ndata: {\"file\":\"m.gguf\",\"done\":5,\"total\":10", "event: error\ndata: {\"error\":{\"type\":\"source_failed\"",
	} {
		if !strings.Contains(pull, want) {
			t.Errorf("%s lacks %s", pull, want)
		}
	}
}

func TestFleet_theLogIsFollowed(t *testing.T) {
	log := &api.Log{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	logger.Info("before")
	s := httptest.NewServer(served(t, func(_ *fleet.Options, o *server.Options) { o.Fleet.Log = log }))
	defer s.Close()
	resp, err := http.Get(s.URL + "/tenon/v1/log?lines=1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	lines := bufio.NewReader(resp.Body)
	next := func() string {
		for {
			text, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var line struct{ Line string }
			if data, ok := strings.CutPrefix(text, "data: "); ok && json.Unmarshal([]byte(data), &line) == nil {
				return line.Line
			}
		}
	}
	if got := next(); !strings.Contains(got, "msg=before") {
		t.Error(got)
	}
	logger.Info("after")
	if got := next(); !strings.Contains(got, "msg=after") {
		t.Error(got)
	}
	whole, err := http.Get(s.URL + "/tenon/v1/log?follow=false")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = whole.Body.Close() }() // it was only read
	if text, err := io.ReadAll(whole.Body); err != nil || strings.Count(string(text), "event: line") != 2 {
		t.Errorf("%s, %v", text, err)
	}
}
