package vocab_test

import (
	"fmt"
	"os"
	"path/filepath"
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
