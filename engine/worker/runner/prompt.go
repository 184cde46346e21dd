package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// tokenizer turns prompts into ids. It may be used from any goroutine.
type tokenizer struct {
	vocab    *grammar.Vocab
	bos      int32
	tokenize func(context.Context, string) ([]int32, error)
	trusted  finder // markers that trusted text means when it spells them
	spelled  finder // markers that tokenize would take out of plain text
}

func newTokenizer(b Backend) *tokenizer {
	t := &tokenizer{vocab: b.Vocab(), bos: b.BOS(), tokenize: b.Tokenize}
	for _, m := range b.Model().Vocab.Markers {
		t.trusted.add(m.Text, m.ID)
		if !m.Control {
			t.spelled.add(m.Text, m.ID)
		}
	}
	return t
}

// Count is how many tokens a prompt has, BOS among them.
func Count(ctx context.Context, b Backend, p engine.Prompt) (int, error) {
	ids, err := newTokenizer(b).prompt(ctx, p)
	return len(ids), err
}

// prompt returns the ids of a prompt. Between markers, text and content are tokenized together.
func (t *tokenizer) prompt(ctx context.Context, p engine.Prompt) ([]int32, error) {
	var ids []int32
	var text strings.Builder
	flush := func() error {
		more, err := t.plain(ctx, text.String())
		text.Reset()
		ids = append(ids, more...)
		return err
	}
	for _, piece := range p {
		for _, part := range t.parts(piece) {
			if part.ids == nil {
				text.WriteString(part.text)
				continue
			}
			if err := flush(); err != nil {
				return nil, err
			}
			for _, id := range part.ids {
				if id < 0 || int(id) >= t.vocab.Len() {
					return nil, fmt.Errorf("token %d of the prompt is not in the vocabulary", id)
				}
			}
			ids = append(ids, part.ids...)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return t.withBOS(ids), nil
}

// part is ids, or else text.
type part struct {
	text string
	ids  []int32
}

func (t *tokenizer) parts(p engine.Piece) []part {
	switch p.Origin {
	case engine.Kept:
		return []part{{ids: append([]int32{}, p.Tokens...)}}
	case engine.Symbolic:
		if id, ok := t.vocab.Symbol(p.Text); ok {
			return []part{{ids: []int32{id}}}
		}
	case engine.Text:
		return t.trusted.split(p.Text)
	}
	return []part{{text: p.Text}}
}

// plain tokenizes text in which nothing is a marker. The model's tokenizer would take user-defined
// tokens out of it all the same: it is shown their spelling in two parts.
func (t *tokenizer) plain(ctx context.Context, text string) ([]int32, error) {
	var ids []int32
	for text != "" {
		cut := t.spelled.cut(text)
		more, err := t.tokenize(ctx, text[:cut])
		if err != nil {
			return nil, fmt.Errorf("tokenize the prompt: %w", err)
		}
		ids = append(ids, more...)
		text = text[cut:]
	}
	return ids, nil
}

// withBOS puts BOS first, once, whether or not the template has written it.
func (t *tokenizer) withBOS(ids []int32) []int32 {
	if t.bos < 0 {
		return ids
	}
	for len(ids) > 0 && ids[0] == t.bos {
		ids = ids[1:]
	}
	return append([]int32{t.bos}, ids...)
}

// text turns ids back into bytes.
func (t *tokenizer) text(ids []int32, special bool) []byte {
	var text []byte
	for _, id := range ids {
		if id < 0 || int(id) >= t.vocab.Len() {
			continue
		}
		if k := t.vocab.Kind(id); special || k != vocab.Control && k != vocab.Unknown && k != vocab.Unused {
			text = append(text, t.vocab.Piece(id)...)
		}
	}
	return text
}

// finder finds the spellings of markers. Some vocabularies have thousands, but of few lengths.
type finder struct {
	ids     map[string]int32
	lengths [256][]int // by first byte, longest first
}

type marker struct {
	text string
	id   int32
}

func (f *finder) add(text string, id int32) {
	if text == "" {
		return
	}
	if f.ids == nil {
		f.ids = map[string]int32{}
	}
	if _, known := f.ids[text]; known {
		return // of two tokens with one text the lower id wins, as in llama.cpp
	}
	f.ids[text] = id
	at := &f.lengths[text[0]]
	if i, found := slices.BinarySearchFunc(*at, len(text), func(a, b int) int { return b - a }); !found {
		*at = slices.Insert(*at, i, len(text))
	}
}

func (f *finder) at(text string) (marker, bool) {
	for _, n := range f.lengths[text[0]] {
		if n > len(text) {
			continue
		}
		if id, ok := f.ids[text[:n]]; ok {
			return marker{text[:n], id}, true
		}
	}
	return marker{}, false
}

// split parts a trusted text at its markers.
func (f *finder) split(text string) []part {
	var parts []part
	start := 0
	for i := 0; i < len(text); {
		m, ok := f.at(text[i:])
		if !ok {
			i++
			continue
		}
		parts = append(parts, part{text: text[start:i]}, part{ids: []int32{m.id}})
		i += len(m.text)
		start = i
	}
	return append(parts, part{text: text[start:]})
}

// cut is how much of a text can be tokenized without a marker being seen: up to inside the first
// one's spelling.
func (f *finder) cut(text string) int {
	for i := range len(text) {
		if m, ok := f.at(text[i:]); ok && len(m.text) > 1 {
			return i + 1
		}
	}
	return len(text)
}
