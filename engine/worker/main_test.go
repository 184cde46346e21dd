package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"tenon/engine"
)

// The test binary is also the child: Start runs it with the argument "worker". What its engine
// does is told by the model's path and by the prompt.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		if err := Serve(context.Background(), os.Stdin, loadPuppet); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "parent" {
		beParent()
	}
	// children of a race-detecting binary would end a second late
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// beParent starts a worker, tells both process ids and waits to be killed.
func beParent() {
	w, err := Start(context.Background(), Options{Model: "fine", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(w.current.cmd.Process.Pid)
	select {}
}

// spy is what the model "spies" does; Linux alone has a sandbox to try.
var spy func(where string) (found map[string]string)

func loadPuppet(ctx context.Context, o Options, progress func(float64)) (engine.Engine, error) {
	progress(0.5)
	switch o.Model {
	case "never loads":
		<-ctx.Done()
		return nil, ctx.Err()
	case "not a model":
		return nil, errors.New("not a GGUF file: it begins with \"MZ\"")
	case "aborts":
		fmt.Fprintln(os.Stderr, "puppet.c:12: PUPPET_ASSERT(strings > 0) failed")
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if strings.HasSuffix(o.Model, "/fate") {
		if fate, err := os.ReadFile(o.Model); err != nil || string(fate) != "live" {
			os.Exit(7)
		}
	}
	p := &puppet{options: o}
	if o.Model == "spies" {
		p.found = spy(o.Template)
	}
	slog.Info("puppet loaded", "path", o.Model)
	return p, nil
}

// live is the path of a model whose children live, until it says otherwise.
func live(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "fate")
	decide(t, path, "live")
	return path
}

func decide(t *testing.T, path, fate string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(fate), 0o600); err != nil {
		t.Fatal(err)
	}
}

type puppet struct {
	options Options
	found   map[string]string // by a spy
}

func (p *puppet) Model() engine.Model {
	return engine.Model{Architecture: "puppet", Description: p.options.Model, Context: 100, Slots: 2, Metadata: p.found}
}

func (p *puppet) Tokens(_ context.Context, prompt engine.Prompt) ([]int32, error) {
	var ids []int32
	for _, piece := range prompt {
		for _, b := range []byte(piece.Text) {
			ids = append(ids, int32(b))
		}
		ids = append(ids, piece.Tokens...)
	}
	return ids, nil
}

func (p *puppet) Text(_ context.Context, ids []int32, _ bool) ([]byte, error) {
	var text []byte
	for _, id := range ids {
		text = append(text, byte(id))
	}
	return text, nil
}

func (p *puppet) Embed(_ context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	if len(prompts) == 0 {
		return nil, engine.ErrUnsupported
	}
	return []engine.Embedding{{Vector: []float32{0.5, -1}, Tokens: len(prompts[0].String())}}, nil
}

func (p *puppet) Close() error { return nil }

func (p *puppet) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	s := &puppetSession{turn: t, text: t.Prompt.String(), verdicts: make(chan engine.Verdict, 1), concluded: make(chan struct{})}
	s.conclude = sync.OnceFunc(func() { close(s.concluded) })
	switch s.text {
	case "busy":
		return nil, &engine.BusyError{RetryAfter: 3_000_000_000}
	case "too long":
		return nil, fmt.Errorf("open: %w", &engine.ContextError{Prompt: 101, Context: 100})
	case "never accepted":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s, nil
}

// puppetSession says "hello" token by token, unless its prompt tells otherwise.
type puppetSession struct {
	turn     engine.Turn
	text     string
	step     int
	verdicts chan engine.Verdict

	concluded chan struct{}
	conclude  func() // more than once, as a session's may be: the turn may end meanwhile
}

func (s *puppetSession) Next(ctx context.Context) (engine.Update, error) {
	s.step++
	if s.text == "wait for a slot" {
		<-ctx.Done()
		return engine.Update{}, ctx.Err()
	}
	if s.step == 1 {
		return engine.Update{Progress: &engine.Progress{Total: len(s.text), Evaluated: len(s.text)}}, nil
	}
	word := "hello"
	switch {
	case s.text == "stay in the prompt", s.text == "stay in the call" && s.step == 4:
		<-ctx.Done()
		return engine.Update{}, ctx.Err()
	case s.text == "grammar":
		word = s.turn.Grammar
	case s.text == "bias":
		word = fmt.Sprint(s.turn.Sampling.LogitBias)
	case s.text == "fail" && s.step == 4:
		return engine.Update{}, fmt.Errorf("decode: %w", engine.ErrUnsupported)
	case s.text == "check" && s.step == 3:
		return engine.Update{Tokens: []engine.Token{{Bytes: []byte("e")}}, Check: &engine.Check{Capture: "args", Offset: 1}}, nil
	case s.text == "check" && s.step > 3:
		v := <-s.verdicts
		s.text, s.step = v.Grammar, 2
		return engine.Update{Tokens: []engine.Token{{Kind: engine.Forced, Bytes: []byte(fmt.Sprint(v.Rewind, v.Offset))}}}, nil
	case s.text == "never ends" && s.step == 4:
		<-s.concluded
		return engine.Update{Finish: &engine.Finish{Reason: engine.Stop}}, nil
	case strings.HasPrefix(s.text, "flood"):
		return engine.Update{Tokens: slices.Repeat([]engine.Token{{Bytes: []byte("flood ")}}, 100)}, nil
	}
	if i := s.step - 2; i < len(word) {
		return engine.Update{Tokens: []engine.Token{{ID: int32(word[i]), Bytes: []byte(word[i : i+1])}}}, nil
	}
	if s.step-2 == len(word) {
		return engine.Update{Finish: &engine.Finish{Reason: engine.Stop, Usage: engine.Usage{Generated: len(word)}}}, nil
	}
	return engine.Update{}, io.EOF
}

func (s *puppetSession) Decide(_ context.Context, v engine.Verdict) error {
	s.verdicts <- v
	return nil
}

func (s *puppetSession) Conclude(context.Context) error {
	s.conclude()
	return nil
}

func (s *puppetSession) Close() error { return nil }
