// Package sdktest drives the whole server with the official Go SDKs, which are dependencies of
// these tests alone: against scripted turns, and against a real llama.cpp with a model so small
// that a test writes it.
package sdktest

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
	"tenon/server"
	"tenon/server/servertest"
	"tenon/server/servertest/contract"
)

// The test binary is also the worker's.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		if err := worker.Serve(context.Background(), os.Stdin, native.Load); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the worker's log
	code := m.Run()
	if tiny.engine != nil {
		_ = tiny.engine.Close() // the process ends next
	}
	os.Exit(code)
}

// model is what the tests call it, whichever it is.
const model = "m"

// tiny is the real engine, started by the first test that wants it.
var tiny struct {
	once   sync.Once
	engine engine.Engine
	err    error
}

// served is a server under test.
type served struct {
	url    string
	script bool // its turns are scripted, so what it says is known
}

// eachEngine runs a test against the scripted replies and against the tiny model, whose text is
// noise.
func eachEngine(t *testing.T, test func(t *testing.T, s served), replies ...enginetest.Reply) {
	t.Helper()
	t.Run("scripted", func(t *testing.T) {
		test(t, serve(t, enginetest.Script(replies...), true))
	})
	t.Run("tiny", func(t *testing.T) {
		if !llama.Available {
			t.Skip("no local engine: " + llama.Source)
		}
		path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
		tiny.once.Do(func() {
			tiny.engine, tiny.err = worker.Start(context.Background(), worker.Options{
				Name: "tiny", Model: path, Context: 2048, Slots: 2, Threads: 1, FlashAttention: worker.Off,
			})
		})
		if tiny.err != nil {
			t.Fatal(tiny.err)
		}
		test(t, serve(t, tiny.engine, false))
	})
}

// serve holds every body and event against its description, and reads streams as the strictest
// clients do.
func serve(t *testing.T, e engine.Engine, script bool) served {
	t.Helper()
	h := server.New(servertest.Options(servertest.Model{ID: model, Engine: e, Thinks: true}))
	s := httptest.NewServer(servertest.Watch(h, func(x servertest.Exchange) {
		for _, err := range append(contract.Faults(x), x.Fault()) {
			if err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(s.Close)
	return served{s.URL, script}
}

// said compares a scripted answer; noise is not compared.
func (s served) said(t *testing.T, got, want string) {
	t.Helper()
	if s.script && got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// The tool of all tests, and how a script calls it.
const (
	toolName = "get_weather"
	toolCall = `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`
)

var toolSchema = map[string]any{
	"type": "object", "required": []string{"city"}, "additionalProperties": false,
	"properties": map[string]any{"city": map[string]any{"type": "string", "enum": []string{"Oslo", "Rome"}}},
}

// answerSchema is of structured output.
var answerSchema = map[string]any{
	"type": "object", "required": []string{"celsius"}, "additionalProperties": false,
	"properties": map[string]any{"celsius": map[string]any{"type": "integer", "minimum": -60, "maximum": 60}},
}
