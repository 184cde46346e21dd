//go:build cgo

package realtest

import (
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/remote"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
)

var llamaServerPath = flag.String("remote.llama-server", "", "a llama-server that the suite runs against")

// A real llama-server passes the engine suite as far as its API claims, with the vocabulary here
// and without.
func TestReal_llamaServerPassesTheSuite(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	at := startLlamaServer(t, path)
	for name, local := range map[string]bool{"vocabulary here": true, "vocabulary there": false} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Subject{Open: func(t *testing.T) engine.Engine {
				o := remote.Options{Name: "tiny", URLs: []string{at}}
				if local {
					v, err := native.Load(t.Context(), worker.Options{Model: path, VocabOnly: true}, nil)
					if err != nil {
						t.Fatal(err)
					}
					o.Vocabulary = v
				}
				e, err := remote.Connect(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if c := e.Model().Can; c.Mask != engine.PrintedMask || c.Symbols != local {
					t.Errorf("%+v", c)
				}
				return e
			}})
		})
	}
}

// startLlamaServer serves a model until the test ends.
func startLlamaServer(t *testing.T, model string, args ...string) string {
	t.Helper()
	if *llamaServerPath == "" {
		t.Skip("no llama-server is named: make test-remote")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // the server is to have it
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, *llamaServerPath, append([]string{
		"-m", model, "--host", "127.0.0.1", "--port", strconv.Itoa(port), "--no-webui", "-t", "1", "-c", "4096", "-np", "3", "--no-warmup",
	}, args...)...)
	cmd.Stderr, cmd.Stdout = io.Discard, io.Discard
	if testing.Verbose() && os.Getenv("LLAMA_SERVER_LOG") != "" {
		cmd.Stderr, cmd.Stdout = os.Stderr, os.Stderr
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was told to end
	})
	at := "http://127.0.0.1:" + strconv.Itoa(port)
	// Another program's process tells in no other way that it is up.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(at + "/health")
		if err != nil {
			continue
		}
		_ = answer.Body.Close() // the status says it all
		if answer.StatusCode == http.StatusOK {
			return at
		}
	}
	t.Fatal("llama-server does not come up")
	return ""
}
