package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
	"tenon/engine/enginetest/tinymodel"
)

// loaded is the settings of a YAML file, which a folder holds beside a tiny model, tiny.gguf.
func loaded(t *testing.T, yaml string) *config.Loader {
	t.Helper()
	dir := t.TempDir()
	model, err := os.ReadFile(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"tiny.gguf": model, "tenon.yaml": []byte(yaml)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	l := config.Register(flags)
	if err := flags.Parse([]string{"--config", filepath.Join(dir, "tenon.yaml")}); err != nil {
		t.Fatal(err)
	}
	if err := l.Load(nil); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPerModel_anEntryNamesSetsAndPinsItsModel(t *testing.T) {
	for _, yaml := range []string{
		"models:\n  Mine:\n    source: tiny.gguf\n    aliases: [gpt-4o]\n    pin: true\n    ctx-size: 512\n    temp: 0.25\n    tool-format: hermes\n",
		"models-dir: .\nctx-size: 64\nmodels:\n  tiny:\n    aliases: [gpt-4o, mine]\n    pin: true\n    ctx-size: 512\n    temp: 0.25\n    tool-format: hermes\n",
	} {
		c, named, p, err := catalogue(fetchFor(&cobra.Command{}), loaded(t, yaml), nil)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := c.Find("mine")
		if other, too := c.Find("GPT-4o"); !ok || !too || other.ID != e.ID || len(c.Entries) != 1 || len(named) != 1 || named[0] != e.ID {
			t.Errorf("%+v, at start %v", c.Entries, named)
		}
		if s := p.of(e.ID).Settings; e.Context != 512 || s.CtxSize != 512 {
			t.Errorf("context %d, %d", e.Context, s.CtxSize)
		}
		o, err := p.options()
		if err != nil || o.ToolFormat[e.ID] != "hermes" || *o.Sampling[e.ID].Temperature != 0.25 || o.Sampling[e.ID].TopK != nil {
			t.Errorf("%+v %v", o, err)
		}
	}
}

func TestPerModel_unknownNamesAreErrorsWithTheNearest(t *testing.T) {
	for yaml, want := range map[string]string{
		"models-dir: .\nmodels:\n  tinny:\n    pin: true\n":                                        "tenon.yaml, line 3: models: tinny: there is no such model (did you mean tiny?)",
		"models:\n  m:\n    source: tiny.gguf\n    tool-format: hermse\n":                          "tool-format: \"hermse\" is no format (did you mean hermes?)",
		"default-model: tinny\nmodels-dir: .\n":                                                    "default-model: there is no model \"tinny\" (did you mean tiny?)",
		"alias: [gpt-4o=tinny]\nmodels-dir: .\n":                                                   "alias \"gpt-4o\": there is no model \"tinny\"; there is: tiny (did you mean tiny?)",
		"tool-format: jsno\nmodels-dir: .\n":                                                       "\"jsno\" is no format (did you mean json?)",
		"models:\n  a:\n    source: tiny.gguf\n  b:\n    source: tiny.gguf\n    aliases: [tiny]\n": "line 4: models: b: ",
		"models:\n  a:\n    source: none.gguf\n":                                                   "none.gguf",
		"models:\n  a:\n    source: tiny.gguf\n    draft: small.gguf\n":                            "small.gguf",
	} {
		if _, _, _, err := catalogue(fetchFor(&cobra.Command{}), loaded(t, yaml), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", yaml, err)
		}
	}
}

func TestExplain_aModelsSettingsAndWhereTheyCameFrom(t *testing.T) {
	l := loaded(t, "models:\n  tiny:\n    aliases: [gpt-4o]\n    temp: 0.25\n    adapter: off\n")
	alone(t)
	t.Setenv("TENON_TOP_K", "7")
	out, _, err := execute(t, "explain", "--model", "GPT-4o", "--config", l.File())
	for _, want := range []string{"temp\t0.25\tmodels: tiny (" + l.File() + ", line 4)\n", "top-k\t7\tenvironment\n", "ctx-size\t0\tdefault\n", "adapter\toff\tpreset: the model's entry names it\n", "adapter: guidance\tfalse\tadapter off\n", "adapter: retries\t1\tdefault\n", "aliases\tgpt-4o\t"} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s lacks %q, %v", out, want, err)
		}
	}
	if _, _, err := execute(t, "explain"); err == nil {
		t.Error("accepted")
	}
}

// An unknown model has no settings to explain: the error names the nearest model, as show does.
func TestExplain_aModelThatThereIsNot(t *testing.T) {
	alone(t)
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	t.Setenv("TENON_MODELS_DIR", filepath.Dir(path))
	name := strings.TrimSuffix(filepath.Base(path), ".gguf")
	if out, _, err := execute(t, "explain", "--model", name); err != nil || !strings.Contains(out, "ctx-size") {
		t.Errorf("%v: %s", err, out)
	}
	if out, _, err := execute(t, "explain", "--model", name+"x"); err == nil || !strings.Contains(err.Error(), "did you mean "+name) || out != "" {
		t.Errorf("%v: %s", err, out)
	}
}
