package adapter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/server/chat/prepared"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// S0-22: the presets are there by name, and none changes a model that nobody gave an adapter.
func TestPresets_serveThoseWhoNameThem(t *testing.T) {
	set, faults := Open("")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	server := prepared.Teaching{Guidance: true, Routing: 8}
	for name, want := range map[string]struct {
		guidance bool
		routing  int
		describe int
		required bool
	}{"off": {}, "default": {true, 8, 0, false}, "Qwen3-Coder-30B": {true, 8, 80, false}, "gpt-oss-20b": {true, 8, 50, true}} {
		a, why, err := set.For("any", name)
		got := a.Over(server)
		if err != nil || why == "" || a.From != "preset" || got.Guidance != want.guidance || got.Routing != want.routing ||
			got.Simplify.MaxDescription != want.describe || got.Simplify.RequiredOnly != want.required {
			t.Errorf("%s: %+v, %q, %v", name, got, why, err)
		}
	}
	if a, _, err := set.For("unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M", ""); err != nil || a.Name != Default {
		t.Errorf("%+v, %v", a, err)
	}
	if _, _, err := set.For("any", "gpt-oss"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "gpt-oss-20b") {
		t.Errorf("%v", err)
	}
}

// S0-23, S0-24: an adapter is found by part of the name, in any case, with path and quantization;
// the longest part wins, and of two the first; what none fits gets the default, which a file may
// set.
func TestFor_longestPartOfTheNameWins(t *testing.T) {
	set, faults := Open(folder(t, map[string]string{
		"a.yaml":       "match: [qwen3, coder]\nguidance: true\n",
		"b.yaml":       "match: [Qwen3-Coder]\nrouting-thought: 16\n",
		"c.yaml":       "match: [coder]\n",
		"default.yaml": "retries: 0\n",
		"notes.txt":    "no adapter",
	}))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for model, want := range map[string]string{
		"unsloth/QWEN3-coder-30B:Q4_K_M": "b", "qwen3-8b": "a", "deepseek-CODER": "a", "gemma-3": "default",
	} {
		if a, why, err := set.For(model, ""); err != nil || a.Name != want || why == "" {
			t.Errorf("%s: %s (%s), %v", model, a.Name, why, err)
		}
	}
	a, _, _ := set.For("gemma-3", "")
	if got := a.Over(prepared.Teaching{}); got.Retries == nil || *got.Retries != 0 {
		t.Errorf("%+v", got)
	}
}

// S0-25: a broken file is a fault that names file, line and key, and the others serve.
func TestOpen_brokenFilesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"match: [x]\nguidance: maybe\n":      `bad.yaml, line 2: guidance: is "maybe"; expected true or false`,
		"simplify: [describe:none]\n":        "bad.yaml, line 1: simplify: describe:none",
		"retries: -1\n":                      "line 1: retries: is -1",
		"\n\nguessing: true\n":               "line 3: guessing: there is no such key",
		"guess: {a: b}\n":                    "line 1: guess: is",
		"leaked-calls: 3x\n":                 "line 1: leaked-calls: is",
		"wording:\n  xml: no\n":              `line 1: wording: there are no words for "xml"`,
		"- a list\n":                         "line 1: expected keys",
		"match: [x\n":                        "bad.yaml",
		"wording: [a]\n":                     "line 1: wording",
		"simplify:\n  required-only: true\n": "line 1: simplify: expected a list",
		"match: {a: b}\n":                    "line 1: match",
		"routing-thought: a lot\n":           "line 1: routing-thought",
		"repeats: 2\n":                       `line 1: repeats: is "2"; expected allow or drop`,
	} {
		set, faults := Open(folder(t, map[string]string{"bad.yaml": text, "good.yaml": "match: [good]\nwording: {guidance: Call well.}\n"}))
		if len(faults) != 1 || !strings.Contains(faults[0].Error(), want) {
			t.Errorf("%q: %v", text, faults)
		}
		if a, _, err := set.For("a-good-one", ""); err != nil || a.Name != "good" || a.Over(prepared.Teaching{}).Wording.Guidance != "Call well." {
			t.Errorf("%q: the other is %+v, %v", text, a, err)
		}
	}
	if _, faults := Open(filepath.Join(t.TempDir(), "none")); len(faults) != 1 {
		t.Errorf("%v", faults)
	}
}
