package agent_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"tenon/server/agent"
	"tenon/server/chat"
)

// The variables by which a test has itself run as the process that is killed.
const (
	killPath = "TENON_TEST_JOURNAL"
	killAt   = "TENON_TEST_KILL_AT"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(killPath); path != "" {
		killed(path)
	}
	os.Exit(m.Run())
}

// killed runs a turn of two calls and is killed, without notice, at its step of that number: an
// event, or the middle of a call.
func killed(path string) {
	at, _ := strconv.Atoi(os.Getenv(killAt)) // the parent wrote it
	var left atomic.Int64                    // events come while the call runs
	left.Store(int64(at))
	step := func() {
		if left.Add(-1) < 0 {
			self, _ := os.FindProcess(os.Getpid()) // on Unix it always finds one
			_ = self.Kill()
			select {}
		}
	}
	j, err := agent.OpenJournal(path)
	if err != nil {
		panic(err)
	}
	n := &notes{reply: func(context.Context, int, string) (agent.Result, error) {
		step()
		return agent.Result{Text: strings.Repeat("a long note ", 1000)}, nil
	}}
	o := allowed(n)
	o.Journal = j
	b := newBench(o, lookup("a"), lookup("b"), "Done.")
	b.stop = func(chat.Event) error { step(); return nil }
	if _, err := b.try(context.Background(), nil); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// Killed at any step, a server leaves a journal of whole lines: each end has its start, and at
// most one call is without an end. The next server goes on with it.
func TestJournal_isWholeAfterAKillAtEachStep(t *testing.T) {
	for step := 0; ; step++ {
		path := filepath.Join(t.TempDir(), "journal")
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), killPath+"="+path, killAt+"="+strconv.Itoa(step))
		out, err := child.CombinedOutput()
		if err != nil && child.ProcessState.Exited() {
			t.Fatalf("step %d: it ended by itself: %v\n%s", step, err, out)
		}
		open := map[string]bool{}
		for _, e := range journal(t, path) {
			if e.Event == "end" && (!open[e.Call] || e.Result == "") {
				t.Errorf("step %d: an end without a start, or a result: %+v", step, e)
			}
			if open[e.Call] = e.Event == "start"; !open[e.Call] {
				delete(open, e.Call)
			}
		}
		if len(open) > 1 || err == nil && len(open) > 0 {
			t.Errorf("step %d: %d calls have no end", step, len(open))
		}
		j, openErr := agent.OpenJournal(path)
		if openErr != nil {
			t.Fatal(openErr)
		}
		_ = j.Close()
		if err == nil {
			if step < 8 {
				t.Errorf("only %d steps: %s", step, out)
			}
			return
		}
	}
}

// A machine that loses power may leave half a line: the next entry begins a new one, and the
// reader tells of the half.
func TestJournal_halfALineIsPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, []byte(`{"event":"start","call":"c1"}`+"\n"+`{"event":"end","ca`), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := agent.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }() // each entry is on the disk
	n := &notes{}
	o := allowed(n)
	o.Journal = j
	newBench(o, lookup("a"), "Done.").ask(t, nil)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var events []string
	broken, err := agent.ReadJournal(f, func(e agent.Entry) error { events = append(events, e.Event); return nil })
	if broken != 1 || err != nil || fmt.Sprint(events) != "[start start end]" {
		t.Errorf("%d broken, %v, %v", broken, events, err)
	}
}

// A call that cannot be recorded is not executed.
func TestJournal_whatCannotBeRecordedIsNotExecuted(t *testing.T) {
	j, err := agent.OpenJournal(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	n := &notes{}
	o := allowed(n)
	o.Journal = j
	c := newBench(o, lookup("a"), "I see.").ask(t, nil)
	if len(n.calls) != 0 || len(results(c)) != 1 || !results(c)[0].Failed {
		t.Errorf("%d executed, %+v", len(n.calls), c)
	}
}
