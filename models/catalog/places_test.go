package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// home is a user's folder in which every program that keeps models has some.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	model := string(emptyGGUF)
	for path, text := range map[string]string{
		".lmstudio/models/lmstudio-community/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf":       model,
		".lmstudio/models/lmstudio-community/Qwen3-4B-GGUF/mmproj-F16.gguf":            model,
		".lmstudio/models/lmstudio-community/Qwen3-4B-GGUF/Qwen3-0.6B-draft-Q8_0.gguf": model,
		".lmstudio/hub/models/qwen/qwen3-4b/model.yaml": "model: qwen/qwen3-4b\nbase:\n  - key: lmstudio-community/qwen3-4b-gguf\nconfig:\n  load:\n    fields:\n" +
			"      - {key: llm.load.contextLength, value: 8192}\n  operation:\n    fields:\n      - {key: llm.prediction.topPSampling, value: {checked: true, value: 0.8}}\n",
		".ollama/models/manifests/registry.ollama.ai/library/llama3.2/latest": `{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:aa"},` +
			`{"mediaType":"application/vnd.ollama.image.params","digest":"sha256:bb"}]}`,
		".ollama/models/blobs/sha256-aa":                                                     model,
		".ollama/models/blobs/sha256-bb":                                                     `{"temperature":0.25,"num_ctx":16384,"stop":["x"]}`,
		".cache/huggingface/hub/models--bartowski--Phi-4-GGUF/refs/main":                     "new",
		".cache/huggingface/hub/models--bartowski--Phi-4-GGUF/snapshots/new/phi-4-Q6_K.gguf": model,
		".cache/huggingface/hub/models--bartowski--Phi-4-GGUF/snapshots/old/phi-4-Q2_K.gguf": model,
		".cache/llama.cpp/ggml-org_gemma-3-1b-it-GGUF_gemma-3-1b-it-Q4_K_M.gguf":             model,
		".cache/llama.cpp/manifest=ggml-org=gemma-3-1b-it-GGUF=latest.json":                  "{}",
		"store/hf/Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf":                                 model,
		"store/hf/Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf.json":                            `{"source":"hf:Qwen/Qwen3-0.6B-GGUF:Q8_0"}`,
		"store/ollama/registry.ollama.ai/library/yi/mini.gguf":                               model,
		"store/ollama/registry.ollama.ai/library/yi/mini.gguf.json":                          `{"source":"ollama:yi:mini","template":"<|im_start|>","parameters":"{\"top_k\":7}"}`,
		"store/hf/Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q4_0.gguf.part":                            model,
		"store/hf/Qwen/Qwen3-0.6B-GGUF/BF16/Qwen3-0.6B-BF16.gguf":                            model,
	} {
		put(t, filepath.Join(dir, path), text)
	}
	t.Setenv("HOME", dir)
	return dir
}

func whole(t *testing.T) *Catalog {
	t.Helper()
	dir := home(t)
	c := &Catalog{}
	places := append([]Place{{OwnStore, filepath.Join(dir, "store")}}, KnownPlaces(func(string) string { return "" })...)
	if skipped := c.Look(places...); len(skipped) > 0 {
		t.Fatal(skipped)
	}
	return c
}

func TestLook_findsWhatEveryProgramKeeps(t *testing.T) {
	c := whole(t)
	got := map[string]Entry{}
	for _, e := range c.All() {
		got[e.ID] = e
	}
	for id, want := range map[string]string{
		"qwen3-4b-q4_k_m":      "lmstudio lmstudio-community/Qwen3-4B-GGUF",
		"llama3.2:latest":      "ollama library/llama3.2",
		"phi-4-q6_k":           "huggingface bartowski/Phi-4-GGUF",
		"gemma-3-1b-it-q4_k_m": "llama.cpp ggml-org/gemma-3-1b-it-GGUF",
		"qwen3-0.6b-q8_0":      "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0 Qwen/Qwen3-0.6B-GGUF",
		"qwen3-0.6b-bf16":      "store Qwen/Qwen3-0.6B-GGUF",
		"yi:mini":              "ollama:yi:mini ",
	} {
		if e := got[id]; e.Source+" "+e.Repo != want {
			t.Errorf("%s: %s %s, want %s", id, e.Source, e.Repo, want)
		}
	}
	if e := got["yi:mini"]; e.Sampling.TopK == nil || *e.Sampling.TopK != 7 || !strings.Contains(e.Fallback, "<|im_start|>") {
		t.Errorf("what Ollama's registry has beside a model: %+v", e)
	}
	if len(got) != 7 {
		t.Errorf("%d models: %q", len(got), c.Names())
	}
	if e := got["llama3.2:latest"]; e.Context != 16384 || e.Sampling.Temperature == nil || *e.Sampling.Temperature != 0.25 {
		t.Errorf("Ollama's parameters: %+v", e)
	}
	if e := got["qwen3-4b-q4_k_m"]; e.Context != 8192 || e.Sampling.TopP == nil || *e.Sampling.TopP != 0.8 {
		t.Errorf("LM Studio's model.yaml: %+v", e)
	}
}

