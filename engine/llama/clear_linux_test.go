//go:build cgo

package llama

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// TestClear_cellsTakeMemoryWhenTheyAreUsed: the cache of a context that nobody has used takes
// none, and one that was used and cleared says what a new one does.
func TestClear_cellsTakeMemoryWhenTheyAreUsed(t *testing.T) {
	shape := tinymodel.Shape{Layers: 2, KVHeads: 2, HeadSize: 32}
	// layers, keys and values, heads, numbers, bytes
	const cells, cache = 1 << 17, (1 << 17) * 2 * 2 * 2 * 32 * 2
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Shape: shape}, onCPU())
	small := newContext(t, m, ContextOptions{Size: 256})
	want := evaluate(t, small, 0, text(t, m, 40))
	before := resident(t)
	c := newContext(t, m, ContextOptions{Size: cells})
	if grown := resident(t) - before; grown > cache/2 {
		t.Errorf("a context whose cache has %d bytes takes %d", int(cache), grown)
	}
	for range 2 {
		evaluate(t, c, 0, text(t, m, 200))
		c.Clear()
		if got := evaluate(t, c, 0, text(t, m, 40)); distance(got, want) > 1e-3 {
			t.Error("logits after the cache was cleared differ from those of a new one")
		}
		c.Clear()
	}
}

// resident is how much memory the process has, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
