//go:build cgo

package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
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
		Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &cold}},
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

func TestGrammar_isObeyedByTheRealSampler(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 512})
		for seed := range uint32(5) {
			turn := engine.Turn{Prompt: engine.Plain("Answer: "), Logprobs: 1, Sampling: engine.Sampling{Seed: &seed}}
			turn.Grammar = `root ::= "{\"a\":" ("\"x\"" | "\"yy\"") ",\"b\":" [5-9] "}"`
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
	if !e.Model().Can.Embeddings {
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
