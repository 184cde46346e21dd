package chat

import (
	"os"

	"tenon/models/catalog"
	"tenon/models/gguf"
	"tenon/templates"
)

// Traits are what a model's file says that it can, before it is loaded.
type Traits struct {
	Embeds bool // it makes vectors, and does not chat
	Tools  bool // its chat template shows tools and calls; without it tools are explained to the model in words
	Thinks bool // its chat template knows thinking
}

// Traits looks into a model's file, once. What cannot be read has none.
func (l *Loader) Traits(e catalog.Entry) Traits {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := e.Path + "\x00" + e.Template
	t, ok := l.traits[key]
	if !ok {
		t = traits(e)
		l.traits[key] = t
	}
	return t
}

func traits(e catalog.Entry) (t Traits) {
	f, err := gguf.Open(e.Path)
	if err != nil {
		return t
	}
	pooling, _ := f.Arch("pooling_type")
	t.Embeds = pooling != 0
	source := f.String("tokenizer.chat_template")
	if b, err := os.ReadFile(e.Template); err == nil {
		source = string(b)
	}
	if source == "" {
		return t
	}
	template, err := templates.Parse(source, templates.Options{})
	if err != nil {
		return t
	}
	p := template.Probe()
	t.Tools = p.Native()
	t.Thinks = len(p.ThinkingMarkers) > 0 || p.PrefilledThought
	return t
}
