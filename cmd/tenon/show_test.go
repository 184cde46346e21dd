package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Where a template of no known family shows calls, the page says by what they are read, or that
// nothing can read them.
func TestShow_saysHowCallsOfUnknownTemplatesAreRead(t *testing.T) {
	for call, want := range map[string]struct{ protocol, dialect string }{
		`[{{ f.name }}({% for k, v in f.arguments.items() %}{{ k }}={{ v | tojson }}{% endfor %})]`: {"native", "derived"},
		`$ {{ f.name }}{% for k, v in f.arguments.items() %} --{{ k }} {{ v }}{% endfor %}`:         {"json (the template shows calls, in a syntax", "json"},
	} {
		source := `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if loop.first %}{{ tools | tojson }}{% endif %}` +
			`{% for c in m.tool_calls %}{% set f = c.function %} ` + call + `{% endfor %}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`
		template := write(t, "t.jinja", source)
		out, _, err := execute(t, "show", "--template", template)
		if err != nil || !strings.Contains(out, "tool protocol\t"+want.protocol) || !strings.Contains(out, "dialect\t"+want.dialect+" (") {
			t.Errorf("%s: %v, want %v:\n%s", call, err, want, out)
		}
		if out, _, err = execute(t, "show", "--template", template, "--json"); err != nil || !strings.Contains(out, `"dialect": "`+want.dialect+`"`) {
			t.Errorf("%s: %v:\n%s", call, err, out)
		}
	}
}

// A model of Ollama's whose file has no template is shown and rendered with the one that it is
// served with.
func TestShow_theTemplateThatStandsInForOllamas(t *testing.T) {
	alone(t)
	dir := t.TempDir()
	t.Setenv("OLLAMA_MODELS", dir)
	for name, text := range map[string]string{
		"manifests/registry.ollama.ai/library/small/1b": `{"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:aa"},{"mediaType":"application/vnd.ollama.image.template","digest":"sha256:bb"}]}`,
		"blobs/sha256-bb": "<|im_start|>user\n{{ .Prompt }}<|im_end|>",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := tinymodel.WriteFile(filepath.Join(dir, "blobs/sha256-aa"), tinymodel.Options{Kind: tinymodel.FullAttention}); err != nil {
		t.Fatal(err)
	}
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}]}`)
	if out, _, err := execute(t, "show", "small:1b"); err != nil || strings.Contains(out, "no chat template") {
		t.Errorf("%q %v", out, err)
	}
	if out, _, err := execute(t, "render", "--model", "small:1b", "--request", request); err != nil || !strings.HasPrefix(out, "<|im_start|>user\nhi<|im_end|>") {
		t.Errorf("%q %v", out, err)
	}
}
