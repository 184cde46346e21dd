package clients

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func shell(t *testing.T, script string) process {
	t.Helper()
	dir := t.TempDir()
	return process{dir: dir, program: "sh", args: []string{"-c", script}, env: []string{"PATH=" + os.Getenv("PATH"), "WORD=private"}, log: filepath.Join(dir, "log")}
}

func TestProcess_bothOutputsAreKept(t *testing.T) {
	p := shell(t, `echo "$WORD $HOME"; echo loud >&2; exit 3`)
	out, err := p.run(t.Context())
	if !strings.Contains(out, "private \n") || !strings.Contains(out, "loud") || err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%q, %v", out, err)
	}
	if kept, err := os.ReadFile(p.log); err != nil || string(kept) != out {
		t.Errorf("the log: %q, %v", kept, err)
	}
}

// fifo is a pipe in p's folder; opened is closed when someone writes to it, ended when nobody does
// any more.
func (p process) fifo(t *testing.T) (opened, ended chan struct{}) {
	t.Helper()
	path := filepath.Join(p.dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened, ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		f, err := os.Open(path)
		if err != nil {
			t.Error(err)
			return
		}
		close(opened)
		_, _ = io.Copy(io.Discard, f) // its end is what is waited for
		_ = f.Close()
	}()
	return opened, ended
}

// An agent's servers and shells must not outlive its row.
func TestProcess_itsChildrenEndWithIt(t *testing.T) {
	p := shell(t, `exec 3>fifo; sleep 600 >/dev/null 2>&1 &`)
	_, ended := p.fifo(t)
	if _, err := p.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-ended // the child held it open
}

func TestProcess_saysWhyItWasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	p := shell(t, `exec 3>fifo; exec sleep 600`)
	opened, _ := p.fifo(t)
	go func() {
		<-opened
		cancel(&hangError{"nothing has moved"})
	}()
	var hung *hangError
	for _, when := range []string{"while it ran", "before it began"} {
		if _, err := p.run(ctx); !errors.As(err, &hung) {
			t.Errorf("%s: %v", when, err)
		}
	}
}

func TestLast_keepsTheEnd(t *testing.T) {
	if got := last("  abcdef\n", 3); got != "…def" {
		t.Errorf("%q", got)
	}
	if got := last("ab", 3); got != "ab" {
		t.Errorf("%q", got)
	}
}
