//go:build cgo

package llama

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// vocabularies are those of tiny models, as they are and with many special tokens more; and of
// real models, where there are any. The real ones take a second each: all are loaded once for all
// tests.
func vocabularies(t *testing.T) map[string]*Vocab {
	t.Helper()
	all, err := loadedVocabularies()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var loadedVocabularies = sync.OnceValues(func() (map[string]*Vocab, error) {
	all := realVocabularies()
	dir, err := os.MkdirTemp("", "vocabularies")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	add := func(name string, o tinymodel.Options) (*Vocab, error) {
		path := filepath.Join(dir, "tiny.gguf")
		if err := tinymodel.WriteFile(path, o); err != nil {
			return nil, err
		}
		m, err := Load(context.Background(), path, ModelOptions{VocabOnly: true})
		if err != nil {
			return nil, err
		}
		all[name] = m.Vocab()
		return all[name], nil
	}
	for _, kind := range chatKinds {
		plain, err := add(string(kind), tinymodel.Options{Kind: kind})
		if err != nil {
			return nil, err
		}
		for _, prefix := range []bool{true, false} {
			keys := map[string]any{"tokenizer.ggml.token_type": crowded(plain), "tokenizer.ggml.add_space_prefix": prefix}
			name := string(kind) + " crowded"
			if prefix {
				name += " prefixed"
				// its special tokens strip what follows
				keys["tokenizer.ggml.tokens"], keys["general.name"] = renamed(plain), "phi-3"
			}
			if _, err := add(name, tinymodel.Options{Kind: kind, Metadata: keys}); err != nil {
				return nil, err
			}
		}
	}
	_, err = add("embedding", tinymodel.Options{Kind: tinymodel.Embedding})
	return all, err
})

func realVocabularies() map[string]*Vocab {
	all := map[string]*Vocab{}
	files, _ := filepath.Glob("../../../shared/data/vocab/*.gguf")
	home, _ := os.UserHomeDir()
	gemma, _ := filepath.Glob(filepath.Join(home, ".local/share/tenon/models/gemma/*.gguf"))
	for _, file := range append(files, gemma...) {
		// a shared libllama may not know one
		if m, err := Load(context.Background(), file, ModelOptions{VocabOnly: true}); err == nil {
			all[filepath.Base(file)] = m.Vocab()
		}
	}
	return all
}

// crowded are the types of a vocabulary's tokens, where a third of the plain ones are
// user-defined: many overlap in a text, and many are of one length.
func crowded(v *Vocab) []int32 {
	r := rand.New(rand.NewPCG(1, 2))
	types := make([]int32, v.Size())
	for id := range types {
		switch attr := v.Attr(int32(id)); {
		case attr&Normal != 0:
			if types[id] = 1; r.IntN(3) == 0 && len(v.text(int32(id))) > 1 {
				types[id] = 4
			}
		case attr&Unknown != 0:
			types[id] = 2
		case attr&Control != 0:
			types[id] = 3
		case attr&UserDefined != 0:
			types[id] = 4
		case attr&Unused != 0:
			types[id] = 5
		case attr&Byte != 0:
			types[id] = 6
		}
	}
	return types
}

// renamed are a vocabulary's tokens. The last ones get the names that llama.cpp's rule for phi-3
// looks for.
func renamed(v *Vocab) []string {
	texts := make([]string, v.Size())
	for id := range texts {
		texts[id] = v.text(int32(id))
	}
	for i, name := range []string{"</s>", "<s>", "<unk>", "<|endoftext|>"} {
		if !slices.Contains(texts, name) {
			texts[len(texts)-20-i] = name
		}
	}
	return texts
}

// hostile is a text of what tokenizers find hard: tokens of the vocabulary, whole and in part, its
// special tokens, white space, and bytes that are not UTF-8.
func hostile(r *rand.Rand, v *Vocab, special []int32) string {
	var text strings.Builder
	for range r.IntN(60) {
		piece := v.Piece(int32(r.IntN(v.Size())))
		if len(special) > 0 && r.IntN(3) == 0 {
			piece = v.Piece(special[r.IntN(len(special))])
		}
		switch r.IntN(8) {
		case 0:
			piece = piece[:r.IntN(len(piece)+1)]
		case 1:
			piece = []byte(strings.Repeat([]string{" ", "\n", "\t", "\t\n ", "a", "\u2581", "漢"}[r.IntN(7)], r.IntN(40)))
		case 2:
			piece = []byte{byte(r.IntN(256))}
		}
		text.Write(piece)
	}
	return text.String()
}

// Issue 19: the tokens are llama.cpp's own, whatever the text. A vocabulary is asked for 25 texts,
// and for 60 with TENON_LONG.
func TestTokenize_givesTheTokensOfLlamaCpp(t *testing.T) {
	texts := 25
	if os.Getenv("TENON_LONG") != "" {
		texts = 60
	}
	for name, v := range vocabularies(t) {
		r := rand.New(rand.NewPCG(3, 4))
		var special []int32
		for id := range int32(v.Size()) {
			if v.Attr(id)&(UserDefined|Control) != 0 {
				special = append(special, id)
			}
		}
		for range texts {
			text := hostile(r, v, special)
			got, err := v.Tokenize(t.Context(), text)
			want, wantErr := v.TokenizeAtOnce(text, TokenizeOptions{})
			if err != nil || wantErr != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q\ngives %d, %v\nnot   %d, %v", name, text, got, err, want, wantErr)
				break
			}
		}
	}
}

