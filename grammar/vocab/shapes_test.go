package vocab_test

import (
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/vocab"
)

func TestShapes_tokensOfOneShapeAreTogether(t *testing.T) {
	texts := []string{"", "ab", "zy", "a", "Ab", " ab", "1", "22", "-", "--", "é", "éa", "è", "漢", "\xC3", "\xA9", `"`, `a"`, `\n`, "\n", "\U0001F600", "ab"}
	v := newVocab(t, texts)
	s := v.Shapes()
	got := map[int32][]int32{} // by the first token of a shape
	var path [8]vocab.Class
	for i := range s.Nodes {
		n := &s.Nodes[i]
		path[n.Depth] = n.Class
		own := s.Tokens[n.From:n.Own]
		for _, id := range own {
			got[own[0]] = append(got[own[0]], id)
			if shape := shapeOf(texts[id]); !slices.Equal(shape, path[1:n.Depth+1]) {
				t.Errorf("%q is at %v, its shape is %v", texts[id], path[1:n.Depth+1], shape)
			}
		}
		for j := i; j < i+int(n.Size); j++ {
			if below := &s.Nodes[j]; below.From < n.From || below.To > n.To || int(n.Height) < int(below.Depth-n.Depth) || j > i && n.Below>>below.Class&1 == 0 {
				t.Errorf("node %d is not one behind %d", j, i)
			}
		}
	}
	for i, id := range s.Tokens {
		if text := s.Text(int32(i)); string(text) != texts[id] {
			t.Errorf("the text of token %d is %q", id, text)
		}
	}
	want := map[int32][]int32{1: {1, 21, 2}, 3: {3}, 4: {4}, 5: {5}, 6: {6}, 7: {7}, 8: {8}, 9: {9}, 11: {11}, 12: {12, 10}, 13: {13}, 20: {20}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestHasShape_isWholeCodePointsWithoutWhatEndsStringsAndWideSpace compares with a look at each
// code point.
func TestHasShape_isWholeCodePointsWithoutWhatEndsStringsAndWideSpace(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := []byte(string(r))
		wide := r > unicode.MaxASCII && unicode.IsSpace(r) && r != 0x85 || r == 0xFEFF
		if want := r >= ' ' && r != '"' && r != '\\' && !wide; vocab.HasShape(text) != want {
			t.Errorf("%U has a shape: %v", r, !want)
		}
		if cut := text[:len(text)-1]; len(cut) > 0 && vocab.HasShape(cut) {
			t.Errorf("%x has a shape", cut)
		}
	}
	for _, text := range []string{"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "a\x80", "\xFF"} {
		if vocab.HasShape([]byte(text)) {
			t.Errorf("%x has a shape", text)
		}
	}
	if !vocab.HasShape([]byte("aé漢 \U0001F600")) || vocab.HasShape([]byte("a\u00A0b")) {
		t.Error("a text has a shape where all its code points do")
	}
}

func shapeOf(text string) []vocab.Class {
	var shape []vocab.Class
	for len(text) > 0 {
		_, n := utf8.DecodeRuneInString(text)
		shape = append(shape, vocab.ClassOf(text[0]))
		text = text[n:]
	}
	return shape
}

// newVocab has one token for each text.
func newVocab(t *testing.T, texts []string) *vocab.Vocab {
	t.Helper()
	pieces, kinds := make([][]byte, len(texts)), make([]vocab.Kind, len(texts))
	for i, s := range texts {
		pieces[i], kinds[i] = []byte(s), vocab.Normal
	}
	v, err := vocab.New(pieces, kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
