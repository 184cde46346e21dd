package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenon/cmd/config"
	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
	"tenon/models/store"
	"tenon/server"
	api "tenon/server/fleet"
	"tenon/server/servertest"
)

// lmsServer is a server with the model "m", beside a hub with some/tiny-GGUF.
func lmsServer(t *testing.T) (f *fleet.Fleet, flags []string) {
	t.Helper()
	var model bytes.Buffer
	if err := tinymodel.Write(&model, tinymodel.Options{Kind: tinymodel.FullAttention}); err != nil {
		t.Fatal(err)
	}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/models/some/tiny-GGUF/tree/"):
			_, _ = fmt.Fprintf(w, `[{"path":"tiny-Q8_0.gguf","size":%d}]`, model.Len())
		case strings.HasSuffix(r.URL.Path, "/tiny-Q8_0.gguf"):
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(model.Bytes()))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(hub.Close)
	kept := &store.Store{Dir: t.TempDir(), Hub: hub.URL}
	loaded, o := servertest.Fleet(map[string]engine.Engine{"m": servertest.Obedient(engine.Model{Context: 4096, Slots: 1})}, func(o *fleet.Options) {
		o.Store = kept
		o.Estimate = func(_ catalog.Entry, s fleet.Settings) (fleet.Demand, error) {
			return fleet.Demand{Wanted: max(s.Context, 2048), Least: 2048, Need: func(int) (placement.Need, error) { return placement.Need{Weights: 3 << 20}, nil }}, nil
		}
	})
	t.Cleanup(func() { _ = loaded.Close() })
	o.Fleet = api.API{Fleet: loaded}
	s := httptest.NewServer(server.New(o))
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return loaded, []string{"--host", at.Hostname(), "--port", at.Port()}
}

