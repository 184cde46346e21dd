//go:build cgo

package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		if err := worker.Serve(context.Background(), os.Stdin, Load); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // llama.cpp tells a lot
	os.Exit(m.Run())
}

var kinds = []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow, tinymodel.Hybrid}

func eachKind(t *testing.T, test func(t *testing.T, path string)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(string(k), func(t *testing.T) { test(t, tinymodel.File(t, tinymodel.Options{Kind: k})) })
	}
}

func load(t *testing.T, o worker.Options) *runner.Runner {
	t.Helper()
	o.FlashAttention, o.Threads = worker.Off, 1
	e, err := Load(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e.(*runner.Runner)
}

// greedy is a turn without chance.
func greedy(prompt string, tokens int) engine.Turn {
	cold := float32(0)
	return engine.Turn{
		Prompt: engine.Plain(prompt), Budget: engine.Budget{Tokens: tokens}, Logprobs: -1,
		Sampling: engine.Sampling{Temperature: &cold},
	}
}

type answer struct {
	text   string
	ids    []int32
	tokens []engine.Token
	finish engine.Finish
}

func say(t *testing.T, e engine.Engine, turn engine.Turn) answer {
	t.Helper()
	s, err := e.Open(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, s)
}

func read(t *testing.T, s engine.Session) answer {
	t.Helper()
	defer func() { _ = s.Close() }()
	var a answer
	for {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range u.Tokens {
			a.text += string(token.Bytes)
			a.ids = append(a.ids, token.ID)
			a.tokens = append(a.tokens, token)
		}
		if u.Finish != nil {
			a.finish = *u.Finish
			return a
		}
	}
}

func grammarOf(text string) engine.Grammar {
	return engine.Grammar{Text: text, Hash: sha256.Sum256([]byte(text))}
}

// Issue 3: eight requests at once with a long beginning in common, and then a ninth.
func TestPrefix_isEvaluatedAndHeldOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 4096, Slots: 8, UBatchSize: 256})
		prefix := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 60)
		shared, err := r.Tokens(t.Context(), engine.Plain(prefix))
		if err != nil {
			t.Fatal(err)
		}
		own := 0
		var all sync.WaitGroup
		for i := range 8 {
			turn := greedy(fmt.Sprintf("%sAnd then number %d said:", prefix, i), 4)
			own += len("And then number 0 said:") + 4
			all.Go(func() { say(t, r, turn) })
		}
		all.Wait()
		s := r.Stats()
		if limit := int64(len(shared) + own + 8*256); s.Evaluated > limit {
			t.Errorf("%d tokens evaluated; the beginning has %d", s.Evaluated, len(shared))
		}
		if s.Cells > len(shared)+own+8 {
			t.Errorf("%d cells for a beginning of %d", s.Cells, len(shared))
		}
		ninth := say(t, r, greedy(prefix+"And then number 9 said:", 4))
		if ninth.finish.Usage.Cached < len(shared)-2 { // the last tokens may merge with what follows
			t.Errorf("the ninth takes %d of %d tokens from the cache", ninth.finish.Usage.Cached, len(shared))
		}
	})
}

// Going back, resuming and sharing must not change what the model says.
func TestMemory_cachedTurnsSayTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		fresh := load(t, worker.Options{Model: path, Context: 1024, Slots: 1})
		first := greedy("Once upon a time there was a small model. ", 40)
		first.CacheKey = "a"
		a := say(t, r, first)
		second := greedy("", 30)
		second.Prompt = append(first.Prompt, engine.Piece{Origin: engine.Kept, Tokens: a.ids}, engine.Piece{Text: " And so on."})
		second.CacheKey = "a"
		b := say(t, r, second)
		if b.finish.Usage.Cached < a.finish.Usage.Prompt+len(a.ids)-1 {
			t.Errorf("%d tokens cached, of %d that were there", b.finish.Usage.Cached, a.finish.Usage.Prompt+len(a.ids))
		}
		if want := say(t, fresh, second); want.text != b.text {
			t.Errorf("from the cache: %q\nfresh: %q", b.text, want.text)
		}
		if again := say(t, r, first); again.text != a.text || again.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
			t.Errorf("again: %q after %d cached\nfirst: %q", again.text, again.finish.Usage.Cached, a.text)
		}
	})
}

// What a finished turn leaves in the KV cache goes to host memory when others come, and back.
func TestMemory_movedTurnsSayTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		var first [3]answer
		turn := func(i int) engine.Turn {
			return greedy(fmt.Sprint("Once upon a time there was a small model, which had read ", i, " books about ", i, " lands. "), 30)
		}
		for i := range first {
			first[i] = say(t, r, turn(i))
		}
		for i, want := range first {
			got := say(t, r, turn(i))
			if got.text != want.text || got.finish.Usage.Cached != want.finish.Usage.Prompt-1 {
				t.Errorf("turn %d again: %q after %d of %d cached\nfirst: %q", i, got.text, got.finish.Usage.Cached, want.finish.Usage.Prompt, want.text)
			}
		}
		if cells, most := r.Stats().Cells, 1024/2; cells > most {
			t.Errorf("%d cells are in use", cells)
		}
	})
}

