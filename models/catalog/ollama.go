package catalog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"tenon/engine"
	"tenon/models/store"
)

// ollama lists what Ollama's manifests name, with the parameters that they set.
func (p Place) ollama() []Entry {
	var all []Entry
	root := filepath.Join(p.Dir, "manifests")
	_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		// what cannot be read is passed over
		if err == nil && !d.IsDir() {
			if e, err := p.ollamaModel(root, path); err == nil {
				all = append(all, e)
			}
		}
		return nil
	})
	return all
}

func (p Place) ollamaModel(root, path string) (Entry, error) {
	var m struct {
		Layers []struct{ MediaType, Digest string }
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Entry{}, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return Entry{}, err
	}
	rel, _ := filepath.Rel(root, path) // it lies below
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if len(parts) != 4 {
		return Entry{}, errors.New("no manifest of a model")
	}
	e := Entry{Repo: parts[1] + "/" + parts[2], Source: string(Ollama)}
	e.callAsOllama(e.Repo + ":" + parts[3])
	for _, l := range m.Layers {
		blob := filepath.Join(p.Dir, "blobs", strings.Replace(filepath.Base(l.Digest), ":", "-", 1))
		switch l.MediaType {
		case "application/vnd.ollama.image.model":
			e.Path = blob
		case "application/vnd.ollama.image.params":
			text, _ := os.ReadFile(blob) // what cannot be read sets nothing
			e.Context, e.Sampling = ollamaParameters(text)
		case "application/vnd.ollama.image.template":
			text, _ := os.ReadFile(blob) // nor is it understood
			e.Fallback, e.FallbackFrom = ollamaTemplate(string(text))
		}
	}
	if e.Path == "" {
		return Entry{}, errors.New("the manifest names no file")
	}
	return e, nil
}

// callAsOllama gives a model the name by which Ollama runs it.
func (e *Entry) callAsOllama(name string) {
	e.ID = strings.TrimPrefix(strings.ToLower(name), "library/")
	if short, ok := strings.CutSuffix(e.ID, ":latest"); ok {
		e.Aliases = append(e.Aliases, short)
	}
}

// fromManifest takes what is noted beside a fetched file: where it came from, and what Ollama's
// registry says of it.
func (e *Entry) fromManifest() {
	var m store.Manifest
	if b, err := os.ReadFile(e.Path + ".json"); err != nil || json.Unmarshal(b, &m) != nil || m.Source == "" {
		return
	}
	e.Source = m.Source
	ref, err := store.ParseRef(m.Source)
	if err != nil || ref.Registry == "" {
		return
	}
	e.callAsOllama(ref.Name + ":" + ref.Tag)
	e.Context, e.Sampling = ollamaParameters([]byte(m.Parameters))
	if m.Template != "" {
		e.Fallback, e.FallbackFrom = ollamaTemplate(m.Template)
	}
}

// ollamaParameters reads a model's parameters, as far as there are the same here: their names are
// those of llama-server's requests. A seed of 0 or less is none.
func ollamaParameters(text []byte) (context int, s engine.Sampling) {
	var p struct {
		Context int `json:"num_ctx"`
		Seed    int `json:"seed"`
		engine.Numbers
	}
	if json.Unmarshal(text, &p) != nil {
		return 0, s
	}
	s.Numbers = p.Numbers
	if seed := uint32(p.Seed); p.Seed > 0 {
		s.Seed = &seed
	}
	return max(0, p.Context), s
}

// plainTemplates are chat templates for models whose file has none, by a marker that Ollama's
// template writes. Tools are not in them: they are told in words.
var plainTemplates = []struct{ marker, source string }{
	{"<|im_start|>", "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" +
		"{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"},
	{"<|start_header_id|>", "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>{% endfor %}" +
		"{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"},
	{"<start_of_turn>", "{{ bos_token }}{% for m in messages %}<start_of_turn>{{ 'model' if m.role == 'assistant' else 'user' }}\n{{ m.content }}<end_of_turn>\n{% endfor %}" +
		"{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"},
}

// ollamaTemplate is a chat template in the place of Ollama's, which is in a language of its own
// (Go's text/template), and what is to be said of it.
func ollamaTemplate(text string) (source, from string) {
	for _, t := range plainTemplates {
		if strings.Contains(text, t.marker) {
			return t.source, "recognised by " + t.marker + " in Ollama's template, which is in a language of its own"
		}
	}
	return "", "Ollama's template is in a language of its own and not understood: the built-in rendering is used"
}
