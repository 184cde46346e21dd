package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// S2-14, S4-22: each result has the same three fields, error is null where the tool succeeded, and
// model, client and journal read the same text. The model knows a failure by its first word.
func TestResults_haveOneShape(t *testing.T) {
	said := func(r agent.Result, err error) func(context.Context, int, string) (agent.Result, error) {
		return func(context.Context, int, string) (agent.Result, error) { return r, err }
	}
	for name, reply := range map[string]func(context.Context, int, string) (agent.Result, error){
		"good":       said(agent.Result{Text: "It rains."}, nil),
		"structured": said(agent.Result{Structured: json.RawMessage(`{"rain":true}`)}, nil),
		"silent":     said(agent.Result{}, nil),
		"bad":        said(agent.Result{Text: "There is no such note.", Failed: true, Exit: 3}, nil),
		"nameless":   said(agent.Result{Failed: true}, nil),
		"named":      said(agent.Result{Failed: true, Text: "error 404"}, nil),
		"broken":     said(agent.Result{}, errors.New("the disk is gone")),
		"panicking":  func(context.Context, int, string) (agent.Result, error) { panic("boom") },
		"hanging":    func(context.Context, int, string) (agent.Result, error) { select {} },
		"unknown":    nil,
	} {
		path := filepath.Join(t.TempDir(), "journal")
		j, err := agent.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		n := &notes{reply: reply}
		o := allowed(n)
		if o.Journal = j; name == "hanging" {
			o.Limits.Call = 1
		}
		b := newBench(o, lookup("a"), "I see.")
		if name == "unknown" { // it goes while its call waits for approval
			tool := n.tool("lookup", agent.Ask)
			o.Sources = []agent.Source{source{all: []agent.Tool{tool}}}
			b.Configure(o)
			b.ask(t, nil)
			id := b.events[len(b.events)-2].Call.ID
			o.Sources = []agent.Source{source{all: []agent.Tool{n.tool("other", agent.Allow)}}}
			b.Configure(o)
			b.ask(t, func(r *chat.Request) { r.Hosted.Approvals = []chat.Approval{{ID: id, Approve: true}} })
		} else {
			b.ask(t, nil)
		}
		_ = j.Close()
		lines, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var end map[string]any
		for line := range strings.Lines(string(lines)) {
			if err := json.Unmarshal([]byte(line), &end); err != nil {
				t.Fatal(err)
			}
		}
		success, isBool := end["success"].(bool)
		text, isText := end["result"].(string)
		failure, told := end["error"]
		if !isBool || !isText || !told || success != (failure == nil) || success != slices.Contains([]string{"good", "structured", "silent"}, name) {
			t.Errorf("%s: %v", name, end)
		}
		if !success {
			text, _ = failure.(string)
		}
		if begins := strings.HasPrefix(strings.ToLower(text), "error"); begins == success {
			t.Errorf("%s: the model is told %q", name, text)
		}
		for _, p := range b.events {
			if p.Kind == chat.HostedEnd && (p.Hosted.Result.Text != text || p.Hosted.Result.Failed == success) {
				t.Errorf("%s: the client is told %q, the journal %q", name, p.Hosted.Result.Text, text)
			}
		}
		if prompts := b.prompts(); !success && text == "" || !strings.Contains(strings.ReplaceAll(prompts[len(prompts)-1], `\"`, `"`), text) {
			t.Errorf("%s: the journal has %q, the model is told\n%s", name, text, prompts[len(prompts)-1])
		}
	}
}
