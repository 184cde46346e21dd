package lmstudio_test

import (
	"strings"
	"testing"

	"tenon/engine"
	"tenon/models/fleet"
	"tenon/server/lmstudio"
	"tenon/server/servertest"
)

// Clients type names as they know them: a key, a repository, a file's path, a part.
func TestModels_areFoundByWhatPeopleType(t *testing.T) {
	models, o := servertest.Fleet(map[string]engine.Engine{
		"llama-3.2-1b": servertest.Obedient(engine.Model{Context: 100}),
		"qwen-4b":      servertest.Obedient(engine.Model{Context: 100}),
		"qwen-8b":      servertest.Obedient(engine.Model{Context: 100}),
	}, func(o *fleet.Options) {
		known := o.Catalog.Entries
		known[0].Repo = "Meta/Llama-3.2-1B-GGUF"
	})
	t.Cleanup(func() { _ = models.Close() }) // scripted engines close well
	m := lmstudio.Models{Fleet: models, Traits: o.Traits}
	for _, name := range []string{"llama-3.2-1b", "LLAMA-3.2-1b", "meta/llama-3.2-1b-gguf", "meta/llama-3.2-1b", "Meta/Llama-3.2-1B-GGUF/llama-3.2-1b-Q4_K_M.gguf", "llama"} {
		found, err := m.Find(name)
		if err != nil || found.ID != "llama-3.2-1b" || found.Publisher() != "Meta" {
			t.Errorf("%s: %s of %s, %v", name, found.ID, found.Publisher(), err)
		}
	}
	for _, name := range []string{"qwen-4b", "local/qwen-4b", "local/qwen-4b/qwen-4b-Q4_K_M.gguf"} {
		if found, err := m.Find(name); err != nil || found.ID != "qwen-4b" || found.Publisher() != "local" {
			t.Errorf("%s: %s of %s, %v", name, found.ID, found.Publisher(), err)
		}
	}
	for name, want := range map[string]string{"qwen": "qwen-8b", "gemma": "there is no model \"gemma\""} {
		if _, err := m.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := models.Load(t.Context(), fleet.Request{Name: "llama-3.2-1b", ID: "mine"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine", "llama-3.2-1b", "meta/llama-3.2-1b", "llama"} {
		if i, ok := m.FindLoaded(name); !ok || i.ID != "mine" {
			t.Errorf("%s: %s, %t", name, i.ID, ok)
		}
	}
	if lmstudio.LoadError(nil) != nil {
		t.Error("no error became one")
	}
}