func TestCheck_goesBackAndSaysTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		turn := greedy("A prompt that is long enough to be worth keeping. ", 200)
		turn.Grammar = grammarOf(`root ::= "call " args:( "{" [a-z]{20,30} "}" ) %check [0-9]{12}`)
		s, err := r.Open(t.Context(), turn)
		if err != nil {
			t.Fatal(err)
		}
		first := toCheck(t, s)
		if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: first.check.Offset}); err != nil {
			t.Fatal(err)
		}
		second := toCheck(t, s)
		if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
			t.Fatal(err)
		}
		rest := read(t, s)
		// Greedy sampling repeats itself wherever memory was restored rightly.
		if call := first.text[strings.Index(first.text, "{"):]; !strings.HasSuffix(second.text, call) {
			t.Errorf("first %q, again %q", call, second.text)
		}
		whole := say(t, load(t, worker.Options{Model: path, Context: 1024, Slots: 1}), withoutCheck(turn))
		if got := first.text + rest.text; got != whole.text {
			t.Errorf("with a rewind: %q\nwithout: %q", got, whole.text)
		}
	})
}

func withoutCheck(t engine.Turn) engine.Turn {
	t.Grammar = grammarOf(strings.Replace(t.Grammar.Text, "%check ", "", 1))
	return t
}

type checked struct {
	answer
	check engine.Check
}

func toCheck(t *testing.T, s engine.Session) checked {
	t.Helper()
	var c checked
	for {
		u, err := s.Next(t.Context())
		if err != nil || u.Finish != nil {
			t.Fatalf("no check but %v %+v after %q", err, u.Finish, c.text)
		}
		for _, token := range u.Tokens {
			c.text += string(token.Bytes)
		}
		if u.Check != nil {
			c.check = *u.Check
			return c
		}
	}
}

func TestGrammar_isObeyedByTheRealSampler(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 512})
		for seed := range uint32(5) {
			turn := engine.Turn{Prompt: engine.Plain("Answer: "), Logprobs: 1, Sampling: engine.Sampling{Seed: &seed}}
			turn.Grammar = grammarOf(`root ::= "{\"a\":" ("\"x\"" | "\"yy\"") ",\"b\":" [5-9] "}"`)
			a := say(t, r, turn)
			if !strings.HasPrefix(a.text, `{"a":"`) || !strings.Contains(a.text, `,"b":`) || a.finish.Reason != engine.Stop {
				t.Errorf("%s: %q", a.finish.Reason, a.text)
			}
			for _, token := range a.tokens {
				if p := float64(token.Logprob); p > 0 || math.IsNaN(p) || len(token.Top) != 1 || token.Top[0].Logprob < token.Logprob {
					t.Errorf("logprobs of %q: %+v", token.Bytes, token)
				}
			}
		}
	})
}

func TestTokens_contentIsText(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		e := load(t, worker.Options{Model: path, Context: 512})
		for _, m := range e.Model().Vocab.Markers {
			ids, err := e.Tokens(t.Context(), engine.Prompt{{Text: "a " + m.Text + " b", Origin: engine.Content}})
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				if id == m.ID && i > 0 {
					t.Errorf("content %q yields the marker", m.Text)
				}
			}
			ids, err = e.Tokens(t.Context(), engine.Prompt{{Text: m.Text, Origin: engine.Symbolic}})
			if err != nil || len(ids) == 0 || ids[len(ids)-1] != m.ID {
				t.Errorf("symbol %q: %v %v", m.Text, ids, err)
			}
		}
		text := "Once upon a time, 12 models met."
		ids, err := e.Tokens(t.Context(), engine.Prompt{{Text: text[:7]}, {Text: text[7:], Origin: engine.Content}})
		whole, _ := e.Tokens(t.Context(), engine.Plain(text))
		if fmt.Sprint(ids) != fmt.Sprint(whole) || err != nil {
			t.Errorf("in two pieces %v, in one %v", ids, whole)
		}
		back, err := e.Text(t.Context(), ids, false)
		if strings.TrimPrefix(string(back), " ") != text || err != nil {
			t.Errorf("back as text: %q %v", back, err)
		}
	})
}

