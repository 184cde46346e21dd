package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
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

// One connection carries as many turns at once as come, and nothing is left in the file system.
func TestWorker_turnsSideBySide(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("TMPDIR", dir)
	w := start(t, Options{Model: "fine"})
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			if got := say(t, w, "hi"); got != "hello" {
				t.Errorf("said %q", got)
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
		t.Errorf("in the file system: %v", left)
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

func TestWorker_grammarsArrive(t *testing.T) {
	w := start(t, Options{Model: "fine"})
	g := `root ::= "yes" | "no"`
	s, err := w.Open(t.Context(), engine.Turn{Prompt: engine.Plain("grammar"), Grammar: g})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := collect(t, s); got != g || err != nil {
		t.Errorf("the child has %q, %v", got, err)
	}
}

// A child that an evil file has taken over cannot fill the server's memory with a line that does
// not end.
func TestBoundedLines_endWhereALineDoesNot(t *testing.T) {
	lines := strings.Repeat(strings.Repeat("x", 99)+"\n", 50)
	got, err := io.ReadAll(&boundedLines{ReadCloser: io.NopCloser(iotest.HalfReader(strings.NewReader(lines))), most: 100})
	if string(got) != lines || err != nil {
		t.Errorf("%d of %d bytes, %v", len(got), len(lines), err)
	}
	endless := io.NopCloser(io.LimitReader(neverEnding('x'), 1<<30))
	got, err = io.ReadAll(&boundedLines{ReadCloser: endless, most: 1000})
	if err == nil || len(got) > 1<<16 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

type neverEnding byte

func (b neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(b)
	}
	return len(p), nil
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
			if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: 1, Grammar: "rest"}); err != nil {
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
