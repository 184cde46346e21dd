package runner

import (
	"slices"
	"testing"

	"tenon/grammar"
	"tenon/grammar/vocab"
)

// A large vocabulary is not walked through where the budget gets tight, and what can end is found
// nevertheless, be it as unlikely as can be.
func TestBudget_fewTokensOfALargeVocabularyAreTried(t *testing.T) {
	const words = 20_000
	v := wordVocab(t, words)
	g, err := grammar.FromSchema([]byte(`{"type":"object"}`), grammar.SchemaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, v.Len())
	for i := range logits {
		logits[i] = float32(i) // the bytes come first
	}
	for _, c := range []struct {
		begun  string
		limit  int
		likely bool // a word still fits
	}{
		{`{"a":1,"b`, 4, false}, {`{"a":1,"b":"`, 3, true}, {`{"a":1,"b":"`, 2, false}, {`{"a":1,"b":"`, 1, false},
	} {
		m := g.Matcher(v)
		if err := m.AcceptBytes([]byte(c.begun)); err != nil {
			t.Fatal(err)
		}
		mask := m.Mask()
		if n := len(candidates(logits, &mask, v)); n > likelyTokens+256 {
			t.Errorf("%s: %d tokens are tried", c.begun, n)
		}
		turn := &turn{matcher: m, limit: c.limit}
		got, all := turn.fitting(logits, &mask, v), m.MaskWithin(c.limit)
		ids := slices.DeleteFunc(slices.Collect(each(v.Len())), func(id int32) bool { return !got.Allows(id) })
		// MaskWithin does not try all, either
		strays := func(id int32) bool { return !all.Allows(id) && !(mask.Allows(id) && turn.fits(id, v)) }
		if len(ids) == 0 || slices.ContainsFunc(ids, strays) {
			t.Errorf("%s, %d tokens left: %d tokens fit, of %d", c.begun, c.limit, len(ids), all.Len())
		}
		if got.Allows(int32(v.Len()-1)) != c.likely {
			t.Errorf("%s, %d tokens left: whether the likeliest token fits is not %v", c.begun, c.limit, c.likely)
		}
	}
}

// wordVocab has all bytes, then words.
func wordVocab(t *testing.T, words int) *grammar.Vocab {
	t.Helper()
	var pieces [][]byte
	for b := range 256 {
		pieces = append(pieces, []byte{byte(b)})
	}
	for i := range words {
		pieces = append(pieces, []byte{'a' + byte(i%26), 'a' + byte(i/26%26), 'a' + byte(i/676%26), 'a' + byte(i/17576%26)})
	}
	kinds := slices.Repeat([]grammar.TokenKind{vocab.Normal}, len(pieces))
	v, err := grammar.NewVocab(pieces, kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func each(n int) func(func(int32) bool) {
	return func(yield func(int32) bool) {
		for id := range int32(n) {
			if !yield(id) {
				return
			}
		}
	}
}