func TestEmbed_vectorsHaveLengthOne(t *testing.T) {
	e := load(t, worker.Options{Model: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.Embedding})})
	if !e.Model().Embeddings {
		t.Error("the model does not say that it embeds")
	}
	v, err := e.Embed(t.Context(), []engine.Prompt{engine.Plain("one text"), engine.Plain("another"), engine.Plain("one text")})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, x := range v[0].Vector {
		sum += float64(x) * float64(x)
		if x != v[2].Vector[i] {
			t.Fatal("equal texts have different vectors")
		}
	}
	if math.Abs(sum-1) > 1e-4 || fmt.Sprint(v[0].Vector) == fmt.Sprint(v[1].Vector) {
		t.Errorf("length² %f, or different texts have one vector", sum)
	}
	if _, err := e.Open(t.Context(), greedy("x", 1)); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("an embedding model opens a turn: %v", err)
	}
	chat := load(t, worker.Options{Model: tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), Context: 256})
	if _, err := chat.Embed(t.Context(), []engine.Prompt{engine.Plain("x")}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("a chat model embeds: %v", err)
	}
}

func TestWorker_runsRealModelsInAChild(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		var reached float64
		w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, Progress: func(p float64) { reached = p }})
		in := load(t, worker.Options{Model: path, Context: 512})
		turn := greedy("Once upon a time", 30)
		turn.Grammar = grammarOf(`root ::= ([a-z]+ " "){5,8} "."`)
		if got, want := say(t, w, turn), say(t, in, turn); got.text != want.text {
			t.Errorf("in a child %q, in-process %q", got.text, want.text)
		}
		if w.Model().Rewind != in.Model().Rewind || w.Model().Vocab.Size != in.Model().Vocab.Size {
			t.Errorf("model: %+v", w.Model())
		}
		stats, err := w.Stats(t.Context())
		if err != nil || stats.Evaluated == 0 || reached == 0 {
			t.Errorf("%+v %v, loading reached %v", stats, err, reached)
		}
	})
}

// Issue 3: 200 concurrent requests on 2 slots: all answered or refused, none lost; and a kill -9 loses none silently.
func TestWorker_crowdedAndKilled(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, Slots: 2, Queue: 100})
	count := func(kill bool) map[string]int {
		outcomes := make(chan string)
		for i := range 200 {
			go func() { outcomes <- outcome(t, w, greedy(fmt.Sprint("turn ", i), 8)) }()
		}
		counts := map[string]int{}
		for n := range 200 {
			if n == 120 && kill {
				_ = syscall.Kill(w.PID(), syscall.SIGKILL)
			}
			counts[<-outcomes]++
		}
		return counts
	}
	if c := count(false); c["answered"] < 102 || c["answered"]+c["busy"] != 200 {
		t.Errorf("%v", c)
	}
	if c := count(true); c["answered"] == 0 || c["answered"]+c["busy"]+c["lost"] != 200 {
		t.Errorf("killed: %v", c)
	}
	if got := outcome(t, w, greedy("again", 8)); got != "answered" {
		t.Errorf("afterwards: %s", got)
	}
}

func outcome(t *testing.T, w *worker.Worker, turn engine.Turn) string {
	s, err := w.Open(t.Context(), turn)
	for err == nil {
		var u engine.Update
		if u, err = s.Next(t.Context()); err == nil && u.Finish != nil {
			return "answered"
		}
	}
	switch {
	case errors.Is(err, engine.ErrBusy):
		return "busy"
	case errors.Is(err, engine.ErrWorkerLost):
		return "lost"
	}
	return err.Error()
}

func TestFlashAttention_isMeasuredOnce(t *testing.T) {
	path, dir := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), t.TempDir()
	var logged bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	defer slog.SetDefault(before)
	for range 2 {
		e, err := Load(t.Context(), worker.Options{Model: path, Context: 256, StateDir: dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = e.Close()
	}
	if n := strings.Count(logged.String(), "flash attention measured"); n != 1 {
		t.Errorf("measured %d times:\n%s", n, logged.String())
	}
}

func TestWorker_badFilesAreErrors(t *testing.T) {
	good, err := os.ReadFile(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "not a gguf": []byte("MZ, and then something else altogether"),
		"cut in the header": good[:64], "cut in the weights": good[:len(good)*3/4],
	} {
		path := filepath.Join(t.TempDir(), "bad.gguf")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := worker.Start(t.Context(), worker.Options{Name: "bad", Model: path, Log: slog.New(slog.DiscardHandler)})
		if err == nil || errors.Is(err, engine.ErrWorkerLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	unknown := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Architecture: "nobody-knows"})
	_, err = worker.Start(t.Context(), worker.Options{Name: "new", Model: unknown, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "nobody-knows") {
		t.Errorf("unknown architecture: %v", err)
	}
}

func start(t *testing.T, o worker.Options) *worker.Worker {
	t.Helper()
	o.FlashAttention, o.Threads, o.Log = worker.Off, 1, slog.New(slog.DiscardHandler)
	w, err := worker.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}
