package worker

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

func TestKeepIn_eachModelAndShapeHasItsFolder(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]string{}
	for name, o := range map[string]Options{
		"one":           {Model: "/models/a.gguf"},
		"another model": {Model: "/models/b.gguf"},
		"same name":     {Model: "/other/a.gguf"},
		"another cache": {Model: "/models/a.gguf", CacheTypeK: "q8_0"},
		"an adapter":    {Model: "/models/a.gguf", LoRA: []Adapter{{Path: "x"}}},
	} {
		o.StateDir, o.DiskCache, o.Log = dir, 1, slog.Default()
		in := o.keepIn()
		if info, err := os.Stat(in); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if other, found := seen[in]; found {
			t.Errorf("%s and %s share %s", name, other, in)
		}
		seen[in] = name
	}
	for name, o := range map[string]Options{
		"no budget": {Model: "a", StateDir: dir}, "no folder": {Model: "a", DiskCache: 1},
		"no memory": {Model: "a", StateDir: dir, DiskCache: 1, VocabOnly: true},
	} {
		if in := o.keepIn(); in != "" {
			t.Errorf("%s: it keeps in %s", name, in)
		}
	}
}

// All models together keep to the budget when one is loaded or goes.
func TestClose_trimsWhatIsTooMuch(t *testing.T) {
	dir := t.TempDir()
	stray := filepath.Join(dir, prefixes, "other", "of-k", "a.kv")
	write := func() {
		if err := os.MkdirAll(filepath.Dir(stray), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(stray, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	w := start(t, Options{Model: "fine", StateDir: dir, DiskCache: 50})
	if _, err := os.Stat(stray); err == nil {
		t.Error("it is there after a load")
	}
	write()
	_ = w.Close()
	if _, err := os.Stat(stray); err == nil {
		t.Error("it is there after an unload")
	}
}
