//go:build unix

package agent_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"tenon/server/agent"
)

// An entry that the disk had room for half of takes none of the next with it.
func TestJournal_goesOnAfterAFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	path := filepath.Join(t.TempDir(), "journal")
	j, err := agent.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	n := &notes{}
	o := allowed(n)
	o.Journal = j
	b := newBench(o, lookup("a"), "Done.", lookup("b"), "Done.")
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	b.ask(t, nil)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil || len(n.calls) != 0 {
		t.Fatal(err, n.calls)
	}
	b.ask(t, nil)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var seen []string
	if _, err := agent.ReadJournal(f, func(e agent.Entry) error { seen = append(seen, e.Event); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(n.calls) != 1 || len(seen) != 2 || seen[0] != "start" {
		t.Errorf("%d executed, entries %q", len(n.calls), seen)
	}
}
