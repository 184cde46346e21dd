package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestModels_theExampleOfTheReference(t *testing.T) {
	l, err := load(t, []string{"--ctx-size", "4096", "--temp", "0.1"}, nil, exampleModels)
	if err != nil {
		t.Fatal(err)
	}
	coder, gemma := l.Models[0], l.Models[1]
	if coder.Name != "coder" || len(coder.Aliases) != 2 || !coder.Pin || coder.Adapter.Name != "off" || gemma.Source != "" || gemma.Adapter.Name != "" || gemma.Adapter.Inline != nil {
		t.Errorf("%+v", l.Models)
	}
	own, err := l.For(coder)
	if err != nil {
		t.Fatal(err)
	}
	if s := own.Settings; s.CtxSize != 65536 || s.CacheTypeK != "q8_0" || s.Temperature != 0.7 || s.Parallel != 4 {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]string{"ctx-size": "models: coder (" + l.File() + ", line 5)", "parallel": "default"} {
		if own.Origins[name] != want {
			t.Errorf("%s from %s, want %s", name, own.Origins[name], want)
		}
	}
	other, err := l.For(gemma)
	if err != nil {
		t.Fatal(err)
	}
	if s := other.Settings; s.CtxSize != 4096 || s.ToolFormat != "json" || s.ChatTemplateFile != filepath.Join(filepath.Dir(l.File()), "gemma.jinja") {
		t.Errorf("%+v", s)
	}
	if s := l.Settings; s.CtxSize != 4096 || s.ToolFormat != "auto" {
		t.Errorf("one model's values are the server's: %+v", s)
	}
}

func TestModels_anAdapterOfItsOwnIsHandedOn(t *testing.T) {
	l, err := load(t, nil, nil, "models:\n  m:\n    adapter:\n      guidance: true\n")
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Guidance bool }
	if a := l.Models[0].Adapter; a.Inline == nil || a.At.Line != 3 || a.Inline.Decode(&got) != nil || !got.Guidance {
		t.Errorf("%+v", a)
	}
}

func TestModels_errorsNameFileLineAndKey(t *testing.T) {
	for yaml, want := range map[string]string{
		"models: [a]\n":                                          "line 1: expected keys with values",
		"models:\n  m: 3\n":                                      "line 2: expected keys with values",
		"models:\n  m:\n    ctxsize: 1\n":                        `line 3: models: m: there is no key "ctxsize" (did you mean ctx-size?)`,
		"models:\n  m:\n    port: 1\n":                           `line 3: models: m: there is no key "port"`,
		"models:\n  m:\n    ctx-size: [1, 2]\n":                  "line 3: models: m: ctx-size: takes one value",
		"models:\n  m:\n    temp: hot\n":                         "line 3: models: m: temp: ",
		"models:\n  m:\n    cache-type-k: q5\n":                  `line 3: models: m: cache-type-k is "q5"`,
		"models:\n  m:\n    pin: often\n":                        `line 3: models: m: pin: is "often"; expected true or false`,
		"models:\n  m:\n    source:\n":                           "line 3: models: m: source: has no value",
		"models:\n  a:\n    aliases: [x]\n  X:\n    pin: true\n": `line 4: models: X: the name "X" is that of a, line 2, too`,
		"models:\n  m:\n    top-k: 1\n    top-k: 2\n":            "line 4: top-k stands in line 3 already",
	} {
		if _, err := load(t, nil, nil, yaml); err == nil || !strings.Contains(err.Error(), "tenon.yaml, "+want) {
			t.Errorf("%q: %v", yaml, err)
		}
	}
}

func TestPaths_areSoughtBesideTheFile(t *testing.T) {
	l, err := load(t, nil, nil, "models-dir: here\napi-key-file: /etc/keys\ndraft: small:q4\nmodels:\n  m:\n    source: m.gguf\n    draft: small.GGUF\n  h:\n    source: hf:a/b\n")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(l.File())
	if s := l.Settings; s.ModelsDir != filepath.Join(dir, "here") || s.APIKeyFile != "/etc/keys" {
		t.Errorf("%+v", s)
	}
	if l.Models[0].Source != filepath.Join(dir, "m.gguf") || l.Models[1].Source != "hf:a/b" {
		t.Errorf("%+v", l.Models)
	}
	if e, err := l.For(l.Models[0]); l.Settings.Draft != "small:q4" || e.Settings.Draft != filepath.Join(dir, "small.GGUF") || err != nil {
		t.Errorf("drafts by %s, of the entry by %s, %v", l.Settings.Draft, e.Settings.Draft, err)
	}
}

func TestNear_isNearAndNeverMany(t *testing.T) {
	known := []string{"host", "port", "ctx-size", "post", "qwen3-4b", "qwen3-8b", "qwen3-14b", "qwen3-0.6b", "ps"}
	for name, want := range map[string][]string{
		"prot": {"port", "post"}, "CTX-SIZE": {"ctx-size"}, "aardvark": nil, "x": nil, "ab": nil, "hst": {"host"},
		"qwen": {"qwen3-4b", "qwen3-8b", "qwen3-14b"}, "pot": {"port", "post"}, "pss": {"ps"},
	} {
		if got := Near(name, known); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := DidYouMean("pot", known); got != " (did you mean port or post?)" {
		t.Error(got)
	}
}
