package machine

import (
	"strings"
	"testing"

	"tenon/grammar/vocab"
)

// longVocab has a token for every byte, tokens for all parts of some texts of up to so many bytes,
// each of them twice, and one that is a symbol and text.
func longVocab(t *testing.T, most int, texts ...string) *vocab.Vocab {
	t.Helper()
	pieces, kinds := [][]byte{[]byte("<end>"), []byte("<|s|>")}, []vocab.Kind{vocab.Control, vocab.UserDefined}
	seen := map[string]bool{}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			for range 2 {
				pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Normal)
			}
		}
	}
	for b := range 256 {
		add(string([]byte{byte(b)}))
	}
	for _, text := range texts {
		for n := 2; n <= most; n++ {
			for i := 0; i+n <= len(text); i++ {
				add(text[i : i+n])
			}
		}
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// maskCase is a grammar, and texts that touch a rule of the masks.
type maskCase struct {
	src   string
	texts []string
}

const distinctStrings = `root ::= %json{"type":"array","items":{"type":"string"},"uniqueItems":true}` + tight

var maskCases = map[string]maskCase{
	"an element that stands for any":        {distinctStrings, []string{"[\"\x7f\",\"\x7f\x7f\",\"b\x7f\"]"}},
	"an element that has been":              {distinctStrings, []string{`["ab","abc","b","ab`, `["","a"]`}},
	"an element with an escape":             {`root ::= %json{"type":"array","items":{"type":"string"},"uniqueItems":true}`, []string{`["aé","\u0061\u00e9b","x\u0061","x`}},
	"elements that are used up":             {`root ::= %json{"type":"array","items":{"enum":["a","bb"]},"uniqueItems":true}` + tight, []string{`["a","bb"]`, `["bb","a"]`}},
	"elements of an endless pattern":        {`root ::= %json{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"uniqueItems":true}` + tight, []string{`["ab","b","a`}},
	"elements of some letters":              {`root ::= %json{"type":"array","items":{"type":"string","maxLength":3},"uniqueItems":true}` + tight, []string{`["ab","abc","a`}},
	"declared keys, then as many others":    {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1}},"additionalProperties":{"const":2},"minProperties":3,"type":"object"}[space=none, escapes=canonical, order=declared]`, []string{`{"b":1,"x":2,"y":2}`}},
	"few that are longer than states agree": {`root ::= %json{"type":"string","pattern":"^[0-9]{1,45}x$"}` + tight, []string{`"` + strings.Repeat("12", 22) + `x"`}},
	"longer ones that close":                {`root ::= %json{"type":"array","items":{"type":"string","pattern":"^[a-z]{1,45}[0-9]$"}}` + tight, []string{`["` + strings.Repeat("ab", 18) + `1","a1"]`}},
	"a string of two kinds of elements":     {`root ::= %json{"type":"array","uniqueItems":true,"items":{"anyOf":[{"type":"array","items":{"type":"string"},"contains":{"const":"a"}},{"type":"array","items":{"type":"string"},"minItems":2}]}}` + tight, []string{`[["a"],["a","b"],["ab"`}},
	"a string of two kinds of objects":      {`root ::= %json{"type":"array","uniqueItems":true,"items":{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"const":1}},"required":["b"],` + closed + `},{"properties":{"a":{"type":"string"},"c":{"const":1}},"required":["c"],` + closed + `}]}}` + tight, []string{`[{"a":"ab","c":1},{"a":"ab","b":1},{"a":"cd","c"`}},
	"different, and some contained":         {`root ::= %json{"type":"array","items":{"type":"string"},"contains":{"const":"a"},"uniqueItems":true}` + tight, []string{`["ab","a","b"]`}},
	"any text, then a few others":           {`root ::= %json{"type":"array","prefixItems":[{"type":"string"}],"items":{"enum":["a","b"]},"uniqueItems":true}` + tight, []string{`["a","b"]`, `["b","a`, `["ab","a"]`}},
	"a key that one of two objects names":   {`root ::= %json{"anyOf":[{"properties":{"ab":{"const":1}},"additionalProperties":{"const":2},"type":"object"},{"properties":{"cd":{"const":1}},"additionalProperties":{"const":3},"type":"object"}]}` + tight, []string{`{"ab":3,"x":3,"cd":1}`, `{"cd":2,"ab":1,"abc":2}`}},
	"another key with an escape":            {`root ::= %json{"type":"object"}`, []string{`{"a\u0062":1,"\n`}},
	"an object of two kinds of elements": {`root ::= %json{"type":"array","uniqueItems":true,"items":{"anyOf":[{"properties":{"a":{"properties":{"p":{"type":"boolean"},"s":{"type":"string"}},"required":["p"],` + closed + `},"b":{"const":1}},"required":["a","b"],` + closed + `},{"properties":{"a":{"properties":{"p":{"type":"boolean"},"s":{"type":"string"}},"required":["p"],` + closed + `},"c":{"const":1}},"required":["a","c"],` + closed + `}]}}` + tight,
		[]string{`[{"a":{"p":true},"b":1},{"a":{"p":true},"c":1},{"a":{"p":false},"c":1}`}},
	"an object within an element":          {`root ::= %json{"type":"array","uniqueItems":true,"items":{"properties":{"a":{"properties":{"p":{"type":"boolean"},"s":{"type":"string"}},"required":["p"],` + closed + `}},"required":["a"],` + closed + `}}` + tight, []string{`[{"a":{"p":true}},{"a":{"p":true,"s":""}},{"a":{"s":"`}},
	"different objects with others":        {`root ::= %json{"type":"array","uniqueItems":true,"items":{"properties":{"a":{"const":true}},"required":["a"],"additionalProperties":{"const":1},"type":"object"}}` + tight, []string{`[{"a":true},{"a":true,"x":1}]`}},
	"strings of one letter":                {`root ::= %json{"type":"array","items":{"type":"string","pattern":"^[ab]$"},"uniqueItems":true}` + tight, []string{`["a","b"]`}},
	"elements that hold strings":           {`root ::= %json{"type":"array","items":{"type":"array","items":{"type":"string"}},"uniqueItems":true}` + tight, []string{`[["ab"],["ab","c"],["c"]]`, `[[],["a"],["a`}},
	"a key that stands for any":            {`root ::= %json{"properties":{"` + "\x7f" + `":{"const":1}},"additionalProperties":{"const":2},"type":"object"}` + tight, []string{"{\"\x7f\x7f\":2,\"\x7f\":1,\"a\":2}"}},
	"a key that is named or has been":      {`root ::= %json{"properties":{"ab":{"const":1}},"additionalProperties":{"const":2},"type":"object"}` + tight, []string{`{"abc":2,"b":2,"ab":1,"abd":2}`}},
	"a key of an element that must differ": {`root ::= %json{"type":"array","items":{"properties":{"ab":{"type":"integer"}},"type":"object"},"uniqueItems":true}` + tight, []string{`[{"abc":"x","ab":1},{"ab":2,"ab`}},
	"a name with escapes":                  {`root ::= %json{"properties":{"ab\n\u00e9\ud83d\ude00/":{"const":1},"ac":{"const":2}},` + closed + `}`, []string{`{"a\u0062\u000A\u00E9\uD83D\ude00\/":1}`, `{"\u0061b\né😀/":1,"a\u0063":2}`}},
	"a name with canonical escapes":        {`root ::= %json{"properties":{"a\n\u0001\"é":{"const":1}},` + closed + `}` + tight, []string{`{"a\n\u0001\"é":1}`}},
	"tokens longer than states agree":      {`root ::= %json{"type":"string","pattern":"^[a-z]{1,45}[0-9]$"}` + tight, []string{`"` + strings.Repeat("ab", 22) + `a1"`}},
	"bounds on the length":                 {`root ::= %json{"type":"string","minLength":3,"maxLength":5}` + tight, []string{`"aéa\"b"`, `"abc"`}},
	"a pattern and a bound":                {`root ::= %json{"type":"string","pattern":"^[a-z]+[0-9]?$","maxLength":30}` + tight, []string{`"abcdefghijklmnopqrstuvwxyzab1"`}},
	"a pattern near its bound":             {`root ::= %json{"type":"string","pattern":"^a*(bcd)?$","maxLength":6}` + tight, []string{`"aaabcd"`, `"aaaaaa"`}},
	"code points of several bytes":         {`root ::= %json{"type":"string","pattern":"^[\\u0800-\\ud7ff\\ue000-\\uffff]*x?[\\ud800\\udc00-\\udbff\\udfff]*$"}` + tight, []string{"\"ࠀ\ud7ff\ue000x𐀀\U0010ffff\"", "\"é"[:1], "\"一二x😀\""}},
	"code points that are told apart":      {`root ::= %json{"type":"string","pattern":"^[a-z]+[0-4é]*[^:;]*$"}` + tight, []string{`"ab12éa.x"`, `"x:`[:2]}},
	"letters that are told apart":          {`root ::= %json{"type":"string","pattern":"^[a-z ]*(needle|hay)[a-z]*$"}` + tight, []string{`"a needle in hayx"`[:9], `"hayneedle"`}},
	"a symbol is no text":                  {`root ::= %until("x") "x" <|s|>`, []string{`a<|s|>x`}},
	"text that ends in several ways":       {`root ::= %until("</a>") "</a>" | %until("</ab>") "</ab>!"`, []string{`a</ab>!`, `</a>`}},
	"several readings of a word":           {"root ::= x+ \"!\"\nx ::= [a-c] [a-c]? [a-c]? \"-\"?", []string{`abcab-c!`}},
	"keys of patterns":                     {`root ::= %json{"type":"object","patternProperties":{"^b[a-z]*$":{"const":1},"n$":{"enum":[1,2]}},"additionalProperties":{"type":"null"}}` + tight, []string{`{"bn":1,"an":2,"c":null,"b":1}`}},
	"one of many objects":                  {`root ::= %json{"anyOf":[{"properties":{"k":{"const":"a"},"v":{"type":"integer"}},"required":["k"],` + closed + `},{"properties":{"k":{"const":"b"},"v":{"type":"string"}},"required":["k"],` + closed + `}]}` + tight, []string{`{"v":1,"k":"a"}`, `{"k":"b","v":"x"}`}},
	"a string of any text beside another":  {`root ::= %json{"type":"string"} "1" | %json{"type":"string","pattern":"^[a-m]+[n-z]"} "2"`, []string{`"an"1`, `"an" 2`}},
	"plain text":                           {`root ::= "a" x "1" | "b" x "2"` + "\n" + `x ::= %plain{"type":"string","minLength":2,"maxLength":5}("</v>") "</v>"`, []string{`aab</v>1`, `babcd</v>2`}},
	"parts in any order":                   {`root ::= %each("," | "a" [0-9] | "b"? | "c") "."`, []string{`a1,c.`, `c,b,a2.`}},
	"words that may go on":                 {`root ::= %regex "[0-9]+(x[0-9]+)?" ("," %regex "a*b")*`, []string{`12x3,aab,b`}},
}

// maskVocab has the parts of a case's texts.
func maskVocab(t *testing.T, name string, c maskCase) *vocab.Vocab {
	t.Helper()
	if strings.Contains(name, "longer") {
		return longVocab(t, 40, c.texts...)
	}
	return longVocab(t, 6, c.texts...)
}

// TestMasks_agreeWithTheirTokens: along texts that touch a rule of the masks, the mask is what
// reading each token says, whether or not others were computed before.
func TestMasks_agreeWithTheirTokens(t *testing.T) {
	for name, c := range maskCases {
		t.Run(name, func(t *testing.T) {
			v := maskVocab(t, name, c)
			k := NewMasks(compiled(t, c.src, false), v)
			for _, text := range c.texts {
				for i := range len(text) + 1 {
					checkAgainstBytes(t, k, v, text[:i])
					checkAgainstBytes(t, NewMasks(k.m, v), v, text[:i])
				}
			}
		})
	}
}
