package main

import (
	"runtime"
	"sync"
	"time"
)

// bandwidth measures how fast this machine reads its memory, in bytes a second: the best of some
// runs with a thread on each processor. A model's weights are read once for each token of a single
// stream, so this is what bounds that.
func bandwidth() float64 {
	const each = 1 << 24 // words of 8 bytes: more than any cache holds
	threads := runtime.GOMAXPROCS(0)
	memory := make([][]uint64, threads)
	for i := range memory {
		memory[i] = make([]uint64, each)
		for k := 0; k < each; k += 512 {
			memory[i][k] = uint64(k) // each page becomes real
		}
	}
	best := time.Duration(1 << 62)
	for range 5 {
		began := time.Now()
		var wg sync.WaitGroup
		for _, m := range memory {
			wg.Go(func() { sink(sum(m)) })
		}
		wg.Wait()
		best = min(best, time.Since(began))
	}
	return float64(threads*each*8) / best.Seconds()
}

// sum reads everything, eight words at a time, so that reading is what takes the time.
func sum(m []uint64) uint64 {
	var a, b, c, d uint64
	for ; len(m) >= 8; m = m[8:] {
		a += m[0] + m[4]
		b += m[1] + m[5]
		c += m[2] + m[6]
		d += m[3] + m[7]
	}
	return a + b + c + d
}

//go:noinline
func sink(uint64) {}
