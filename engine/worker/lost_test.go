package worker

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
)

func TestLost_whileLoading(t *testing.T) {
	_, err := Start(t.Context(), quiet(Options{Model: "aborts"}))
	var lost *LostError
	if !errors.As(err, &lost) || lost.Sent || !errors.Is(err, engine.ErrWorkerLost) {
		t.Fatalf("error: %v", err)
	}
	if !strings.Contains(err.Error(), "killed") || !strings.Contains(err.Error(), "PUPPET_ASSERT") {
		t.Errorf("the error does not say why: %v", err)
	}
}

func TestLost_atEveryStageOfATurn(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		updates      int // read before the worker is killed
		retry        bool
	}{
		{"before the queue", "never accepted", -1, true},
		{"waiting for a slot", "wait for a slot", 0, true},
		{"in the prompt", "stay in the prompt", 1, true},
		{"after the first token", "stay in the call", 2, false},
		{"mid call", "stay in the call", 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, Options{Model: "fine"})
			err := killAfter(t, w, c.prompt, c.updates)
			var lost *LostError
			if !errors.As(err, &lost) || lost.Sent == c.retry || !errors.Is(err, engine.ErrWorkerLost) {
				t.Fatalf("error: %v", err)
			}
			if got := say(t, w, "hi"); got != "hello" {
				t.Errorf("the next turn said %q", got)
			}
		})
	}
}

// killAfter kills the child once a turn has come as far as told, and returns the turn's error.
func killAfter(t *testing.T, w *Worker, prompt string, updates int) error {
	t.Helper()
	kill := func() { _ = w.current.cmd.Process.Kill() }
	if updates < 0 {
		time.AfterFunc(50*time.Millisecond, kill) // the request has no answer to wait for
		_, err := w.Open(t.Context(), turn(prompt))
		return err
	}
	s, err := w.Open(t.Context(), turn(prompt))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for range updates {
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	kill()
	_, err = collect(t, s)
	return err
}

// A worker that died too often rests, and one more is tried after that.
func TestLost_repeatedFailuresStopTheRestartsForAWhile(t *testing.T) {
	fate := live(t)
	w := start(t, Options{Name: "emma", Model: fate})
	if err := w.Down(); err != nil {
		t.Errorf("down as it begins: %v", err)
	}
	began := time.Now()
	fail(w, breaker.Most-1, began) // the waits in between are told by package breaker
	p := w.current
	_ = p.cmd.Process.Kill()
	<-p.done
	_, err := w.Open(t.Context(), turn("hi"))
	if !errors.Is(err, engine.ErrWorkerLost) || !strings.Contains(err.Error(), "emma") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("error: %v", err)
	}
	if down := w.Down(); down == nil || !errors.Is(down, engine.ErrWorkerLost) || strings.Contains(down.Error(), "try again") {
		t.Errorf("down: %v", down)
	}
	rest(w)
	if down := w.Down(); down != nil {
		t.Errorf("down after its rest: %v", down)
	}
	decide(t, fate, "die")
	if _, err := w.Open(t.Context(), turn("hi")); !errors.Is(err, engine.ErrWorkerLost) {
		t.Errorf("error of the one try: %v", err)
	}
	if w.Down() == nil {
		t.Error("up after the one try has failed")
	}
	rest(w)
	decide(t, fate, "live")
	if got := say(t, w, "hi"); got != "hello" {
		t.Errorf("after another rest it said %q", got)
	}
}

// fail counts failures as if so many children had died before.
func fail(w *Worker, n int, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range n {
		w.failures.Failed(now)
	}
}

// rest makes the worker's rest be over: its failures were long ago.
func rest(w *Worker) {
	w.mu.Lock()
	n := w.failures.Failures()
	w.failures.Worked()
	w.mu.Unlock()
	fail(w, n, time.Now().Add(-time.Hour))
}

func TestLost_restartThatFailsIsToldToAllWhoWait(t *testing.T) {
	fate := live(t)
	w := start(t, Options{Model: fate})
	decide(t, fate, "die")
	if got := say(t, w, "hi"); got != "hello" {
		t.Fatalf("said %q", got)
	}
	p := w.current
	_ = p.cmd.Process.Kill()
	<-p.done
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if _, err := w.Open(t.Context(), turn("hi")); !errors.Is(err, engine.ErrWorkerLost) {
				t.Errorf("error: %v", err)
			}
		})
	}
	all.Wait()
}

func TestParentKilled_childEnds(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		parent := exec.Command(os.Args[0], "parent")
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("the parent said %q", line)
		}
		_ = parent.Process.Signal(signal)
		_ = parent.Wait()
		waitGone(t, pid)
	}
}

// waitGone waits until a process that is not our child has ended.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-tick.C {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return
		}
	}
	t.Errorf("process %d outlives its parent", pid)
}

// zombie: in a container nobody may reap what its parent left.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}

// A whole answer's client has been sent nothing, however much of it had been written.
func TestLost_tellsNobodyThatHeHasAPart(t *testing.T) {
	if text := (&LostError{Name: "m", Reason: "signal: killed", Sent: true}).Error(); strings.Contains(text, "was sent") || !strings.Contains(text, "trying again") {
		t.Error(text)
	}
}