func TestResolve_namesAsPeopleTypeThem(t *testing.T) {
	c := whole(t)
	for name, want := range map[string]string{
		"QWEN3-4B-Q4_K_M": "qwen3-4b-q4_k_m", "Qwen3-4B-Q4_K_M.gguf": "qwen3-4b-q4_k_m", "qwen/qwen3-4b": "qwen3-4b-q4_k_m",
		"lmstudio-community/Qwen3-4B-GGUF": "qwen3-4b-q4_k_m", "lmstudio-community/qwen3-4b": "qwen3-4b-q4_k_m",
		"lmstudio-community/Qwen3-4B-GGUF/Qwen3-4B-Q4_K_M.gguf": "qwen3-4b-q4_k_m", "qwen3-4b@q4_k_m": "qwen3-4b-q4_k_m",
		"hf:Qwen/Qwen3-0.6B-GGUF:Q8_0": "qwen3-0.6b-q8_0", "qwen3-0.6b:bf16": "qwen3-0.6b-bf16", "llama3.2": "llama3.2:latest",
		"library/llama3.2": "llama3.2:latest", "phi": "phi-4-q6_k", "gemma-3": "gemma-3-1b-it-q4_k_m", "bartowski/Phi-4-GGUF": "phi-4-q6_k",
	} {
		if e, err := c.Resolve(name); err != nil || e.ID != want {
			t.Errorf("%s: %q, %v; want %s", name, e.ID, err, want)
		}
	}
	var many *AmbiguousError
	for _, name := range []string{"qwen", "Qwen/Qwen3-0.6B-GGUF", "qwen3"} {
		if _, err := c.Resolve(name); !errors.As(err, &many) || len(many.Candidates) < 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
	var none *NotFoundError
	for _, name := range []string{"wen3", "gpt-4o", "x", "phi:q8_0", ""} {
		if e, err := c.Resolve(name); !errors.As(err, &none) {
			t.Errorf("%s: %q, %v", name, e.ID, err)
		}
	}
}

// The catalogue looks again when it is asked, not too often: its clock is turned back here.
func TestLook_seesWhatComesAndGoes(t *testing.T) {
	dir := t.TempDir()
	c := &Catalog{}
	var told []string
	c.Look(Place{Folder, dir})
	c.Found = func(e *Entry) { told = append(told, e.ID); e.Context = 77 }
	later := func() string {
		c.looked = time.Time{}
		return strings.Join(func() (ids []string) {
			for _, e := range c.All() {
				ids = append(ids, e.ID)
			}
			return ids
		}(), " ")
	}
	write(t, dir, "a.gguf", "b.gguf")
	if got := later(); got != "a b" || len(told) != 2 || c.Entries[0].Context != 77 {
		t.Errorf("%q, told of %q", got, told)
	}
	if err := c.Alias("other", "b"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a.gguf")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "broken.gguf"), "GG")
	if got := later(); got != "b" {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(dir, "broken.gguf"), string(emptyGGUF)) // it was still being written
	if got := later(); got != "b broken" {
		t.Errorf("%q", got)
	}
	if e, ok := c.Find("other"); !ok || e.ID != "b" {
		t.Error("the alias is lost")
	}
}

// What Ollama keeps beside a model's file: numbers are sampling defaults; its template is not
// understood, but a model whose file has none gets one for the markers that it writes.
func TestOllama_parametersAndTemplates(t *testing.T) {
	context, s := ollamaParameters([]byte(`{"num_ctx":8192,"temperature":0.5,"top_k":7,"repeat_last_n":-1,"typical_p":0.9,"mirostat_tau":4,"seed":-1,"presence_penalty":1,"stop":["<|im_end|>"]}`))
	if context != 8192 || *s.Temperature != 0.5 || *s.TopK != 7 || *s.RepeatLastN != -1 || *s.TypicalP != 0.9 || *s.MirostatTau != 4 || s.Seed != nil || *s.PresencePenalty != 1 {
		t.Errorf("%d %+v", context, s)
	}
	for text, want := range map[string]string{
		"{{ range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}": "<|im_start|>", "<start_of_turn>{{ .Prompt }}": "<start_of_turn>",
		"{{ .Prompt }}": "",
	} {
		source, from := ollamaTemplate(text)
		if (source == "") != (want == "") || !strings.Contains(source, want) || from == "" {
			t.Errorf("%q: %q, %q", text, source, from)
		}
	}
}