// hard are texts of which some tokenizer's time grew with the square of their length, or whose
// special tokens lie one in the other.
var hard = []string{"\t\n ", "\n", "\n\n\n\t", "\x00", "\xff", "<tool_call>a", "<tool_call", "[", "a", " a", "漢", "th", "the the"}

// Issue 19: four times the text is four times the work.
func TestTokenize_takesTimeByTheTextsLength(t *testing.T) {
	for name, v := range vocabularies(t) {
		for _, unit := range hard {
			short, long := strings.Repeat(unit, 1_000/len(unit)), strings.Repeat(unit, 4_000/len(unit))
			var few, many int
			v.specials.part(short, &few)
			v.specials.part(long, &many)
			if many > 5*few+100 {
				t.Errorf("%s, %q: special tokens are sought in %d steps, in four times the text in %d", name, unit, few, many)
			}
			// a slice that grows may be twice too long
			if few, many := allocated(t, v, short), allocated(t, v, long); many > 8*few+1<<16 {
				t.Errorf("%s, %q: %d bytes are allocated, for four times the text %d", name, unit, few, many)
			}
		}
	}
}

func allocated(t *testing.T, v *Vocab, text string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := v.Tokenize(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A text that is cut for its length has the tokens of the whole one, where a token ends there. One
// tokenizer's is cut twice, the other's once: a megabyte takes seconds.
func TestTokenize_longTextsAreCutBetweenWords(t *testing.T) {
	for i, kind := range []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow} {
		length := longestText * 9 / 8
		if i == 0 {
			length += longestText
		}
		text := strings.Repeat("The weather in the city is cold, and the wind is strong.\n", length/57)
		v := load(t, tinymodel.Options{Kind: kind, Metadata: map[string]any{"tokenizer.ggml.add_space_prefix": true}}, ModelOptions{VocabOnly: true}).Vocab()
		got, err := v.Tokenize(t.Context(), text)
		want, wantErr := v.TokenizeAtOnce(text, TokenizeOptions{})
		if err != nil || wantErr != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d tokens, %v; llama.cpp has %d, %v", kind, len(got), err, len(want), wantErr)
		}
	}
	for _, text := range []string{strings.Repeat("a", longestText+5), strings.Repeat("漢", longestText), strings.Repeat("\x80", longestText*2)} {
		if cut := cutText(text); cut <= longestText-5 || cut > longestText || text[0] == "漢"[0] && cut%3 != 0 {
			t.Errorf("%.6q… of %d bytes is cut at %d", text, len(text), cut)
		}
	}
}
