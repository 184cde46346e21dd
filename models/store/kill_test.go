package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(&trickling{ResponseWriter: w}, r, "", time.Time{}, bytes.NewReader(body))
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
		timer := time.AfterFunc(time.Duration(rand.IntN(1200))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
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

// trickling is a connection that takes a while.
type trickling struct{ http.ResponseWriter }

func (s *trickling) Write(b []byte) (int, error) {
	time.Sleep(2 * time.Millisecond)
	return s.ResponseWriter.Write(b)
}
