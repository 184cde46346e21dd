package grammar

import (
	"math/rand/v2"
	"testing"

	"tenon/grammar/lex"
)

// TestMask_inPiecesIsTheMask: with automata so small that each mask fills them, masks are computed
// in pieces, and are those of automata that suffice.
func TestMask_inPiecesIsTheMask(t *testing.T) {
	v := tinyVocab(t, threeLetters()...)
	defer func() { automata = lex.Limits{} }()
	pieced := 0
	for _, text := range []string{
		`{"type":"string","pattern":"(?=.*a.{5}b)x.*y$"}`,
		`{"type":"string","pattern":"^(?=.*[A-Z])(?=.*[0-9])(?=.*é).{8,20}$"}`,
		`{"type":"string","pattern":"^([a-c]x?){3,9}$","minLength":8,"maxLength":14}`,
		`{"type":"object","patternProperties":{"^(?!x)[a-z]{2,6}$":{"type":"string","pattern":"a.{6}b$"}},"additionalProperties":false,"minProperties":1}`,
	} {
		for seed := range uint64(10) {
			automata = lex.Limits{}
			DropCaches()
			rng := rand.New(rand.NewPCG(seed, 43))
			whole := mustSchema(t, text, SchemaOptions{Space: NoSpace}).Matcher(v)
			automata.States = 240 + 20*int(seed)
			DropCaches()
			small := mustSchema(t, text, SchemaOptions{Space: NoSpace}).Matcher(v)
			var out []byte
			for range 12 {
				want, before := whole.Mask(), small.e
				got := small.Mask()
				if small.e != before {
					pieced++
				}
				for id := range int32(v.Len()) {
					if got.Allows(id) != want.Allows(id) {
						t.Fatalf("%s: behind %q, %q is allowed: %v", text, out, v.Piece(id), got.Allows(id))
					}
				}
				token := randomToken(want, v, rng)
				out = append(out, v.Piece(token)...)
				if v.IsEOG(token) {
					break
				}
				if err := whole.Accept(token); err != nil {
					t.Fatal(err)
				}
				if err := small.Accept(token); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
	}
	if DropCaches(); pieced < 15 {
		t.Errorf("%d masks filled their automata", pieced)
	}
}

// threeLetters are tokens of up to three letters, behind those that end a string.
func threeLetters() []string {
	texts := []string{`"`, `{`, `:`, `}`, `,`}
	for from := -1; from < 72; from++ {
		begun := ""
		if from >= 0 {
			begun = texts[5+from]
		}
		for _, letter := range []string{"a", "b", "c", "x", "y", "A", "0", "é"} {
			texts = append(texts, begun+letter)
		}
	}
	return texts
}