func TestLMS_answersAsLMStudiosDoes(t *testing.T) {
	alone(t)
	f, at := lmsServer(t)
	lms := func(args ...string) string {
		t.Helper()
		out, told, err := execute(t, append(append([]string{"lms"}, args...), at...)...)
		if err != nil {
			t.Fatalf("lms %v: %v\n%s%s", args, err, out, told)
		}
		return out
	}
	list := func(args ...string) (all []map[string]any) {
		t.Helper()
		if err := json.Unmarshal([]byte(lms(args...)), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := list("ps", "--json"); len(all) != 0 {
		t.Error(all)
	}
	if _, _, err := execute(t, append([]string{"lms", "load", "m", "--gpu", "half"}, at...)...); err == nil || !strings.Contains(err.Error(), "gpu") {
		t.Error(err)
	}
	lms("load", "m", "--gpu", "0.5", "--identifier", "shared")
	lms("load", "m", "--gpu", "off", "--identifier", "without")
	for _, i := range f.Instances() {
		// of 26 layers
		if want := map[string]string{"shared": "13", "without": "0"}[i.ID]; i.Settings.GPULayers != want {
			t.Errorf("%s: %q", i.ID, i.Settings.GPULayers)
		}
		if err := f.Unload(t.Context(), i.ID, true); err != nil {
			t.Error(err)
		}
	}
	if out := lms("load", "m", "--estimate-only", "-c", "3000", "--gpu", "off"); !strings.Contains(out, "Context Length: 3000\n") || !strings.Contains(out, "Estimated Total Memory: 3.0 MiB\n") || !strings.Contains(out, "can be loaded") {
		t.Error(out)
	}
	if out := lms("load", "m", "--estimate-only", "--json"); !strings.Contains(out, `"totalBytes": `) || len(f.Instances()) != 0 {
		t.Errorf("%s %v", out, f.Instances())
	}
	if out := lms("load", "m", "--gpu=max", "--identifier", "mine", "-y", "--some-new-flag"); !strings.Contains(out, "mine") {
		t.Error(out)
	}
	if all := list("ps", "--json"); len(all) != 1 || all[0]["identifier"] != "mine" || all[0]["modelKey"] != "m" || all[0]["type"] != "llm" || all[0]["contextLength"] != 4096.0 {
		t.Error(all)
	}
	if out := lms("get", "--yes", "some/tiny-GGUF@Q8_0"); !strings.Contains(out, "tiny-q8_0") {
		t.Error(out)
	}
	if all := list("ls", "--embedding", "--json"); len(all) != 0 {
		t.Error(all)
	}
	if all := list("ls", "--llm", "--json"); len(all) == 0 {
		t.Error("none")
	}
	keys := []any{}
	for _, m := range list("ls", "--json") {
		keys = append(keys, m["modelKey"])
	}
	if !slices.Contains(keys, any("m")) || !slices.Contains(keys, any("tiny-q8_0")) {
		t.Error(keys)
	}
	var status struct {
		Running bool
		Port    int
	}
	if err := json.Unmarshal([]byte(lms("server", "status", "--json")), &status); err != nil || !status.Running || fmt.Sprint(status.Port) != at[3] {
		t.Errorf("%v %+v", err, status)
	}
	if out := lms("ps"); out != "mine\n" {
		t.Error(out)
	}
	if _, _, err := execute(t, append([]string{"lms", "load", "none"}, at...)...); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
	if out, _, err := execute(t, "lms", "server", "status", "--json", "--host", "127.0.0.1", "--port", freePort(t)); err != nil || !strings.Contains(out, `"running": false`) || !strings.Contains(out, `"port": null`) {
		t.Errorf("%v %s", err, out)
	}
}

func TestLMS_unloads(t *testing.T) {
	alone(t)
	f, at := lmsServer(t)
	for _, args := range [][]string{{"unload", "mine"}, {"unload", "--all", "--json"}} {
		for _, id := range []string{"mine", "other"} {
			if _, err := f.Load(t.Context(), fleet.Request{Name: "m", ID: id, Settings: fleet.Settings{Context: len(id) << 9}}); err != nil {
				t.Fatal(err)
			}
		}
		out, _, err := execute(t, append(append([]string{"lms"}, args...), at...)...)
		if left := map[string]int{"mine": 1, "--all": 0}[args[1]]; err != nil || !strings.Contains(out, "mine") || len(f.Instances()) != left {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	for _, wrong := range [][]string{{"unload"}, {"unload", "m", "--all"}, {"unload", "nope"}} {
		if _, _, err := execute(t, append(append([]string{"lms"}, wrong...), at...)...); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
}

// S3-25: the log is streamed, a line an event.
func TestLMS_streamsTheLog(t *testing.T) {
	alone(t)
	_, at := lmsServer(t)
	read, write := io.Pipe()
	root := newRootCommand()
	root.SetArgs(append([]string{"lms", "log", "stream", "--json"}, at...))
	root.SetOut(write)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(t.Context()); _ = write.Close() }()
	lines := bufio.NewScanner(read)
	said := make(chan string)
	go func() {
		for lines.Scan() {
			said <- lines.Text()
		}
	}()
	for { // whoever is not connected yet misses what happens
		resp, err := http.Post("http://"+at[1]+":"+at[3]+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}],"max_tokens":3}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		select {
		case line := <-said:
			var event struct {
				Timestamp int64
				Data      struct{ Type, Input string }
			}
			if err := json.Unmarshal([]byte(line), &event); err != nil || event.Data.Type != "llm.prediction.input" || !strings.Contains(event.Data.Input, "hi") {
				t.Errorf("%v: %s", err, line)
			}
			return
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond): // a poll, not a bound
		}
	}
}

func TestLMS_tellsThePortOfAnyAddress(t *testing.T) {
	for base, want := range map[string]int{"http://127.0.0.1:1234": 1234, "http://box": 80, "https://box/": 443, "http://[::1]": 80, "http://[::1]:81/tenon": 81} {
		if got := portOf(base); got != want {
			t.Errorf("%s: %d, want %d", base, got, want)
		}
	}
}

func TestLMS_isAnsweredByALink(t *testing.T) {
	for name, want := range map[string]string{"/usr/bin/lms": "lms ps", `lms.exe`: "lms ps", "/usr/bin/tenon": "ps"} {
		if got := strings.Join(asLMS([]string{name, "ps"}), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The link is offered where no lms is found.
func TestLMS_theLinkIsOffered(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	offered := func() string {
		var b bytes.Buffer
		cmd := newRootCommand()
		cmd.SetOut(&b)
		offerLMS(screenOf(cmd), "/opt/tenon")
		return b.String()
	}
	if got := offered(); !strings.Contains(got, "ln -s /opt/tenon ") || !strings.Contains(got, "/lms") {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "lms"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := offered(); got != "" {
		t.Errorf("%q", got)
	}
}

// A server answers at a port where LM Studio's SDKs look for one, by default, and no longer than
// it runs.
func TestDoor_isWhereTheSDKsLook(t *testing.T) {
	if def := newServeCommand().Flags().Lookup("lmstudio-discovery").DefValue; def != "true" {
		t.Errorf("the default is %s", def)
	}
	port, err := strconv.Atoi(freePort(t))
	if err != nil {
		t.Fatal(err)
	}
	before := discoveryPorts
	discoveryPorts = []int{port}
	defer func() { discoveryPorts = before }()
	for _, on := range []bool{true, false} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		asked := make(chan struct{}, 1)
		served := &app{stopping: make(chan struct{}), handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} })}
		done := make(chan error, 1)
		go func() {
			done <- openDoor(listener, config.Settings{LMStudioDiscovery: on, DrainTimeout: time.Second}, served.handler).serve(ctx, served)
		}()
		greet := func() error {
			resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/lmstudio-greeting", port))
			if err == nil {
				_ = resp.Body.Close()
				<-asked
			}
			return err
		}
		for on && greet() != nil { // until it listens
			runtime.Gosched()
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if greet() == nil {
			t.Errorf("discovery %t: the port answers", on)
		}
	}
}

// A server that drains is found no more: the next one is, while the first still answers what it
// has begun.
func TestDoor_passesItsPlaceOnAsItDrains(t *testing.T) {
	port, err := strconv.Atoi(freePort(t))
	if err != nil {
		t.Fatal(err)
	}
	before := discoveryPorts
	discoveryPorts = []int{port}
	defer func() { discoveryPorts = before }()
	running, release := make(chan struct{}), make(chan struct{})
	greeted := make(chan struct{}, 1)
	open := func(name string) (end func()) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		served := &app{stopping: make(chan struct{}), handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/slow":
				close(running)
				<-release
			case r.UserAgent() == "": // the next server
				greeted <- struct{}{}
			}
			_, _ = fmt.Fprintf(w, `{"lmstudio":true,"name":%q}`, name)
		})}
		done := make(chan error, 1)
		go func() {
			done <- openDoor(listener, config.Settings{LMStudioDiscovery: true, DrainTimeout: time.Hour}, served.handler).serve(ctx, served)
		}()
		return func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	ask := func(path string) string {
		for {
			resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
			if err != nil { // until one listens
				runtime.Gosched()
				continue
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			return string(body)
		}
	}
	endFirst := open("first")
	if got := ask("/"); !strings.Contains(got, "first") {
		t.Fatal(got)
	}
	endSecond := open("second")
	<-greeted
	slow := make(chan string)
	go func() { slow <- ask("/slow") }()
	<-running
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		endFirst()
	}()
	for !strings.Contains(ask("/"), "second") {
		runtime.Gosched()
	}
	close(release)
	if got := <-slow; !strings.Contains(got, "first") {
		t.Errorf("what had begun got %s", got)
	}
	<-ended
	endSecond()
}

// Scripts call lms server start without asking first: a server that answers there, also one in the
// foreground, is what they want.
func TestLMS_startFindsAServerThatRuns(t *testing.T) {
	alone(t)
	_, at := lmsServer(t)
	out, told, err := execute(t, "lms", "server", "start", "--port", at[3])
	if want := "Success! Server is now running at http://127.0.0.1:" + at[3] + "\n"; err != nil || out != want || told != "" {
		t.Errorf("%q %q %v, want %q", out, told, err, want)
	}
}

// What is wrong is told once, by whoever runs the command, and without the flags of tenon start.
func TestLMS_startTellsWhatIsWrong(t *testing.T) {
	alone(t)
	t.Setenv("TENON_PORT", "no number")
	out, told, err := execute(t, "lms", "server", "start")
	if err == nil || out != "" || told != "" {
		t.Errorf("%q %q %v", out, told, err)
	}
}
