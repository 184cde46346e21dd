//go:build cgo

package llama

import (
	"context"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// The model is TENON_BENCH_MODEL; threads, flash attention, tokens of a prompt, tokens evaluated
// at a time and depth are TENON_BENCH_THREADS, _FLASH, _PROMPT, _UBATCH and _DEPTH. On a machine
// that others use, one thread's CPU time says more than the time that passes.

func benchOption(name string, missing int) int {
	if n, err := strconv.Atoi(os.Getenv("TENON_BENCH_" + name)); err == nil {
		return n
	}
	return missing
}

func benchContext(b *testing.B, size int) *Context {
	path := os.Getenv("TENON_BENCH_MODEL")
	if path == "" {
		b.Skip("TENON_BENCH_MODEL names no model")
	}
	m, err := Load(context.Background(), path, ModelOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(m.Close)
	c, err := m.NewContext(ContextOptions{
		Size: size, Threads: benchOption("THREADS", 0), MicroBatch: benchOption("UBATCH", 0), SWAFull: true,
		Flash: FlashAttention(os.Getenv("TENON_BENCH_FLASH")),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}

// fill has n tokens evaluated, as many at a time as the runner does, and returns the CPU time that
// it took.
func fill(b *testing.B, c *Context, n int) (cpu time.Duration) {
	for ; n > 0; n -= c.Options().MicroBatch {
		cpu += decodeTokens(b, c, min(n, c.Options().MicroBatch))
	}
	return cpu
}

func decodeTokens(b *testing.B, c *Context, n int) time.Duration {
	return decodeBatch(b, c, n, n-1)
}

// decodeOutputs is decodeTokens with the logits of each.
func decodeOutputs(b *testing.B, c *Context, n int) { decodeBatch(b, c, n, 0) }

func decodeBatch(b *testing.B, c *Context, n, firstOutput int) time.Duration {
	batch := NewBatch(n, 1)
	defer batch.Close()
	at := c.MaxPosition(0) + 1
	for i := range n {
		if _, err := batch.Add(int32(1000+i), at+i, i >= firstOutput, 0); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Decode(context.Background(), batch); err != nil {
		b.Fatal(err)
	}
	return time.Duration(c.job.c.effort.cpu_ns)
}

func BenchmarkPrompt(b *testing.B) {
	n := benchOption("PROMPT", 900)
	c := benchContext(b, n)
	fill(b, c, n)
	least := time.Duration(math.MaxInt64) // what others do only adds to it
	for b.Loop() {
		c.Clear()
		least = min(least, fill(b, c, n))
	}
	b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "tok/s")
	b.ReportMetric(float64(least.Microseconds())/float64(n), "least-cpu-µs/tok")
}

// BenchmarkDecodeBesideBusyProcess is the same while another process keeps one core busy.
func BenchmarkDecodeBesideBusyProcess(b *testing.B) {
	busy := exec.Command("sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		b.Skip("no shell: ", err)
	}
	b.Cleanup(func() {
		_ = busy.Process.Kill()
		_ = busy.Wait() // killed
	})
	BenchmarkDecode(b)
}

func BenchmarkDecode(b *testing.B) {
	depth := benchOption("DEPTH", 0)
	c := benchContext(b, 4096)
	if depth > 0 {
		fill(b, c, depth)
	}
	fill(b, c, 1)
	n := 0
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		if n++; n == 256 {
			c.Cut(0, depth+1)
			n = 0
		}
		least = min(least, fill(b, c, 1))
	}
	b.ReportMetric(float64(least.Microseconds()), "least-cpu-µs/tok")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tok/s")
}

// BenchmarkSteps has 1 to 16 tokens of one sequence evaluated, each with its logits, as drafts
// have it. What a step costs beside one of a single token is measured in turn with it.
func BenchmarkSteps(b *testing.B) {
	depth := benchOption("DEPTH", 1)
	c := benchContext(b, 4096)
	fill(b, c, depth)
	sizes := []int{1, 2, 3, 4, 6, 8, 12, 16}
	least := make([]time.Duration, len(sizes))
	for b.Loop() {
		for i, n := range sizes {
			for range 4 {
				begin := time.Now()
				decodeOutputs(b, c, n)
				if took := time.Since(begin); least[i] == 0 || took < least[i] {
					least[i] = took
				}
				c.Cut(0, depth)
			}
		}
	}
	for i, n := range sizes {
		b.ReportMetric(float64(least[i].Microseconds())/1000, "ms/"+strconv.Itoa(n))
		b.ReportMetric(float64(least[i])/float64(least[0]), "steps/"+strconv.Itoa(n))
	}
}
