package vocab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/vocab"
	"tenon/models/gguf"
)

const shared = "../../../shared/data/vocab"

// open reads the header of one of the shared vocabularies.
func open(t testing.TB, name string) *gguf.File {
	t.Helper()
	f, err := gguf.Open(filepath.Join(shared, "ggml-vocab-"+name+".gguf"))
	if os.IsNotExist(err) || err != nil && strings.Contains(err.Error(), "no such file") {
		t.Skip("the vocabularies of ../shared are absent")
	}
	if err != nil {
		t.Fatal(err)
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
			v, err := vocab.FromGGUF(open(t, name))
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

func TestTrie_holdsEveryToken(t *testing.T) {
	texts := [][]byte{[]byte("b"), []byte("abc"), []byte("ab"), []byte("b"), []byte(""), []byte("\xff")}
	tree := vocab.BuildTrie(texts, []int32{0, 1, 2, 3, 4, 5})
	got := map[int32]string{}
	var path [256]byte
	for _, n := range tree.Nodes {
		path[n.Depth-1] = n.Byte
		for id := n.Token; id >= 0; id = tree.Next(id) {
			got[id] = string(path[:n.Depth])
		}
	}
	want := map[int32]string{0: "b", 1: "abc", 2: "ab", 3: "b", 5: "\xff"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

// TestBPE_cutsTextAsLlamaCpp compares with the cases that lie beside the shared vocabularies;
// their texts are separated by a line of their own.
func TestBPE_cutsTextAsLlamaCpp(t *testing.T) {
	for _, name := range []string{"llama-bpe", "gpt-2"} {
		t.Run(name, func(t *testing.T) {
			tok, err := vocab.NewBPE(open(t, name))
			if err != nil {
				t.Fatal(err)
			}
			in, err := os.ReadFile(filepath.Join(shared, "ggml-vocab-"+name+".gguf.inp"))
			if err != nil {
				t.Fatal(err)
			}
			out, err := os.ReadFile(filepath.Join(shared, "ggml-vocab-"+name+".gguf.out"))
			if err != nil {
				t.Fatal(err)
			}
			wants := strings.Split(string(out), "\n")
			for i, text := range strings.Split(string(in), "\n__ggml_vocab_test__\n") {
				got := strings.Trim(fmt.Sprint(tok.Tokenize([]byte(text))), "[]")
				if want := strings.TrimSpace(wants[i]); got != want {
					t.Errorf("%q: %s, want %s", text, got, want)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	f := open(b, "llama-bpe")
	v, err := vocab.FromGGUF(f)
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
	f := open(b, "llama-bpe")
	for b.Loop() {
		if _, err := vocab.FromGGUF(f); err != nil {
			b.Fatal(err)
		}
	}
}
