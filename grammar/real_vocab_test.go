package grammar

import (
	"slices"
	"testing"

	"tenon/grammar/vocab"
	"tenon/models/gguf"
)

// openVocabulary reads the header of one of the shared vocabularies.
func openVocabulary(t testing.TB, name string) *gguf.File {
	t.Helper()
	f, err := gguf.Open("../../shared/data/vocab/ggml-vocab-" + name + ".gguf")
	if err != nil {
		t.Skipf("the vocabularies of ../shared are absent: %v", err)
	}
	return f
}

func TestFromGGUF_realVocabularies(t *testing.T) {
	for name, want := range map[string]struct {
		text, symbol string
	}{
		"llama-bpe": {" the", "<|eot_id|>"},
		"qwen35":    {" the", "<|im_end|>"},
		"gemma-4":   {" the", "<eos>"},
		"llama-spm": {" the", "</s>"},
		"gpt-2":     {" the", "<|endoftext|>"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := FromGGUF(openVocabulary(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if id, ok := v.Symbol(want.symbol); !ok && name != "gpt-2" || ok && !v.IsEOG(id) {
				t.Errorf("%s is no end token", want.symbol)
			}
			found := false
			for id := range int32(v.Len()) {
				found = found || string(v.Piece(id)) == want.text && v.Text(id)
			}
			if !found {
				t.Errorf("no token %q", want.text)
			}
			var covered [256]bool
			for id := range int32(v.Len()) {
				if p := v.Piece(id); v.Text(id) && len(p) == 1 {
					covered[p[0]] = true
				}
			}
			if i := slices.Index(covered[:], false); i >= 0 && name != "gpt-2" && i < 0xC0 {
				t.Errorf("no token for the byte %#x", i)
			}
		})
	}
}

func BenchmarkVocab(b *testing.B) {
	f := openVocabulary(b, "llama-bpe")
	v, err := FromGGUF(f)
	if err != nil {
		b.Fatal(err)
	}
	pieces, kinds := make([][]byte, v.Len()), make([]vocab.Kind, v.Len())
	for id := range pieces {
		pieces[id], kinds[id] = v.Piece(int32(id)), v.Kind(int32(id))
	}
	for b.Loop() {
		if _, err := vocab.New(pieces, kinds, v.EOG()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFromGGUF(b *testing.B) {
	f := openVocabulary(b, "llama-bpe")
	for b.Loop() {
		if _, err := FromGGUF(f); err != nil {
			b.Fatal(err)
		}
	}
}
