package worker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

func TestWorker_isAnEngine(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	if got := w.Model(); got.Architecture != "puppet" || got.Slots != 2 {
		t.Errorf("model: %+v", got)
	}
	odd := engine.Prompt{{Text: "a\xffb", Origin: engine.Content}, {Origin: engine.Kept, Tokens: []int32{7}}}
	ids, err := w.Tokens(t.Context(), odd)
	if diff := cmp.Diff([]int32{'a', 0xff, 'b', 7}, ids); diff != "" || err != nil {
		t.Errorf("tokens: %v %s", err, diff)
	}
	text, err := w.Text(t.Context(), []int32{'h', 0xfe}, true)
	if string(text) != "h\xfe" || err != nil {
		t.Errorf("text: %q %v", text, err)
	}
	vectors, err := w.Embed(t.Context(), []engine.Prompt{engine.Plain("abc")})
	if diff := cmp.Diff([]engine.Embedding{{Vector: []float32{0.5, -1}, Tokens: 3}}, vectors); diff != "" || err != nil {
		t.Errorf("embeddings: %v %s", err, diff)
	}
	if _, err := w.Embed(t.Context(), nil); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("embed nothing: %v", err)
	}
	if got := say(t, w, "hi"); got != "hello" {
		t.Errorf("said %q", got)
	}
}

// Each place where the socket may lie must carry the same turns.
func TestWorker_meetsWhereverItCan(t *testing.T) {
	for _, c := range []struct{ name, runtime, temp, kind string }{
		{"runtime folder", t.TempDir(), "/nonexistent", inheritListener},
		{"temporary folder", "/nonexistent", t.TempDir(), inheritListener},
		{"path too long for a socket", "/nonexistent", filepath.Join(t.TempDir(), strings.Repeat("x", 100)), inheritConn},
		{"no folder at all", "", "/nonexistent", inheritConn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("XDG_RUNTIME_DIR", c.runtime)
			t.Setenv("TMPDIR", c.temp)
			w := start(t, Options{Model: "fine"})
			if w.current.meet.kind != c.kind {
				t.Errorf("met by %s", w.current.meet.kind)
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if got := say(t, w, "hi"); got != "hello" {
						t.Errorf("said %q", got)
					}
				})
			}
			all.Wait()
			for _, dir := range []string{c.runtime, c.temp} {
				checkPrivate(t, dir)
			}
			_ = w.Close()
			if left, _ := filepath.Glob(c.runtime + "/tenon-*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	found, _ := filepath.Glob(dir + "/tenon-*")
	for _, f := range found {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", f, info, err)
		}
	}
}

func TestWorker_errorsKeepTheirIdentity(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	_, err := w.Open(t.Context(), turn("busy"))
	var busy *engine.BusyError
	if !errors.As(err, &busy) || busy.RetryAfter != 3*time.Second || !errors.Is(err, engine.ErrBusy) {
		t.Errorf("busy: %v", err)
	}
	_, err = w.Open(t.Context(), turn("too long"))
	var full *engine.ContextError
	if !errors.As(err, &full) || full.Prompt != 101 || full.Context != 100 || !errors.Is(err, engine.ErrContextExceeded) {
		t.Errorf("too long: %v", err)
	}
	s, err := w.Open(t.Context(), turn("fail"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t, s); !errors.Is(err, engine.ErrUnsupported) || !strings.Contains(err.Error(), "decode") {
		t.Errorf("mid-turn error: %v", err)
	}
}

func TestWorker_sendsAGrammarOnce(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	g := grammarOf(`root ::= "yes" | "no"`)
	for range 2 {
		s, err := w.Open(t.Context(), engine.Turn{Prompt: engine.Plain("grammar"), Grammar: g})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := collect(t, s); got != g.Text || err != nil {
			t.Errorf("the child has %q, %v", got, err)
		}
	}
	w.current.known.Store(grammarOf("unknown").Hash, true) // as if the child had forgotten it
	s, err := w.Open(t.Context(), engine.Turn{Prompt: engine.Plain("grammar"), Grammar: grammarOf("unknown")})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, s); got != "unknown" {
		t.Errorf("the child has %q", got)
	}
}

func TestWorker_forbiddenTokenCrossesTheBorder(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	forbid := map[int32]float32{5: float32(math.Inf(-1)), 6: 1.5}
	s, err := w.Open(t.Context(), engine.Turn{Prompt: engine.Plain("bias"), Sampling: engine.Sampling{LogitBias: forbid}})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := collect(t, s); got != "map[5:-Inf 6:1.5]" {
		t.Errorf("the child has %s", got)
	}
}

func TestWorker_checkIsAnswered(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	s, err := w.Open(t.Context(), turn("check"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var text strings.Builder
	for {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if u.Check != nil {
			if u.Check.Capture != "args" || u.Check.Offset != 1 {
				t.Errorf("check: %+v", u.Check)
			}
			if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: 1, Grammar: grammarOf("rest")}); err != nil {
				t.Fatal(err)
			}
		}
		for _, token := range u.Tokens {
			text.Write(token.Bytes)
		}
		if u.Finish != nil {
			break
		}
	}
	if got := text.String(); got != "hetrue 1ello" {
		t.Errorf("said %q", got)
	}
}

