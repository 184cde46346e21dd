package tokens

import (
	"context"
	"fmt"
	"strings"

	"tenon/engine"
	"tenon/grammar"
	"tenon/grammar/vocab"
)

// Tokenizer turns prompts into ids. It may be used from any goroutine.
type Tokenizer struct {
	vocab    *grammar.Vocab
	bos      int32
	tokenize func(context.Context, string) ([]int32, error)
	trusted  Finder // markers that trusted text means when it spells them
	spelled  Finder // markers that tokenize would take out of plain text
}

// New makes a tokenizer of a vocabulary, its markers and what tokenizes plain text. bos comes
// before each prompt; -1: nothing does.
func New(v *grammar.Vocab, markers []engine.Marker, bos int32, tokenize func(context.Context, string) ([]int32, error)) *Tokenizer {
	t := &Tokenizer{vocab: v, bos: bos, tokenize: tokenize}
	for _, m := range markers {
		t.trusted.Add(m.Text, m.ID)
		if !m.Control {
			t.spelled.Add(m.Text, m.ID)
		}
	}
	return t
}

// BOS is the token that comes before each prompt, -1 if there is none.
func (t *Tokenizer) BOS() int32 { return t.bos }

// Prompt returns the ids of a prompt. Between markers, text and content are tokenized together.
func (t *Tokenizer) Prompt(ctx context.Context, p engine.Prompt) ([]int32, error) {
	var ids []int32
	var text strings.Builder
	flush := func() error {
		more, err := t.Plain(ctx, text.String())
		text.Reset()
		ids = append(ids, more...)
		return err
	}
	for _, piece := range p {
		for _, part := range t.parts(piece) {
			if part.IDs == nil {
				text.WriteString(part.Text)
				continue
			}
			if err := flush(); err != nil {
				return nil, err
			}
			for _, id := range part.IDs {
				if id < 0 || int(id) >= t.vocab.Len() {
					return nil, fmt.Errorf("token %d of the prompt is not in the vocabulary", id)
				}
			}
			ids = append(ids, part.IDs...)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return t.withBOS(ids), nil
}

// Plain tokenizes text in which nothing is a marker. The model's tokenizer would take user-defined
// tokens out of it all the same: it is shown their spelling in two parts.
func (t *Tokenizer) Plain(ctx context.Context, text string) ([]int32, error) {
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

// Text turns ids back into bytes.
func (t *Tokenizer) Text(ids []int32, special bool) []byte {
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

// Part is ids, or else text.
type Part struct {
	Text string
	IDs  []int32
}

func (t *Tokenizer) parts(p engine.Piece) []Part {
	switch p.Origin {
	case engine.Kept:
		return []Part{{IDs: append([]int32{}, p.Tokens...)}}
	case engine.Symbolic:
		if id, ok := t.vocab.Symbol(p.Text); ok {
			return []Part{{IDs: []int32{id}}}
		}
	case engine.Text:
		return t.trusted.Split(p.Text)
	}
	return []Part{{Text: p.Text}}
}

// withBOS puts BOS first, once, whether or not the template has written it.
func (t *Tokenizer) withBOS(ids []int32) []int32 {
	if t.bos < 0 {
		return ids
	}
	for len(ids) > 0 && ids[0] == t.bos {
		ids = ids[1:]
	}
	return append([]int32{t.bos}, ids...)
}
