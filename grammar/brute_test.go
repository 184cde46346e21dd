package grammar

import (
	"slices"
	"testing"

	"tenon/grammar/vocab"
)

// tinyVocab has one token for each text, symbols for those that begin with <|, and an end token
// behind them.
func tinyVocab(t testing.TB, texts ...string) *Vocab {
	t.Helper()
	pieces := make([][]byte, 0, len(texts)+1)
	kinds := make([]TokenKind, 0, len(texts)+1)
	for _, s := range texts {
		pieces = append(pieces, []byte(s))
		if len(s) > 2 && s[:2] == "<|" {
			kinds = append(kinds, vocab.UserDefined)
		} else {
			kinds = append(kinds, vocab.Normal)
		}
	}
	pieces = append(pieces, []byte("<end>"))
	kinds = append(kinds, vocab.Control)
	v, err := NewVocab(pieces, kinds, []int32{int32(len(texts))})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkMasks walks all token sequences to a depth and compares each mask with what token by token
// matching on a grammar of its own says, and that no mask is empty.
func checkMasks(t *testing.T, src string, v *Vocab, depth int) {
	t.Helper()
	m := mustParse(t, src).Matcher(v)
	DropCaches() // so that the other has nothing in common with it
	plain := mustParse(t, src).Matcher(v)
	var walk func(depth int, path []int32)
	walk = func(depth int, path []int32) {
		mask := m.Mask()
		if mask.Len() == 0 {
			t.Fatalf("%s: nothing is allowed after %v", src, path)
		}
		for id := range int32(v.Len()) {
			want := plain.Allowed(id)
			if mask.Allows(id) != want {
				t.Fatalf("%s: after %v token %d %q: mask says %v, matching says %v", src, path, id, v.Piece(id), mask.Allows(id), want)
			}
			if !want || depth == 0 || v.IsEOG(id) {
				continue
			}
			if m.Accept(id) != nil || plain.Accept(id) != nil {
				t.Fatalf("%s: token %d is allowed and refused", src, id)
			}
			walk(depth-1, append(slices.Clip(path), id))
			m.Rollback(1)
			plain.Rollback(1)
		}
	}
	walk(depth, nil)
}

func TestMask_equalsMatchingTokenByToken(t *testing.T) {
	v := tinyVocab(t, "a", "b", "ab", "aab", "<", "call", "<call>", "<ca", "ll>", "1", "12", ">x", "\xc3", "\xa4", "ä", "ab", "|", "s", ">", "2", "x", "<|s|>")
	for _, src := range []string{
		`root ::= ("a" | "ab")* "1"`,
		`root ::= [^a]+ "a" | "ab"{1,3}`,
		`root ::= %until("<call>") ("<call>" "x" | "<call>1")?`,
		`root ::= %until("aab") "aab" [ä1]`,
		`root ::= %text <[<|s|>]> "a"*`,
		`root ::= ("<|s|>" | <[<|s|>]> "b")+`,
		`root ::= "<" root ">" | "x"? "1"`,
		`root ::= %regex "(ab|a)*1?" "2"`,
		`root ::= (!<[<|s|>]>)* <[<|s|>]>`,
		`root ::= <[21]> <|s|>`,
	} {
		checkMasks(t, src, v, 3)
	}
}

// TestMask_tokensAreCutWithinCodePoints is about tokens that end within a code point, or go on
// with one and close a string.
func TestMask_tokensAreCutWithinCodePoints(t *testing.T) {
	v := tinyVocab(t, `"`, "\xC3", "\xA9\"", "\xA9", "\xA9a\"", "a", "é", "\\u00e9", `{"`, ":1", "}", "\xA9\":1}", "[", "]", ",")
	for _, src := range []string{
		`root ::= %json{"type":"string"}`,
		`root ::= %json{"type":"string","pattern":"^[a-zé]+$"}`,
		`root ::= %json{"type":"string","maxLength":2}`,
		`root ::= %json{"type":"object","patternProperties":{"^[a-zé]+$":{}},"additionalProperties":false}`,
		`root ::= %json{"type":"array","items":{"type":"string"},"uniqueItems":true}`,
	} {
		checkMasks(t, src, v, 4)
	}
}

// TestMask_tokensOfOneCodePointEach is about many that begin with one byte, of which a pattern
// refuses some.
func TestMask_tokensOfOneCodePointEach(t *testing.T) {
	texts := []string{`"`, "a", "b", "ab"}
	for r := rune(0x3000); r < 0x3100; r++ { // with a space and marks among the letters
		texts = append(texts, string(r))
	}
	v := tinyVocab(t, texts...)
	for _, pattern := range []string{`^\\S+$`, `^\\s+$`, `[^〇-〟]$`, `^[\\w\\s-]+$`, `^(?!.*を)`} {
		checkMasks(t, `root ::= %json{"type":"string","pattern":"`+pattern+`"}`, v, 1)
	}
}

// TestMask_shortTextsMayFollowAndLongOnesNot: of tokens that begin alike, some are too short to
// hold a word that must not be.
func TestMask_shortTextsMayFollowAndLongOnesNot(t *testing.T) {
	texts := []string{`"`, "a", "b", "Z", "-"}
	for _, first := range []string{"ü", "ö", "ß"} {
		for _, rest := range []string{"", "b", "be", "ber", "bers", "ber-", "bel", "ben", "bung", "a", "ab"} {
			texts = append(texts, first+rest, "a"+first+rest)
		}
	}
	v := tinyVocab(t, texts...)
	for _, pattern := range []string{`^(?!.*über)`, `^(?!.*(über|aö))`, `^(?!.*übers)`, `^(?!.*(ß|be))`} {
		checkMasks(t, `root ::= %json{"type":"string","pattern":"`+pattern+`"}`, v, 1)
	}
}

// TestMask_keysOfSeveralClasses has keys that one token ends and another key follows, of classes
// that only together are any text.
func TestMask_keysOfSeveralClasses(t *testing.T) {
	v := tinyVocab(t, `{"`, `"`, "a", "b", "ab", "x", `a":1,"b`, `":1,"`, `":1,"a":`, "1", `a":`, "}", ",", ":", `\u0061`)
	for _, schema := range []string{
		`{"patternProperties":{"^a":{"const":1},"b":{"type":"integer"}}}`,
		`{"patternProperties":{"^a":{"const":1},"b":{"const":"x"}},"properties":{"ab":true}}`,
		`{"patternProperties":{"^a":{"const":1},"b$":{"type":"integer"}},"additionalProperties":false}`,
		`{"patternProperties":{"^(a|b)$":{"const":1},"x":{"type":"integer"}},"additionalProperties":false,"properties":{"a":{"const":1}}}`,
		`{"patternProperties":{"^(a|ab|b)$":{"const":1},"x":{"type":"integer"}},"maxProperties":2}`,
		// Alternatives in which a key is named in some and not in others, or has been.
		`{"anyOf":[{"properties":{"a":{"const":1}},"additionalProperties":{"const":"x"}},{"properties":{"b":{"const":1}},"additionalProperties":{"const":"b"}}]}`,
		`{"anyOf":[{"properties":{"a":{"const":1}},"maxProperties":2},{"properties":{"b":{"const":1},"ab":{}},"required":["b"]},{"properties":{"x":{"const":1}}}]}`,
		`{"if":{"properties":{"a":{"const":1}}},"then":{"properties":{"b":{"const":1}}},"else":{"required":["x"]}}`,
	} {
		checkMasks(t, `root ::= %json`+schema+`[space=none, escapes=common]`, v, 4)
	}
}
