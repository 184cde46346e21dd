package loader

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"tenon/models/catalog"
	"tenon/models/gguf"
	"tenon/templates"
)

// Traits are what a model's file says that it can, before it is loaded.
type Traits struct {
	Embeds bool // it makes vectors, and does not chat
	// its chat template shows tools and calls; without it tools are explained to the model in
	// words
	Tools  bool
	Thinks bool // its chat template knows thinking

	Efforts []string // of low, medium and high, those that its chat template tells apart

	ChatTemplate, BOS, EOS string
	// Digest tells one version of a model from another, as 64 hexadecimal digits. It is that
	// of the file's size, beginning and end: all of a large file would take minutes.
	Digest string
}

// Traits looks into a model's file, once. What cannot be read has none.
func (l *Loader) Traits(e catalog.Entry) Traits {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := e.Path + "\x00" + e.Template
	if e.Path == "" {
		key += e.ID
	}
	t, ok := l.traits[key]
	if !ok {
		t = traits(e)
		l.traits[key] = t
	}
	return t
}

func traits(e catalog.Entry) (t Traits) {
	if e.Remote != nil && e.Path == "" {
		return Traits{Tools: true}
	}
	t.Digest, _ = digest(e.Path) // the file is gone: there is nothing to tell
	f, err := gguf.Open(e.Path)
	if err != nil {
		return t
	}
	pooling, _ := f.Arch("pooling_type")
	t.Embeds = pooling != 0
	tokens := f.Strings("tokenizer.ggml.tokens")
	for key, to := range map[string]*string{"tokenizer.ggml.bos_token_id": &t.BOS, "tokenizer.ggml.eos_token_id": &t.EOS} {
		if id, ok := f.Int(key); ok && id >= 0 && id < int64(len(tokens)) {
			*to = tokens[id]
		}
	}
	t.ChatTemplate, err = e.ChatTemplate(f.String("tokenizer.chat_template"))
	if err != nil || t.ChatTemplate == "" {
		return t
	}
	template, err := templates.Parse(t.ChatTemplate, templates.Options{})
	if err != nil {
		return t
	}
	p := template.Probe()
	t.Tools = p.Native()
	t.Thinks = len(p.ThinkingMarkers) > 0 || p.PrefilledThought
	for _, s := range p.Switches {
		for _, effort := range []string{"low", "medium", "high"} {
			if s.Name == "reasoning_effort" && slices.Contains(s.Values, strconv.Quote(effort)) {
				t.Efforts = append(t.Efforts, effort)
			}
		}
	}
	return t
}

// digest is a Traits.Digest.
func digest(path string) (string, error) {
	const end = 1 << 20 // bytes: headers differ, and where they do not, weights do
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, part := range []*io.SectionReader{io.NewSectionReader(f, 0, end), io.NewSectionReader(f, max(size-end, 0), end)} {
		if _, err := io.Copy(sum, part); err != nil {
			return "", err
		}
	}
	_, _ = fmt.Fprint(sum, size) // a hash takes everything
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
