package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"tenon/cmd/client"
	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/models/store"
	"tenon/server"
	"tenon/server/servertest"
)

// alone keeps a test from the user's own background server and settings.
func alone(t *testing.T) {
	t.Helper()
	t.Setenv("TENON_STATE", filepath.Join(t.TempDir(), "state"))
	t.Setenv("TENON_MODELS", filepath.Join(t.TempDir(), "models"))
}

// scriptedServer serves the model m, which plays; at is the flags that lead to it.
func scriptedServer(t *testing.T, e *enginetest.Scripted) (at []string) {
	t.Helper()
	alone(t)
	h := httptest.NewServer(server.New(servertest.Options(servertest.Model{ID: "m", Aliases: []string{"gpt-4o"}, Engine: e, Thinks: true})))
	t.Cleanup(h.Close)
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--port", port}
}

// executeWith is execute with something on the standard input.
func executeWith(t *testing.T, in string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(in))
	root.SetOut(&out)
	root.SetErr(&errs)
	err = root.Execute()
	return out.String(), errs.String(), err
}

func TestRun_answersOnePrompt(t *testing.T) {
	e := enginetest.Script(enginetest.Say("Oslo."), enginetest.Say("Oslo."), enginetest.Say("Oslo."))
	at := scriptedServer(t, e)
	out, _, err := execute(t, append(at, "run", "m", "Capital", "of Norway?")...)
	if err != nil || out != "Oslo.\n" {
		t.Errorf("%q %v", out, err)
	}
	out, _, err = executeWith(t, "Bergen is rainy.\n", append(at, "run", "m", "Summarize:")...)
	if err != nil || out != "Oslo.\n" {
		t.Errorf("%q %v", out, err)
	}
	out, _, err = execute(t, append(at, "run", "--json", "m", "?")...)
	var turn client.Turn
	if json.Unmarshal([]byte(out), &turn) != nil || turn.Message.Content != "Oslo." || turn.Timings.PredictedN != 5 || err != nil {
		t.Errorf("%q %v", out, err)
	}
	if prompt := e.Turns()[1].Prompt.String(); !strings.Contains(prompt, "Summarize:\nBergen is rainy.") {
		t.Errorf("what was piped in is not in the prompt %q", prompt)
	}
}

func TestRun_showsACall(t *testing.T) {
	at := scriptedServer(t, enginetest.Script(enginetest.Say(`{"tool": "ping", "arguments": {"n": 7}}`)))
	tools := write(t, "tools.json", `[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}}]`)
	out, _, err := execute(t, append(at, "run", "m", "--tools", tools, "ping seven")...)
	if err != nil || !strings.HasPrefix(out, "ping{") || !strings.Contains(out, "7") {
		t.Errorf("%q %v", out, err)
	}
}

