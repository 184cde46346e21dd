package vocab_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/vocab"
)

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
