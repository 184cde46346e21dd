package machine

import (
	"slices"
	"strings"
	"testing"

	"tenon/grammar/vocab"
)

// wordVocab has a token for each byte, and some thousand words, numbers, and pieces of JSON.
func wordVocab(t *testing.T) *vocab.Vocab {
	t.Helper()
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	add := func(text string) { pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Normal) }
	for b := range 256 {
		add(string([]byte{byte(b)}))
	}
	var words []string
	for _, a := range "bcdfghlmnprst" {
		for _, b := range "aeiou" {
			for _, c := range "bdlnrst" {
				words = append(words, string([]rune{a, b, c}), string([]rune{a, b, c, 'e', 'r'}))
			}
		}
	}
	for i, w := range words {
		for _, text := range []string{w, " " + w, strings.ToUpper(w[:1]) + w[1:], w + `"`, w + `",`} {
			add(text)
		}
		if i < 100 {
			add(w + `":`)
			add(w + `-` + w)
			add(w + "é")
			add(w + string([]byte{'0' + byte(i/10), '0' + byte(i%10)}))
		}
	}
	for i := range 30 {
		add(strings.Repeat(" ", i+2))
		add("\n" + strings.Repeat(" ", i+1))
		add(strings.Repeat("ab", i+2))
	}
	for i := range 100 {
		add(string([]byte{'0' + byte(i/10), '0' + byte(i%10)}))
		add(string([]byte{'-', '0' + byte(i/10), '0' + byte(i%10), ','}))
	}
	for _, text := range []string{`":`, `":"`, `","`, `"}`, `"],`, `{"`, `["`, `}}`, `]}`, `\n`, `\"`, `\u00`, `": {"`, `"type`, `":[{"`} {
		add(text)
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var workCases = map[string]struct {
	src   string
	texts []string
	most  int
}{
	"expect object":    {`root ::= %json{"type":"object"}`, []string{`{"a":[]`}, 1000},
	"expect array":     {`root ::= %json{"type":"array"}`, []string{`[[]`}, 1000},
	"expect value":     {`root ::= %json{}`, []string{`{"a"`}, 1000},
	"expect name":      {`root ::= %json{"properties":{"al\npha":{},"beta":{}},` + closed + `}`, []string{`{"al\`}, 1000},
	"expect space":     {`root ::= %json{"type":"array"}`, []string{`[]`}, 1000},
	"expect lex":       {`root ::= %regex "[0-9]+x"`, []string{`1`}, 1000},
	"between together": {`root ::= %json{"type":"array"} "1" | %json{"type":"array","items":{"type":"object"}} "2"`, []string{`[`}, 1500},
	"values together":  {`root ::= %json{"properties":{"a":{"type":"array"}},"type":"object"} "1" | %json{"properties":{"a":{"items":{"type":"object"},"type":"array"}},"type":"object"} "2"`, []string{`{"a"`}, 450},
	"text slice":       {"root ::= \"a\" x \"1\" | \"b\" x \"2\"\nx ::= %until(\"<end>\") \"<end>\"", []string{`axy`, `bxy`}, 100},
	"plain":            {"root ::= \"a\" x \"1\" | \"b\" x \"2\"\nx ::= %plain{\"type\":\"string\"}(\"<\") \"<\"", []string{`axy`, `bxy`}, 100},
	"string":           {`root ::= %json{"properties":{"a":{"type":"string","pattern":"^[a-z]*$"},"b":{"type":"string","pattern":"^[a-z]*$"}},` + closed + `}`, []string{`{"a":"x`, `{"a":"x","b":"y`}, 100},
	"whole string":     {`root ::= %json{"type":"string"} "1" | %json{"type":"string","pattern":"^[a-m]+[n-z]"} "2"`, []string{`"`}, 1500},
	"name":             {`root ::= %json{"properties":{"beder":{"type":"object"},"ben":{"const":1}},` + closed + `}`, []string{`{"be`, `{"ben":1,"be`}, 100},
	"unnamed key":      {`root ::= %json{"type":"object"}`, []string{`{"x`, `{"x":1,"y`}, 100},
	"element":          {`root ::= %json{"type":"array","items":{"type":"string"},"uniqueItems":true}`, []string{`["bad","b`, `["bad","be`}, 100},
	"delta":            {`root ::= %json{"type":"string","pattern":"^[a-z ]*(needle|haystack|straw)[a-z]*$"}`, []string{`"x`, `"n`, `"nes`, `"hay`}, 5500},
	"counter":          {`root ::= %json{"type":"string","pattern":"^[a-z][a-z0-9]{0,200}!$"}`, []string{`"ab`, `"abc`}, 100},
	"fitting":          {`root ::= %json{"type":"string","pattern":"^[a-z][a-z0-9]{0,200}!?$","maxLength":150}`, []string{`"ab`, `"abc`}, 100},
	"few":              {`root ::= %json{"type":"string","pattern":"^[0-9]{1,30}$"}`, []string{`"`}, 1000},
	"near":             {`root ::= %json{"type":"string","pattern":"^[a-z]*!?$","maxLength":30}`, []string{`"`, `"abcdefghijklmnopqrstuvw`, `"abcdefghijklmnopqrstuvwx`}, 500},
	"shapes":           {`root ::= %json{"type":"string","pattern":"^[A-Za-z ]*[0-9]$"}`, []string{`"`}, 5000},
	"shapes: below":    {`root ::= %json{"type":"string","pattern":"^[a-z]+[0-4]*$"}`, []string{`"`}, 5000},
	"ahead: apart":     {`root ::= %json{"type":"string","pattern":"^[a-z0-9]*?(nest)?(bad|bed)$"}`, []string{`"b`}, 7500},
	"part: key":        {`root ::= %json{"type":"array","items":{"type":"object"},"uniqueItems":true}`, []string{`[{"bad":1,"x`, `[{"bad":1,"y`}, 100},
	"part: string":     {`root ::= %json{"type":"array","items":{"type":"object"},"uniqueItems":true}`, []string{`[{"bad":"x"},{"bad":"x`, `[{"bad":"x"},{"bad":"y`}, 100},
	"rows":             {`root ::= %json{"type":"array","items":{"type":"array"}}`, []string{`[`}, 600},
	"merge":            {"root ::= x+ \"!\"\nx ::= [a-z] [a-z]? [a-z]? \"-\"?", []string{`abcdefghij`}, 50000},
}

// TestMasks_rulesSaveWork: the work of the mask behind the last of some texts, after the masks
// behind those before it. Without the rule it is more than most.
func TestMasks_rulesSaveWork(t *testing.T) {
	v := wordVocab(t)
	for name, c := range workCases {
		t.Run(name, func(t *testing.T) {
			k := NewMasks(compiled(t, c.src, false), v)
			for _, text := range c.texts {
				k.Mask(after(t, k.m, text), nil)
			}
			work := k.idle.work
			if work > c.most {
				t.Errorf("the mask takes %d, want at most %d", work, c.most)
			}
			for _, text := range slices.Backward(c.texts) {
				checkAgainstBytes(t, k, v, text)
			}
		})
	}
}

// checkAgainstBytes compares the mask behind a text with what reading each token byte by byte
// says.
func checkAgainstBytes(t *testing.T, k *Masks, v *vocab.Vocab, text string) {
	t.Helper()
	id := after(t, k.m, text)
	mask := k.Mask(id, nil)
	for token := int32(1); int(token) < v.Len(); token++ {
		if next := k.Step(id, token); mask.Allows(token) != (next != Stuck) {
			t.Fatalf("behind %q the mask says %v of %q", text, mask.Allows(token), v.Piece(token))
		}
	}
}

// TestMasks_rulesSaveNodes: inside of strings tokens are found in the tree of shapes, so that few
// nodes are visited. Without the rule it is more than most.
func TestMasks_rulesSaveNodes(t *testing.T) {
	v := wordVocab(t)
	once := NewMasks(compiled(t, `root ::= %json{"type":"string"}`, false), v)
	once.Mask(after(t, once.m, `"`), nil) // what is made once per vocabulary
	for name, c := range map[string]struct {
		src, text string
		most      int64
	}{
		"crowds":        {`root ::= %json{"type":"string","not":{"pattern":"needless|haystack"}}`, `"b`, 3480},
		"few left":      {`root ::= %json{"patternProperties":{"nest_(bad|bed)":{"const":1},"nes_[a-z]+":{"const":2},"ne_[a-z]+[0-9]":{"const":3}}}`, `{"`, 8500},
		"another begin": {`root ::= %json{"type":"string","not":{"pattern":"^bad"}}`, `"`, 3000},
		"names":         {`root ::= %json{"type":"string","pattern":"^[a-zA-Z][a-zA-Z0-9_.-]*$"}`, `"`, 2500},
	} {
		k := NewMasks(compiled(t, c.src, false), v)
		id, before := after(t, k.m, c.text), k.Stats.Nodes
		k.Mask(id, nil)
		if n := k.Stats.Nodes - before; n > c.most {
			t.Errorf("%s: %d nodes are visited, want at most %d", name, n, c.most)
		}
		checkAgainstBytes(t, k, v, c.text)
	}
}
