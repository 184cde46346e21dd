//go:build cgo

package native

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
)

// The benchmarks run a worker on the model that TENON_BENCH_MODEL names, else on a tiny one, which
// shows what the worker itself costs. They report tokens per second: ns/op says nothing here.

func benchWorker(b *testing.B, o worker.Options) *worker.Worker {
	b.Helper()
	o.Model = os.Getenv("TENON_BENCH_MODEL")
	if o.Model == "" {
		o.Model = tinymodel.File(b, tinymodel.Options{Kind: tinymodel.FullAttention})
	}
	o.Log, o.Context = slog.New(slog.DiscardHandler), 4096
	o.UBatchSize, _ = strconv.Atoi(os.Getenv("TENON_BENCH_UBATCH"))
	o.FlashAttention = worker.Switch(cmp.Or(os.Getenv("TENON_BENCH_FLASH"), "off"))
	w, err := worker.Start(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = w.Close() })
	return w
}

func finish(b *testing.B, w *worker.Worker, turn engine.Turn) engine.Finish {
	b.Helper()
	s, err := w.Open(b.Context(), turn)
	if err != nil {
		b.Error(err)
		return engine.Finish{}
	}
	defer func() { _ = s.Close() }()
	for {
		u, err := s.Next(b.Context())
		if err != nil {
			b.Error(err)
			return engine.Finish{}
		}
		if u.Finish != nil {
			return *u.Finish
		}
	}
}

func BenchmarkPrompt(b *testing.B) {
	w := benchWorker(b, worker.Options{})
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100)
	tokens, spent := 0, time.Duration(0)
	for i := range b.N {
		f := finish(b, w, greedy(fmt.Sprint(i, text), 1))
		tokens += f.Usage.Prompt - f.Usage.Cached
		spent += f.Timing.Prompt
	}
	b.ReportMetric(float64(tokens)/spent.Seconds(), "tok/s")
}

func BenchmarkDecode(b *testing.B) {
	for name, g := range map[string]string{"free": "", "tool": toolGrammar} {
		b.Run(name, func(b *testing.B) {
			w := benchWorker(b, worker.Options{})
			tokens, spent, mask := 0, time.Duration(0), time.Duration(0)
			for range b.N {
				f := finish(b, w, long(g))
				tokens += f.Usage.Generated
				spent += f.Timing.Decode
				mask += f.Timing.Mask
			}
			b.ReportMetric(float64(tokens)/spent.Seconds(), "tok/s")
			b.ReportMetric(float64(mask.Microseconds())/float64(tokens), "mask-µs/tok")
		})
	}
}

// toolGrammar is a call whose argument is long enough to measure at.
const toolGrammar = `root ::= "<tool_call>" %json{"type":"object","properties":{"name":{"const":"write"},"arguments":{"type":"object",` +
	`"properties":{"path":{"type":"string","maxLength":30},"mode":{"enum":["append","replace"]},"text":{"type":"string","minLength":300,"maxLength":400}},` +
	`"required":["path","mode","text"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}[order=declared, space=bounded] "</tool_call>"`

// long is a turn that does not end soon.
func long(g string) engine.Turn {
	turn := greedy("Once upon a time there was", 128)
	if turn.Grammar = g; g != "" {
		turn.Budget.Tokens = 0 // the grammar ends it
		penalty := float32(1.3)
		turn.Sampling.RepeatPenalty = &penalty // else the string never ends
	}
	return turn
}

func BenchmarkFourStreams(b *testing.B) {
	w := benchWorker(b, worker.Options{Slots: 4})
	tokens, begin := 0, time.Now()
	for range b.N {
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 4 {
			all.Go(func() {
				f := finish(b, w, long(""))
				mu.Lock()
				defer mu.Unlock()
				tokens += f.Usage.Generated
			})
		}
		all.Wait()
	}
	b.ReportMetric(float64(tokens)/time.Since(begin).Seconds(), "tok/s")
}
