package machine

import (
	"testing"

	"tenon/grammar/vocab"
)

// TestMasks_keepNoMoreThanTheyMay walks through many states of a language, whose masks are the
// same whether or not what is known of states is forgotten.
func TestMasks_keepNoMoreThanTheyMay(t *testing.T) {
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	for b := range 256 {
		pieces, kinds = append(pieces, []byte{byte(b)}), append(kinds, vocab.Normal)
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	m := compiled(t, `root ::= %json{"type":"string","pattern":"^([a-y]{1,9}z)*$","maxLength":300}`, false)
	small, large := NewMasks(m, v), NewMasks(m, v)
	small.keep, small.limit = 1<<9, 1<<10
	id := m.Start()
	for _, b := range []byte(`"abcdefgzabzzabcdefghizabcdefgzabcdefzabcdezabcdzabczabzaz`) {
		x, y := small.Mask(id, nil), large.Mask(id, nil)
		for token := range int32(v.Len()) {
			if x.Allows(token) != y.Allows(token) {
				t.Fatalf("before %q token %d: %v and %v", b, token, x.Allows(token), y.Allows(token))
			}
		}
		if small.kept > 2<<10 {
			t.Fatalf("before %q %d bytes are kept", b, small.kept)
		}
		if id = m.Step(id, int(b)); id == Stuck {
			break
		}
	}
	if large.kept <= 2<<10 {
		t.Fatalf("all that there is to keep is %d bytes: the walk is too short", large.kept)
	}
}
