package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"tenon/cmd/background"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	api "tenon/server/fleet"
)

// said is a server that answers as server/fleet/API.md says, and remembers what it was told.
type said struct {
	answers map[string]string // by method and path
	bodies  map[string]string
}

func (s *said) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	route := r.Method + " " + r.URL.Path
	s.bodies[route] = string(b)
	if answer, ok := s.answers[route]; ok {
		_, _ = io.WriteString(w, answer)
		return
	}
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"error":{"type":"model_not_found","message":"there is no model \"x\"","field":"model"}}`)
}

func answering(t *testing.T, answers map[string]string) (*said, []string) {
	t.Helper()
	alone(t)
	s := &said{answers, map[string]string{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return s, []string{"--port", port}
}

const fleetModels = `{"models":[{"id":"tiny","state":"loaded","size":1536,"quantization":"Q8_0","architecture":"llama","context_length":512,"aliases":["gpt-4o"],"pinned":true,"path":"/m/tiny.gguf"}]}`

func TestFleet_commandsSayWhatTheServerDoes(t *testing.T) {
	instance := `{"id":"tiny","model":"tiny","state":"loaded","context_length":512,"bytes":{"measured":2048},"busy":1,"waiting":2,"idle_seconds":0,"ttl_seconds":60}`
	s, at := answering(t, map[string]string{
		"GET /tenon/v1/models":   fleetModels,
		"GET /tenon/v1/ps":       `{"instances":[` + instance + `]}`,
		"POST /tenon/v1/load":    "event: progress\ndata: {\"state\":\"loading\",\"progress\":0.5}\n\nevent: done\ndata: " + instance + "\n\n",
		"POST /tenon/v1/unload":  `{"ok":true}`,
		"POST /tenon/v1/pin":     `{"ok":true}`,
		"POST /tenon/v1/remove":  `{"ok":true}`,
		"POST /tenon/v1/alias":   `{"ok":true}`,
		"POST /tenon/v1/reload":  `{"notes":["port 2: when the server is next started"]}`,
		"POST /tenon/v1/missing": "",
	})
	for _, c := range []struct {
		args       string
		want       string
		sent, body string
	}{
		{"list", "name\tsize\tarchitecture\tquantization\tcontext\tstate\taliases\ntiny\t1.5 KiB\tllama\tQ8_0\t512\tloaded, pinned\tgpt-4o\n", "", ""},
		{"ls --json", `"size": 1536`, "", ""},
		{"ps", "tiny\tloaded\t2.0 KiB\t512\t1\t2\t-\tin 1m0s\n", "", ""},
		{"load tiny --ctx-size 512 --keep-alive 1m", "tiny is loaded: 512 tokens of context, 2.0 KiB", "POST /tenon/v1/load", `"context_length":512`},
		{"load tiny --keep-alive 1m", "tiny is loaded", "POST /tenon/v1/load", `"ttl":60`},
		{"unload tiny", "tiny is unloaded\n", "POST /tenon/v1/unload", `{"model":"tiny"}`},
		{"pin tiny", "tiny is pinned\n", "POST /tenon/v1/pin", `"pinned":true`},
		{"pin --off tiny", "tiny is not pinned\n", "POST /tenon/v1/pin", `"pinned":false`},
		{"rm tiny", "tiny is deleted\n", "POST /tenon/v1/remove", `{"model":"tiny"}`},
		{"alias tiny gpt", "tiny has another name\n", "POST /tenon/v1/alias", `"alias":"gpt"`},
		{"reload", "port 2: when the server is next started\n", "POST /tenon/v1/reload", ""},
		{"unload --json tiny", `"ok": true`, "", ""},
	} {
		out, _, err := execute(t, append(strings.Fields(c.args), at...)...)
		if err != nil || !strings.Contains(out, c.want) || !strings.Contains(s.bodies[c.sent], c.body) {
			t.Errorf("%s: %q %v; sent %s", c.args, out, err, s.bodies[c.sent])
		}
	}
}

func TestFleet_theServersErrorIsShown(t *testing.T) {
	_, at := answering(t, map[string]string{"POST /tenon/v1/load": "event: error\ndata: {\"error\":{\"type\":\"no_room\",\"message\":\"it does not fit\"}}\n\n"})
	if _, _, err := execute(t, append(at, "unload", "x")...); err == nil || !strings.Contains(err.Error(), `there is no model "x"`) {
		t.Error(err)
	}
	if _, _, err := execute(t, append(at, "load", "x")...); err == nil || err.Error() != "it does not fit" {
		t.Error(err)
	}
}

func TestList_withoutAServerShowsWhatOneWouldServe(t *testing.T) {
	l := loaded(t, "models-dir: .\nmodels:\n  tiny:\n    aliases: [gpt-4o]\n")
	alone(t)
	out, _, err := execute(t, "list", "--port", "1", "--config", l.File())
	if err != nil || !strings.Contains(out, "tiny\t") || !strings.Contains(out, "gpt-4o") {
		t.Errorf("%q %v", out, err)
	}
}

// Issue 20: what lies on disk is changed without a server, too; and who only looks fetches
// nothing.
func TestFleet_withoutAServerFilesAndNamesAreChanged(t *testing.T) {
	asked := 0
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; w.WriteHeader(http.StatusNotFound) }))
	defer hub.Close()
	t.Setenv("HF_ENDPOINT", hub.URL)
	l := loaded(t, "find-models: true\nmodels:\n  far:\n    source: hf:a/far:Q8_0\n  mine:\n    temp: 0.5\n")
	model := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	alone(t)
	for _, c := range []struct{ args, want, fails string }{
		{"import --json --as mine " + model, `local/mine.gguf"`, ""},
		{"alias MIN gpt-4o", "MIN has another name\n", ""},
		{"list", "\tgpt-4o\n", ""},
		{"alias mine gpt-4o", "", "the name is taken: it means mine"},
		{"alias none gpt", "", `no model "none"`},
		{"alias --rm gpt-4o --json", `"ok": true`, ""},
		{"alias --rm gpt-4o", "", `no model "gpt-4o"`},
		{"explain --model far", "hf:a/far:Q8_0", ""},
		{"explain --model min", "temp\t0.5\tmodels: mine", ""},
		{"rm far", "", `no model "far"`},
		{"rm gpt-4o", "", `no model "gpt-4o"`},
		{"rm mine", "mine is deleted\n", ""},
		{"list --json", "[]\n", ""},
	} {
		args := strings.Fields(c.args)
		if args[0] != "import" {
			args = append(args, "--port", "1", "--config", l.File())
		}
		out, _, err := execute(t, args...)
		if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) || !strings.Contains(out, c.want) {
			t.Errorf("%s: %q %v", c.args, out, err)
		}
	}
	if _, _, err := execute(t, "rm", model, "--port", "1"); err == nil {
		t.Error("a file that is not in the store was removed")
	}
	if asked > 0 {
		t.Errorf("the hub was asked %d times", asked)
	}
	if _, err := os.Stat(model); err != nil {
		t.Error(err)
	}
}

