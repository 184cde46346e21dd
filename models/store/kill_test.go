package store

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// pulling tells a test binary to be a process that pulls an address into a folder.
const pulling = "TENON_STORE_TEST_PULL"

func TestMain(m *testing.M) {
	if address := os.Getenv(pulling); address != "" {
		s := &Store{Dir: os.Getenv(pulling + "_DIR"), Pause: time.Millisecond}
		if _, err := s.Pull(context.Background(), Ref{URL: address}, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Killed anywhere, a pull goes on where it ended, and never leaves a file that looks whole and is
// not. KILLS says how many processes are killed.
func TestPull_killedAnywhereItGoesOn(t *testing.T) {
	kills, _ := strconv.Atoi(os.Getenv("KILLS"))
	if kills == 0 {
		kills = 8
	}
	body := random(11, 2*chunkSize+4321)
	var sent killer
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(counted{w, &sent}, r, "", time.Time{}, bytes.NewReader(body))
		if strings.Contains(w.Header().Get("Content-Range"), fmt.Sprintf("-%d/", len(body)-1)) {
			w.(http.Flusher).Flush()
			sent.last()
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	final := filepath.Join(dir, "url", "127.0.0.1", "m.gguf")
	killed, whole, began := 0, 0, 0
	for killed < kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), pulling+"="+server.URL+"/m.gguf", pulling+"_DIR="+dir)
		var out bytes.Buffer
		cmd.Stderr = &out
		began++
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := rand.IntN(len(body))
		if began%8 == 4 {
			// this one comes to its end, from where the others left off
			after = math.MaxInt
		}
		sent.aim(after, began%8 == 0, cmd.Process)
		err := cmd.Wait()
		if err != nil && cmd.ProcessState.ExitCode() >= 0 {
			t.Fatalf("%v: %s", err, out.String())
		}
		if err != nil {
			killed++
		}
		got, readErr := os.ReadFile(final)
		if readErr == nil && !bytes.Equal(got, body) {
			t.Fatalf("after %d kills the file looks whole and is not", killed)
		}
		if err == nil && readErr != nil {
			t.Fatal("a pull that ended well has left no file")
		}
		if readErr == nil {
			whole++
			_ = os.RemoveAll(dir)
		}
	}
	t.Logf("%d processes, %d killed, %d whole files, 0 corrupt", began, killed, whole)
}

// killer kills a process once so many bytes have been sent to it, or the body's last one, when it
// puts the file in place.
type killer struct {
	mu      sync.Mutex // guards what follows
	left    int
	atEnd   bool
	process *os.Process
}

func (k *killer) aim(bytes int, atEnd bool, at *os.Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.left, k.atEnd, k.process = bytes, atEnd, at
}

func (k *killer) sent(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left -= n; k.left <= 0 && !k.atEnd {
		k.kill()
	}
}

func (k *killer) last() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.atEnd {
		k.kill()
	}
}

func (k *killer) kill() {
	if k.process != nil {
		_ = k.process.Kill() // it may have ended
	}
}

// counted is a connection whose bytes a killer counts.
type counted struct {
	http.ResponseWriter
	killer *killer
}

func (c counted) Write(b []byte) (written int, err error) {
	for len(b) > 0 && err == nil {
		n := min(len(b), 4096)
		n, err = c.ResponseWriter.Write(b[:n])
		c.killer.sent(n)
		written, b = written+n, b[n:]
	}
	return written, err
}
