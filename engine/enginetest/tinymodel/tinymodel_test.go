package tinymodel

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrite_sameSeedSameBytes(t *testing.T) {
	write := func(o Options) string {
		var b bytes.Buffer
		if err := Write(&b, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, k := range []Kind{FullAttention, SlidingWindow, SoftCapped, Hybrid, Embedding} {
		one := write(Options{Kind: k, Seed: 1})
		if one != write(Options{Kind: k, Seed: 1}) {
			t.Errorf("%s: the same seed wrote other bytes", k)
		}
		if one == write(Options{Kind: k, Seed: 2}) {
			t.Errorf("%s: another seed wrote the same bytes", k)
		}
		if len(one) > 4<<20 {
			t.Errorf("%s: %d bytes are not tiny", k, len(one))
		}
	}
}

func TestWrite_refusesWhatItCannotSay(t *testing.T) {
	if err := Write(&bytes.Buffer{}, Options{Kind: "quantum"}); err == nil {
		t.Error("an unknown kind was written")
	}
	o := Options{Kind: FullAttention, Metadata: map[string]any{"key": 3.5}}
	if err := Write(&bytes.Buffer{}, o); err == nil {
		t.Error("a metadata value of an unknown type was written")
	}
}

func TestTrain_mergesSpellTheWordsTheyWereLearntFrom(t *testing.T) {
	words := wordsOf(sample, byteLevel)
	learned := train(words, merges)
	if len(learned) != merges {
		t.Fatalf("%d merges, want %d", len(learned), merges)
	}
	symbols := map[string]bool{}
	for w := range words {
		for _, c := range strings.Split(w, "") {
			symbols[c] = true
		}
	}
	for _, m := range learned {
		if !symbols[m.left] || !symbols[m.right] {
			t.Errorf("%q + %q: a part was never learnt", m.left, m.right)
		}
		symbols[m.left+m.right] = true
	}
}

func TestByteRune_isInjective(t *testing.T) {
	seen := map[rune]bool{}
	for b := range 256 {
		seen[byteRune(byte(b))] = true
	}
	if len(seen) != 256 {
		t.Errorf("%d code points for 256 bytes", len(seen))
	}
}