func TestImport_putsFilesAndFoldersIntoTheStore(t *testing.T) {
	alone(t)
	model := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	folder := t.TempDir()
	for _, name := range []string{"one.gguf", "two.gguf", "split-00001-of-00002.gguf", "split-00002-of-00002.gguf"} {
		if err := os.Link(model, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		filepath.Base(model): {model}, "mine.gguf": {model, "--as", "mine"}, "copied.gguf": {model, "--as", "copied", "--copy"},
		"one.gguf split-00001-of-00002.gguf two.gguf": {folder},
	} {
		out, _, err := execute(t, append([]string{"import"}, args...)...)
		var names []string
		for _, path := range strings.Fields(out) {
			names = append(names, filepath.Base(path))
			if info, missing := os.Stat(path); missing != nil || info.Size() < 1000 {
				t.Errorf("%v: %s %v", args, path, missing)
			}
		}
		if slices.Sort(names); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%v: %q %v", args, names, err)
		}
	}
	if out, _, err := execute(t, "list", "--port", "1"); err != nil || !strings.Contains(out, "split\t") {
		t.Errorf("%q %v", out, err)
	}
	for want, args := range map[string][]string{
		"already": {model, "--as", "mine"}, "slashes": {model, "--as", "a/b"}, "no such file": {"none.gguf"},
		"there are 3": {folder, "--as", "x"}, "2 parts keep": {filepath.Join(folder, "split-00001-of-00002.gguf"), "--as", "x"},
	} {
		if _, _, err := execute(t, append([]string{"import"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestLogs_areTheRunningServersElseWhatTheLastOneLeft(t *testing.T) {
	_, at := answering(t, map[string]string{"GET /tenon/v1/log": "event: line\ndata: {\"line\":\"one <2>\"}\n\nevent: ping\ndata: {}\n\nevent: line\ndata: {\"line\":\"two\"}\n\n"})
	if out, _, err := execute(t, append(at, "logs")...); err != nil || out != "one <2>\ntwo\n" {
		t.Errorf("%q %v", out, err)
	}
	if out, _, err := execute(t, append(at, "logs", "--json")...); err != nil || out != "{\"line\":\"one <2>\"}\n{\"line\":\"two\"}\n" {
		t.Errorf("%q %v", out, err)
	}
	if _, _, err := execute(t, "logs", "--port", "1"); err == nil || !strings.Contains(err.Error(), "none has left a log") {
		t.Error(err)
	}
	where, _ := background.Default()
	if err := errors.Join(os.MkdirAll(string(where), 0o700), os.WriteFile(where.Log(), []byte("a\nb\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, notes, err := execute(t, "logs", "--port", "1", "-n", "1"); err != nil || out != "b\n" || !strings.Contains(notes, "this is the end of "+where.Log()) {
		t.Errorf("%q %q %v", out, notes, err)
	}
}

// A follower sees each line when it is written, and Ctrl-C is no error.
func TestLogs_followUntilTheirReaderLeaves(t *testing.T) {
	alone(t)
	log := &api.Log{}
	left := make(chan struct{})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.API{Log: log}.Logged(w, r)
		close(left)
	}))
	defer h.Close()
	_, _ = log.Write([]byte("before\n"))
	_, port, _ := net.SplitHostPort(h.Listener.Addr().String())
	ctx, ctrlC := context.WithCancel(t.Context())
	defer ctrlC()
	seen, out := io.Pipe()
	root := newRootCommand()
	root.SetArgs([]string{"logs", "-f", "-n", "1", "--port", port})
	root.SetOut(out)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	lines := bufio.NewReader(seen)
	for i, want := range []string{"before\n", "line 1\n", "line 2\n"} {
		if got, err := lines.ReadString('\n'); got != want || err != nil {
			t.Fatalf("%q %v; expected %q", got, err, want)
		}
		_, _ = fmt.Fprintf(log, "line %d\n", i+1)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // the third line may still come
	ctrlC()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-left
}

// A bar shows the speed of this pull alone. If the pull fails, the bar ends its line before the
// error is printed.
func TestPull_aBarEndsWhereItsPullDoes(t *testing.T) {
	alone(t)
	file := append([]byte("GGUF"), make([]byte, 17<<20)...)
	asked := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 2 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	}))
	defer h.Close()
	for _, want := range []string{"m.gguf ... fail! [", "m.gguf ... done! ["} {
		theirs, ours, err := pty.Open()
		if err != nil {
			t.Skip("there are no terminals here: ", err)
		}
		// what is written to a terminal that is closed at once may be lost
		const end = "<end>"
		shown := make(chan string)
		go func() {
			var all []byte
			for b := make([]byte, 1<<10); !bytes.HasSuffix(all, []byte(end)); {
				n, err := theirs.Read(b)
				if all = append(all, b[:n]...); err != nil {
					break
				}
			}
			shown <- strings.TrimSuffix(string(all), end)
		}()
		root := newRootCommand()
		root.SetArgs([]string{"pull", h.URL + "/m.gguf"})
		root.SetOut(io.Discard)
		root.SetErr(ours)
		failed := root.ExecuteContext(t.Context()) != nil
		_, _ = io.WriteString(ours, end)
		text := <-shown
		_ = ours.Close()
		_ = theirs.Close()
		last := text[strings.LastIndex(strings.TrimRight(text, "\r\n"), "\n")+1:]
		if failed != strings.Contains(want, "fail") || !strings.Contains(last, want) || !strings.HasSuffix(text, "\n") || strings.Contains(text, "?") {
			t.Errorf("failed: %t; expected %q at the end of %q", failed, want, text)
		}
	}
}

func TestPull_linesForPeopleAndObjectsForPrograms(t *testing.T) {
	alone(t)
	text, err := os.ReadFile(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}))
	defer h.Close()
	out, notes, err := execute(t, "pull", h.URL+"/a.gguf")
	if _, missing := os.Stat(strings.TrimSpace(out)); err != nil || missing != nil || !strings.Contains(notes, "a.gguf: ") || !strings.Contains(notes, "(100 %), ") {
		t.Errorf("%q %q %v", out, notes, err)
	}
	out, notes, err = execute(t, "pull", "--json", h.URL+"/b.gguf")
	var last struct{ Path string }
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || notes != "" || len(lines) < 2 || json.Unmarshal([]byte(lines[len(lines)-1]), &last) != nil || filepath.Base(last.Path) != "b.gguf" {
		t.Errorf("%q %q %v", out, notes, err)
	}
	for _, line := range lines[:len(lines)-1] {
		var p api.Pulled
		if err := json.Unmarshal([]byte(line), &p); err != nil || p.File != "b.gguf" || p.Total >= 0 && p.Total != int64(len(text)) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestLaunch_printsWhatLeadsAClientHere(t *testing.T) {
	_, at := answering(t, map[string]string{"GET /v1/models/small": `{"id":"small","state":"loaded","context_length":2048}`,
		"GET /v1/models/emb": `{"id":"embed","context_length":32768,"capabilities":["embeddings"]}`, "GET /v1/models/gpt-4o": `{"id":"warm","context_length":65536}`,
		"GET /v1/models": `{"data":[
		{"id":"small","state":"loaded","context_length":2048,"capabilities":["completion","tools"]},
		{"id":"embed","state":"loaded","context_length":32768,"capabilities":["embeddings"]},
		{"id":"cold","state":"not-loaded","context_length":32768,"capabilities":["tools"]},
		{"id":"warm","aliases":["gpt-4o"],"state":"loaded","context_length":65536,"capabilities":["tools"]}]}`})
	for agent, wants := range map[string][]string{
		"claude":   {"export ANTHROPIC_BASE_URL=http://127.0.0.1:", "export ANTHROPIC_MODEL=warm\n", "\nclaude --continue\n"},
		"codex":    {"wire_api=\"responses\"", "-m warm -c model_provider=tenon", "model_context_window=65536", "--continue\n"},
		"opencode": {`"context":65536`, "opencode -m tenon/warm --continue\n"},
		"qwen":     {"export OPENAI_MODEL=warm\n", "qwen --auth-type openai --continue\n"},
	} {
		out, _, err := execute(t, append(at, "launch", agent, "--print", "--", "--continue")...)
		for _, want := range wants {
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("%s: %s lacks %s, %v", agent, out, want, err)
			}
		}
	}
	for want, args := range map[string][]string{
		"did you mean claude": {"claud"}, "small (context of 2048 tokens)": {"qwen", "--model", "small"}, "embed (writes nothing)": {"qwen", "--model", "emb"},
	} {
		if _, _, err := execute(t, append(append(at, "launch", "--print"), args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", args, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := execute(t, append(at, "launch", "codex")...); err == nil || !strings.Contains(err.Error(), "npm install -g @openai/codex") {
		t.Error(err)
	}
	program := "#!/bin/sh\necho \"$ANTHROPIC_MODEL $1\"; exit 7\n"
	if err := os.WriteFile(filepath.Join(os.Getenv("PATH"), "claude"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	out, _, err := execute(t, append(at, "launch", "claude", "--model", "gpt-4o", "--", "hello")...)
	if out != "warm hello\n" || exitStatus(err) != 7 {
		t.Errorf("%q %v", out, err)
	}
}

func TestDoctor_looksEverywhere(t *testing.T) {
	at := scriptedServer(t, enginetest.Script())
	out, _, err := execute(t, append(at, "doctor", "--json")...)
	var all []finding
	if json.Unmarshal([]byte(out), &all) != nil || len(all) < 7 {
		t.Fatalf("%q %v", out, err)
	}
	for _, f := range all {
		if f.Found == "" || (f.State != "ok") != (f.Do != "") {
			t.Errorf("%+v", f)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENON_MODELS", filepath.Join(file, "models"))
	if out, _, err := execute(t, append(at, "doctor")...); err == nil || !strings.Contains(out, "bad\tmodel store") {
		t.Errorf("a store that cannot be written: %q %v", out, err)
	}
}
