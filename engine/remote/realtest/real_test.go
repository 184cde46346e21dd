//go:build cgo

package realtest

import (
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
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
	for name, local := range map[string]bool{"vocabulary here": true, "vocabulary there": false, "#api=chat": false, "#api=messages": false} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Subject{Open: func(t *testing.T) engine.Engine {
				o := remote.Options{Name: "tiny", URLs: []string{at}}
				chats := strings.HasPrefix(name, "#")
				if chats {
					// which its list of models does not tell
					o.URLs[0], o.Context = at+name, 1024
				}
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
				if c := e.Model().Can; c.Mask != map[bool]engine.Mask{false: engine.PrintedMask, true: engine.NoMask}[chats] || c.Symbols != (local || chats) || (c.Chat != "") != chats {
					t.Errorf("%+v", c)
				}
				if chats {
					return fewer{e}
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
	port := freePort(t)
	return serve(t, exec.Command(*llamaServerPath, append([]string{
		"-m", model, "--host", "127.0.0.1", "--port", port, "--no-webui", "-t", "1", "-c", "4096", "-np", "3", "--no-warmup",
	}, args...)...), "http://127.0.0.1:"+port)
}

// freePort is one that another program is to have.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close() // it is to have it
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// serve starts a server and ends it with the test. SERVER_LOG=1 with -v shows what it says.
func serve(t *testing.T, cmd *exec.Cmd, at string) string {
	t.Helper()
	cmd.Stderr, cmd.Stdout = io.Discard, io.Discard
	if testing.Verbose() && os.Getenv("SERVER_LOG") != "" {
		cmd.Stderr, cmd.Stdout = os.Stderr, os.Stderr
	}
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was told to end, or the test says that it has
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may be gone
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	// Another program's process tells in no other way that it is up.
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("%s does not come up: %v; SERVER_LOG=1 with -v shows why", cmd.Path, cmd.ProcessState)
		default:
		}
		answer, err := http.Get(at + "/health")
		if err != nil {
			continue
		}
		_ = answer.Body.Close() // the status says it all
		if answer.StatusCode == http.StatusOK {
			return at
		}
	}
	t.Fatalf("%s does not come up", cmd.Path)
	return ""
}
