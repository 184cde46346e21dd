package tinymodel

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const adapterRank = 4

// AdapterFile writes a LoRA adapter with random weights for a tiny model of the kind, to the
// test's temporary folder, and returns its path.
func AdapterFile(t testing.TB, k Kind) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "adapter.gguf")
	if err := writeAdapter(path, k); err != nil {
		t.Fatal(err)
	}
	return path
}

func writeAdapter(path string, k Kind) error {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write adapter: %w", err)
	}
	s := Shape{}.complete(k)
	f := file{seed: 1}
	f.set("general.type", "adapter")
	f.set("general.architecture", architectures[k])
	f.set("adapter.type", "lora")
	f.set("adapter.lora.alpha", float32(adapterRank))
	for i := range s.Layers {
		name := fmt.Sprintf("blk.%d.ffn_up.weight", i)
		f.plain(name+".lora_a", 0.3, s.Embedding, adapterRank)
		f.plain(name+".lora_b", 0.3, adapterRank, s.FeedForward)
	}
	w := bufio.NewWriter(out)
	err = f.write(w)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}
