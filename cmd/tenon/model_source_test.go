package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// A model is named to parse, render and show as it is to serve.
func TestModelSource_fileFolderIDAndAlias(t *testing.T) {
	const template = `{% for m in messages %}{{ m.content }}{% endfor %}{% if add_generation_prompt %}<think>{% endif %}{# <tool_call> <think></think> #}`
	dir, store := t.TempDir(), t.TempDir()
	file := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Template: template})
	copyFile(t, file, filepath.Join(dir, "Tiny-1B.gguf"))
	copyFile(t, file, filepath.Join(store, "fetched.gguf"))
	t.Setenv("TENON_MODELS", store)
	t.Setenv("TENON_MODELS_DIR", dir)
	t.Setenv("TENON_ALIAS", "small=tiny-1b")
	const want = `"reasoning_content":"hm"`
	if err := os.WriteFile(filepath.Join(store, "names.json"), []byte(`{"given":"fetched"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, dir, "tiny-1b", "TINY-1B", "small", "fetched", "tiny", "given"} {
		if got, err := runParse(t, "hm</think>Hi", "--model", name); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v: %s", name, err, got)
		}
	}
	if _, err := runParse(t, "", "--model", "nobody"); err == nil || !strings.Contains(err.Error(), "tiny-1b, small, fetched, given") {
		t.Errorf("an unknown model: %v", err)
	}
	copyFile(t, file, filepath.Join(dir, "other.gguf"))
	if _, err := runParse(t, "", "--model", dir); err == nil || !strings.Contains(err.Error(), "holds 2 models") {
		t.Errorf("a folder of several: %v", err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