func TestRun_saysWhatIsWrong(t *testing.T) {
	at := scriptedServer(t, enginetest.Script(enginetest.Reply{Err: engine.ErrWorkerLost}))
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(at, "run", "m", "hi"), "worker"},
		{append(at, "run", "other", "hi"), "other"},
		{[]string{"run"}, "requires at least 1 arg"},
		{append(at, "run", "m", "--tools", "absent.json", "hi"), "absent.json"},
	} {
		if _, _, err := execute(t, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

// screen is what a program has written to a terminal.
type screen struct {
	mu   sync.Mutex
	text strings.Builder // that was not awaited yet
	all  strings.Builder
}

func (s *screen) everything() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

func (s *screen) copy(from io.Reader) {
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		s.mu.Lock()
		s.text.Write(b[:n])
		s.all.Write(b[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await returns once the terminal shows want.
func (s *screen) await(t *testing.T, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a hang guard
	defer cancel()
	for {
		s.mu.Lock()
		shown := s.text.String()
		s.mu.Unlock()
		if _, after, ok := strings.Cut(shown, want); ok {
			s.mu.Lock()
			s.text.Reset()
			s.text.WriteString(after)
			s.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%q was not shown; there is %q", want, shown)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// A chat in a real terminal: two turns, the second stopped by Ctrl-C, a third after it, and the
// end by Ctrl-D.
func TestRun_aChatInATerminal(t *testing.T) {
	hold := make(chan struct{}, 1000)
	for range 9 { // what is held back beyond, the test stops
		hold <- struct{}{}
	}
	endless := enginetest.Say(strings.Repeat("la ", 3))
	endless.Tokens = append(endless.Tokens, enginetest.Say("never").Tokens...)
	endless.Hold = hold
	at := scriptedServer(t, enginetest.Script(enginetest.Say("Hello you."), endless, enginetest.Say("Still here.")))
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(at, "run", "m")...)
	cmd.Env = append(os.Environ(), runEnv+"=1", "TERM=xterm")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	defer func() { _ = tty.Close() }()
	var s screen
	go s.copy(tty)
	typed := func(keys string) {
		if _, err := tty.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	s.await(t, "> ")
	typed("hi\r")
	s.await(t, "Hello you.")
	s.await(t, "> ")
	typed("sing\r")
	s.await(t, "la la la")
	typed("\x03")
	s.await(t, "(stopped)")
	s.await(t, "> ")
	typed("not this\x03there?\r") // Ctrl-C at the prompt clears the line
	s.await(t, "Still here.")
	s.await(t, "> ")
	typed("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-D: %v", err)
	}
}

func TestRemote_noServerSaysHowToStartOne(t *testing.T) {
	alone(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	for _, command := range []string{"status", "health"} {
		if _, _, err := execute(t, command, "--port", port); !errors.Is(err, client.ErrNoServer) || !strings.Contains(err.Error(), "tenon start") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestRoot_mistypedNamesAreAnsweredWithTheNearest(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"srve"}, "there is no command \"srve\" (did you mean serve?); see 'tenon --help'"},
		{[]string{"lgs"}, "(did you mean lms or logs?)"}, // not every short name
		{[]string{"xy"}, "there is no command \"xy\"; see"},
		{[]string{"serve", "--prot", "1"}, "did you mean --port?"},
		{[]string{"run", "m", "--maxtokens", "1"}, "did you mean --max-tokens?"},
		{[]string{"logs", "--folow"}, "did you mean --follow?"},
		{[]string{"logs", "--zzz"}, "there is no flag --zzz; see"},
		{[]string{"grammar", "prnt"}, "there is no command \"prnt\" (did you mean print?); see 'tenon grammar --help'"},
		{[]string{"lms", "sp"}, "(did you mean ps?); see 'tenon lms --help'"},
		{[]string{"lms", "pss"}, "(did you mean ps?)"},
		{[]string{"help", "srve"}, "(did you mean serve?)"},
		{[]string{"help", "lms", "sever"}, "(did you mean server?)"},
		{[]string{"--verson"}, "did you mean --version?"},
		{[]string{"lms", "sever"}, "(did you mean server?)"},
		{[]string{"lms", "server", "strt"}, "(did you mean start?); see 'tenon lms server --help'"},
		{[]string{"completion", "bsh"}, "(did you mean zsh or bash?)"},
		{[]string{"parse", "--family", "hermse"}, "there is no family \"hermse\" (did you mean hermes?)"},
		{[]string{"lms", "ps", "--host", "127.0.0.1", "--port", freePort(t)}, "start one with 'tenon start'"},
		{[]string{"lms", "log", "stream", "--host", "127.0.0.1", "--port", freePort(t)}, "start one with 'tenon start'"},
	} {
		if _, _, err := execute(t, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

// A shell is offered the models of the server, and where none answers, those that one would serve.
func TestCompletion_offersModels(t *testing.T) {
	_, at := answering(t, map[string]string{"GET /tenon/v1/models": fleetModels})
	out, _, err := execute(t, append([]string{"__complete"}, append(append([]string{"run"}, at...), "")...)...)
	if err != nil || !strings.Contains(out, "tiny\tloaded\n") || !strings.Contains(out, "gpt-4o\n") {
		t.Errorf("%q %v", out, err)
	}
	kept, _ := store.DefaultDir()
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), filepath.Join(kept, "kept.gguf"))
	if out, _, err = execute(t, "__complete", "run", "--port", freePort(t), ""); err != nil || !strings.Contains(out, "kept\tnot-loaded\n") {
		t.Errorf("%q %v", out, err)
	}
}

// A server that is not tenon's own still gets a sentence.
func TestRemote_anAnswerThatIsNoJSON(t *testing.T) {
	alone(t)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "teapot", http.StatusTeapot) }))
	defer h.Close()
	_, port, _ := net.SplitHostPort(h.Listener.Addr().String())
	if _, _, err := execute(t, "status", "--port", port); err == nil || !strings.Contains(err.Error(), "418") {
		t.Error(err)
	}
}
