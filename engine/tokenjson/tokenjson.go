package tokenjson

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/engine/tokens"
	"tenon/grammar"
)

var _ engine.Engine = (*Tokenizer)(nil)

// Name is the file that holds a tokenizer.
const Name = "tokenizer.json"

// Folder is the folder of a tokenizer.json that is named, or that is in a folder that is named and
// holds no GGUF file; "" if none is.
func Folder(path string) string {
	folder := strings.TrimSuffix(path, Name)
	if models, _ := filepath.Glob(filepath.Join(folder, "*.gguf")); folder == path && len(models) > 0 {
		return ""
	}
	if info, err := os.Stat(filepath.Join(folder, Name)); err != nil || info.IsDir() {
		return ""
	}
	return filepath.Clean(folder)
}

// Options say what is known of a model beside its files.
type Options struct {
	Template string   // in place of the folder's own
	Markers  []string // added tokens that are markers, whether or not the template writes them
}

// Tokenizer is a vocabulary as an engine that evaluates nothing.
type Tokenizer struct {
	model    engine.Model
	tokens   *tokens.Tokenizer
	splitter *splitter
	added    tokens.Finder // those that plain text spells
	bpe      *bpe
}

// Open reads a folder's tokenizer, and its chat template.
func Open(folder string, o Options) (*Tokenizer, error) {
	path := filepath.Join(folder, Name)
	var f file
	if err := readJSON(path, &f); err != nil {
		return nil, err
	}
	c, err := readConfig(folder)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{model: engine.Model{
		Description: filepath.Base(folder), Template: c.template, Slots: 1,
		Can: engine.Can{IDs: true, Tokenizer: engine.LocalTokenizer, Mask: engine.NoMask, Symbols: true},
	}}
	if err := t.open(&f, c, o); err != nil {
		return nil, fmt.Errorf("%s: %w; without it as the source, prompts go as text", path, err)
	}
	return t, nil
}

func (t *Tokenizer) open(f *file, c config, o Options) (err error) {
	if t.splitter, err = newSplitter(f); err != nil {
		return err
	}
	v, err := f.vocabulary(t.splitter.bytes)
	if err != nil {
		return err
	}
	if t.bpe, err = newBPE(f, v, t.splitter.bytes); err != nil {
		return err
	}
	known := engine.Vocab{Size: len(v.pieces)}
	bos, eos := v.named(c.bos), v.named(c.eos)
	if eos >= 0 {
		c.ends, known.EOS = append(c.ends, eos), c.eos
	}
	if bos >= 0 {
		known.BOS, known.AddBOS = c.bos, f.Post.begins(c.bos)
	}
	if c.addBOS != nil && bos >= 0 {
		known.AddBOS = *c.addBOS
	}
	if !known.AddBOS {
		bos = -1
	}
	for _, a := range f.Added {
		if !a.Special {
			t.added.Add(a.Content, a.ID)
		}
	}
	masked, err := grammar.NewVocab(v.pieces, v.kinds, c.ends)
	if err != nil {
		return err
	}
	known.Markers = tokens.Markers(masked, t.model.Template+o.Template, o.Markers)
	t.model.Vocab = known
	t.tokens = tokens.New(masked, known.Markers, bos, t.tokenize)
	return nil
}

// tokenize turns text without markers into ids.
func (t *Tokenizer) tokenize(ctx context.Context, text string) (ids []int32, err error) {
	for _, part := range t.added.Split(text) {
		if part.IDs != nil {
			ids = append(ids, part.IDs...)
			continue
		}
		if part.Text == "" { // a prefix would make it a word
			continue
		}
		words, err := t.splitter.words(ctx, part.Text)
		if err != nil {
			return nil, err
		}
		for _, word := range words {
			ids = t.bpe.append(ids, word)
		}
	}
	return ids, nil
}

// Model implements engine.Engine.
func (t *Tokenizer) Model() engine.Model { return t.model }

// Tokens implements engine.Engine.
func (t *Tokenizer) Tokens(ctx context.Context, p engine.Prompt) ([]int32, error) {
	if t.splitter.first && len(p) > 0 && t.isPlain(p[0]) && !strings.HasPrefix(p[0].Text, " ") && !strings.HasPrefix(p[0].Text, space) {
		p = append(engine.Prompt{{Text: " "}}, p...)
	}
	return t.tokens.Prompt(ctx, p)
}

// isPlain tells whether a piece begins with no marker.
func (t *Tokenizer) isPlain(p engine.Piece) bool {
	return p.Origin == engine.Content && p.Text != "" || p.Origin == engine.Text && !slices.ContainsFunc(t.model.Vocab.Markers, func(m engine.Marker) bool {
		return strings.HasPrefix(p.Text, m.Text)
	})
}

// Text implements engine.Engine.
func (t *Tokenizer) Text(_ context.Context, ids []int32, special bool) ([]byte, error) {
	return t.tokens.Text(ids, special), nil
}

// Open implements engine.Engine.
func (t *Tokenizer) Open(context.Context, engine.Turn) (engine.Session, error) {
	return nil, engine.ErrUnsupported
}

// Embed implements engine.Engine.
func (t *Tokenizer) Embed(context.Context, []engine.Prompt) ([]engine.Embedding, error) {
	return nil, engine.ErrUnsupported
}

// Close implements engine.Engine.
func (t *Tokenizer) Close() error { return nil }
