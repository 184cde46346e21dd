//go:build cgo

package llama

import (
	"bytes"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkMemory is how fast threads read memory that lies in huge pages, as weights do: what
// bounds the decoding of one stream.
func BenchmarkMemory(b *testing.B) {
	const size = 512 << 20
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = unix.Munmap(memory) })
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // without it the figure is lower
	for i := range memory {
		memory[i] = 1
	}
	for threads := 1; threads <= benchOption("THREADS", GrantedThreads()); threads++ {
		b.Run(strconv.Itoa(threads), func(b *testing.B) {
			least := time.Duration(math.MaxInt64)
			for b.Loop() {
				begin := time.Now()
				var all sync.WaitGroup
				for i := range threads {
					all.Go(func() { bytes.IndexByte(memory[size/threads*i:size/threads*(i+1)], 0) })
				}
				all.Wait()
				least = min(least, time.Since(begin))
			}
			b.ReportMetric(size/1e9/least.Seconds(), "most-GB/s")
		})
	}
}