func TestWorker_turnIsToldToEnd(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	s, err := w.Open(t.Context(), turn("never ends"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Conclude(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := collect(t, s); text != "he" || err != nil {
		t.Errorf("said %q, %v", text, err)
	}
	if err := s.Conclude(t.Context()); err != nil {
		t.Errorf("a turn that has ended: %v", err)
	}
}

func TestWorker_closedSessionFreesTheChild(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	s, err := w.Open(t.Context(), turn("stay in the call"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("next with an ended context: %v", err)
	}
	_ = s.Close()
	_ = s.Close()
	u, err := s.Next(t.Context())
	if err != nil || u.Finish == nil || u.Finish.Reason != engine.Cancelled {
		t.Errorf("after close: %+v %v", u, err)
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the finish: %v", err)
	}
}

func TestWorker_givesUpWaitingWithItsContext(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := w.Open(ctx, turn("never accepted")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("open: %v", err)
	}
}

// A reader that stops reading must not keep the child from serving others.
func TestWorker_slowReaderHoldsNobody(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	slow, err := w.Open(t.Context(), turn("flood"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = slow.Close() }()
	for range 10 {
		if got := say(t, w, "hi"); got != "hello" {
			t.Fatalf("said %q", got)
		}
	}
}

func TestWorker_closeEndsTurnsAndChild(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	s, err := w.Open(t.Context(), turn("stay in the prompt"))
	if err != nil {
		t.Fatal(err)
	}
	p := w.current
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.done
	if _, err := collect(t, s); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("running turn: %v", err)
	}
	if _, err := w.Open(t.Context(), turn("hi")); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("new turn: %v", err)
	}
}

func TestWorker_logLinesCarryTheModelsName(t *testing.T) {
	var out syncBuffer
	w := start(t, Options{Name: "emma", Model: "fine", Log: slog.New(slog.NewTextHandler(&out, nil))})
	_ = w.Close()
	if !strings.Contains(out.String(), `msg="puppet loaded" model=emma path=fine`) {
		t.Errorf("log:\n%s", out.String())
	}
}

func TestStart_tellsWhyAModelCannotBeLoaded(t *testing.T) {
	_, err := Start(t.Context(), quiet(Options{Name: "emma", Model: "not a model"}))
	if err == nil || !strings.Contains(err.Error(), "not a GGUF") || !strings.Contains(err.Error(), "emma") {
		t.Errorf("error: %v", err)
	}
}

func TestStart_tellsProgressAndEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := quiet(Options{Model: "never loads"})
	o.Progress = func(p float64) {
		if p == 0.5 {
			cancel()
		}
	}
	if _, err := Start(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
}

func TestLost_whileLoading(t *testing.T) {
	_, err := Start(t.Context(), quiet(Options{Model: "aborts"}))
	var lost *LostError
	if !errors.As(err, &lost) || !lost.Retry() || !errors.Is(err, engine.ErrWorkerLost) {
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
			if !errors.As(err, &lost) || lost.Retry() != c.retry || !errors.Is(err, engine.ErrWorkerLost) {
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

func TestLost_repeatedFailuresStopTheRestarts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/first", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := start(t, Options{Name: "emma", Model: "aborts later", StateDir: dir})
	w.mu.Lock()
	w.failures = maxFailures - 2 // the waits in between are told by TestBackoff
	w.mu.Unlock()
	p := w.current
	_ = p.cmd.Process.Kill()
	<-p.done
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.mu.Lock()
	if w.current != nil {
		w.note(p)
	}
	w.failures = maxFailures
	w.mu.Unlock()
	_, err := w.Open(ctx, turn("hi"))
	if !errors.Is(err, engine.ErrWorkerLost) || !strings.Contains(err.Error(), "emma") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("error: %v", err)
	}
}

func TestLost_restartThatFailsIsToldToAllWhoWait(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/first", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := start(t, Options{Model: "aborts later", StateDir: dir})
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

func TestBackoff(t *testing.T) {
	var got []time.Duration
	for failures := range maxFailures {
		got = append(got, backoff(failures))
	}
	want := []time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
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

func start(t *testing.T, o Options) *Worker {
	t.Helper()
	w, err := Start(t.Context(), quiet(o))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func quiet(o Options) Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func turn(prompt string) engine.Turn { return engine.Turn{Prompt: engine.Plain(prompt)} }

func grammarOf(text string) engine.Grammar {
	return engine.Grammar{Text: text, Hash: sha256.Sum256([]byte(text))}
}

func say(t *testing.T, w *Worker, prompt string) string {
	t.Helper()
	s, err := w.Open(t.Context(), turn(prompt))
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := collect(t, s)
	if err != nil {
		t.Error(err)
	}
	return text
}

// collect reads a session to its end and closes it.
func collect(t *testing.T, s engine.Session) (string, error) {
	t.Helper()
	defer func() { _ = s.Close() }()
	var text strings.Builder
	for {
		u, err := s.Next(t.Context())
		if err != nil || u.Finish != nil {
			return text.String(), err
		}
		for _, token := range u.Tokens {
			text.Write(token.Bytes)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
