package machine

import (
	"testing"

	"tenon/grammar/vocab"
)

// kindCase is one kind of automaton, or one rule of it: whole texts, texts whose last byte is
// refused, and how long the shortest text is at most. Without that kind or rule some of it does
// not hold.
type kindCase struct {
	src      string
	yes, no  []string
	shortest int
}

// closed is the schema of objects with the named keys alone.
const closed = `"additionalProperties":false,"type":"object"`

// tight is the way to write JSON with one spelling of everything.
const tight = `[space=none, escapes=canonical]`

var kindCases = map[string]kindCase{
	"rule":                     {`root ::= ("a" root "b")? "."`, []string{`.`, `a.b.`, `aa.b.b.`}, []string{`ab`, `a.c`, `.b`}, 1},
	"lex":                      {`root ::= %regex "a+b{2}" "!"`, []string{`abb!`, `aaabb!`}, []string{`b`, `abbb`}, 4},
	"class":                    {`root ::= [a-cé]{2}`, []string{`aé`, `cb`}, []string{`d`, `aaa`}, 2},
	"until":                    {`root ::= %until("<e>") "<e>"`, []string{`x<e>`, `<<e>`, `<e>`}, []string{`x<e>y`}, 3},
	"symbol":                   {`root ::= "a" <|s|>? "b"`, []string{`ab`}, []string{`a<`, `b`}, 2},
	"value":                    {`root ::= %json{}` + tight, []string{`1`, `-0.5e9`, `true`, `null`, `"x"`, `[1,{}]`, `{"a":[]}`}, []string{`tru,`, `01`, `[1,]`, `{"a"}`}, 1},
	"string":                   {`root ::= %json{"type":"string","minLength":2,"maxLength":3}` + tight, []string{`"ab"`, `"aé\n"`}, []string{`"a"`, `"abcd`}, 4},
	"pattern":                  {`root ::= %json{"type":"string","pattern":"^(ab)+$","maxLength":5}` + tight, []string{`"ab"`, `"abab"`}, []string{`"aba"`, `"ababa`}, 4},
	"escapes":                  {`root ::= %json{"const":"a\n"}`, []string{`"a\n"`, `"\u0061\u000a"`, `"\u0061\u000A"`}, []string{`"a` + "\n", `"\x`}, 5},
	"object":                   {`root ::= %json{"type":"object"}`, []string{`{}`, `{"a":1,"b":{}}`, "{ \"a\" :\n1 }"}, []string{`{"a":1,}`, `{"a":1,"a"`, `{,`}, 2},
	"name":                     {`root ::= %json{"properties":{"ab":{"const":1},"abc":{"const":2}},` + closed + `}`, []string{`{"ab":1}`, `{"abc":2,"ab":1}`, `{"\u0061b":1}`}, []string{`{"ab":2`, `{"a"`, `{"b`}, 2},
	"extra":                    {`root ::= %json{"properties":{"a":{"const":1}},"additionalProperties":{"const":2},"type":"object"}` + tight, []string{`{"b":2}`, `{"a":1,"aa":2}`}, []string{`{"b":1`, `{"a":2`}, 2},
	"patterns":                 {`root ::= %json{"patternProperties":{"^x":{"const":1},"y$":{"enum":[1,2]}},` + closed + `}` + tight, []string{`{"x":1}`, `{"ay":2}`, `{"xy":1}`}, []string{`{"xy":2`, `{"z"`}, 2},
	"longer names":             {`root ::= %json{"properties":{"ab":{"const":1},"abcd":{"const":2},"\f":{"const":3}},` + closed + `}`, []string{`{"ab\u0063d":2}`, `{"\u000C":3}`, `{"\f":3}`}, []string{`{"\F`, `{"ab\u0064`}, 2},
	"contains without bound":   {`root ::= %json{"type":"array","items":{"enum":[1,2]},"contains":{"const":2}}` + tight, []string{`[2]`, `[1,1,2,1]`}, []string{`[]`, `[1]`}, 5},
	"contains behind a prefix": {`root ::= %json{"type":"array","prefixItems":[{"const":2}],"items":{"enum":[2,3]},"contains":{"const":3}}` + tight, []string{`[2,3]`, `[2,2,3]`}, []string{`[2]`, `[3`}, 5},
	"a schema in itself":       {`root ::= %json{"type":["array","null"],"items":{"$ref":"#"},"minItems":1}` + tight, []string{`[[null]]`, `null`, `[null,[null]]`}, []string{`[]`}, 4},
	"keys that cannot meet an obligation": {`root ::= %json{"patternProperties":{"^x":{"type":"null"},"^y":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},` + closed + `}` + tight,
		[]string{`{"y":1}`, `{"x":null,"y":1}`}, []string{`{}`, `{"x":null}`, `{"y":null}`}, 7},
	"no room for keys that cannot": {`root ::= %json{"patternProperties":{"^x":{"type":"null"},"^y":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},"maxProperties":1,` + closed + `}` + tight,
		[]string{`{"y":1}`, `{"yy":1}`}, []string{`{"x`, `{"y":n`}, 7},
	"escapes near the bound": {`root ::= %json{"type":"string","pattern":"^a*(bcd)?$","maxLength":3}[space=none]`, []string{`"a\u0061"`, `"\u0062cd"`, `"aa\u0061"`, `"\u0062c\u0064"`}, []string{`"a\u0062`, `"aaa\`, `"aa\u0062`}, 2},
	"a name that meets the last obligation": {`root ::= %json{"properties":{"x":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},"maxProperties":2,"type":"object"}` + tight,
		[]string{`{"a":null,"x":1}`, `{"x":1}`, `{"x":null,"a":1}`}, []string{`{"a":null,"x":n`, `{"x":null}`}, 6},
	"canonical numbers of one digit": {`root ::= %json{"type":"array","items":{"enum":[1,2]}}[space=none, numbers=canonical] "!"`, []string{`[1,2]!`, `[]!`}, []string{`[3`, `[11`}, 3},
	"what is required beside an obligation": {`root ::= %json{"properties":{"x":{"const":null}},"required":["x"],"not":{"additionalProperties":{"type":"null"}},"maxProperties":2,"type":"object"}` + tight,
		[]string{`{"x":null,"a":1}`, `{"a":1,"x":null}`}, []string{`{"x":null}`, `{"a":n`}, 15},
	"no room for a name that cannot": {`root ::= %json{"properties":{"x":{"const":null}},"patternProperties":{"^y":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},"maxProperties":1,` + closed + `}` + tight,
		[]string{`{"y":1}`, `{"yy":1}`}, []string{`{"x`, `{"y":n`}, 7},
	"unique strings of few":  {`root ::= %json{"type":"array","items":{"type":"string","pattern":"^a*$","maxLength":1},"uniqueItems":true}` + tight, []string{`["","a"]`, `["a",""]`}, []string{`["a","",`, `["a","a`}, 2},
	"until, again and again": {`root ::= (%until("<>") "<>"?)* "<>!"`, []string{`<>!`, `a<><>!`}, []string{}, 3},
	"array":                  {`root ::= %json{"type":"array","prefixItems":[{"const":1}],"items":{"const":2},"minItems":1,"maxItems":3}`, []string{`[1]`, `[1, 2 ,2]`}, []string{`[]`, `[2`, `[1,1`, `[1,2,2,`}, 4},
	"contains":               {`root ::= %json{"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"maxItems":2}` + tight, []string{`[2]`, `[1,2]`, `[2,1]`}, []string{`[1]`, `[1,1`, `[]`}, 5},
	"space behind":           {`root ::= %json{"type":"array"} "!"`, []string{`[] !`, "[]\n\t!"}, []string{`[] x`}, 3},
	"rule that may end":      {"root ::= x \"!\"\nx ::= \"a\" \"b\"? y\ny ::= \"c\"*", []string{`a!`, `ab!`, `abc!`}, []string{`abb`}, 2},
	"at most":                {`root ::= %json{"type":"object","maxProperties":1}` + tight, []string{`{"a":1}`}, []string{`{"a":1,`}, 2},
	"room for what is required": {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1}},"required":["b"],"maxProperties":1,"type":"object"}` + tight,
		[]string{`{"b":1}`}, []string{`{"a`}, 7},
	"space":      {`root ::= %json{"type":"array"}[space=bounded] "!"`, []string{`[]!`, "[\n  ]!"}, []string{"[\n\n", `[]x`}, 3},
	"no space":   {`root ::= %json{"type":"array"}[space=none]`, []string{`[1,2]`}, []string{`[ `, `[1,2] `}, 2},
	"plain":      {`root ::= %plain{"type":"string","maxLength":3}("<") "<"`, []string{`ab"<`, `<`}, []string{`abcd`, `a<b`}, 1},
	"quoted":     {`root ::= "\"" %quoted "a\n+" "\""`, []string{`"a\n"`, `"a\n\n"`}, []string{`"a"`, "\"a\n"}, 5},
	"each":       {`root ::= %each("," | "a" | "b"? | "c")`, []string{`a,c`, `c,b,a`}, []string{`a,a`, `a,b,b`, `,`}, 3},
	"required":   {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1}},"required":["b"],` + closed + `}` + tight, []string{`{"b":1}`, `{"a":1,"b":1}`}, []string{`{}`, `{"a":1}`}, 7},
	"implied":    {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1}},"dependentRequired":{"a":["b"]},` + closed + `}` + tight, []string{`{}`, `{"b":1}`, `{"a":1,"b":1}`}, []string{`{"a":1}`}, 2},
	"counted":    {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1}},"minProperties":2,"maxProperties":2,` + closed + `}` + tight, []string{`{"a":1,"c":1}`}, []string{`{}`, `{"a":1}`, `{"a":1,"b":1,`}, 13},
	"declared":   {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1}},` + closed + `}[order=declared]`, []string{`{"a":1,"b":1}`, `{"b":1}`}, []string{`{"b":1,`}, 2},
	"obligation": {`root ::= %json{"not":{"additionalProperties":{"type":"null"}},"type":"object"}` + tight, []string{`{"a":1}`, `{"a":null,"b":1}`}, []string{`{}`, `{"a":null}`}, 6},
	"unique":     {`root ::= %json{"type":"array","items":{"enum":["a",1,true]},"uniqueItems":true}` + tight, []string{`["a",1,true]`, `[1,"a"]`}, []string{`["a","`, `[1,1`, `[1,true,"a",`}, 2},
	"unique numbers": {`root ::= %json{"type":"array","items":{"type":"integer","minimum":1,"maximum":2},"uniqueItems":true}` + tight,
		[]string{`[1,2.0]`, `[2.0,1]`}, []string{`[1,1`, `[1,2,`, `[2,2`}, 2},
	"unique values of several texts": {`root ::= %json{"type":"array","items":{"type":"object"},"uniqueItems":true}` + tight,
		[]string{`[{"a":1,"b":2},{"b":2,"a":2}]`}, []string{`[{"a":1,"b":2},{"b":2,"a":1.0}`}, 2},
	"unique strings": {`root ::= %json{"type":"array","items":{"type":"string"},"uniqueItems":true}` + tight, []string{`["a","aa"]`, `["","b"]`}, []string{`["a","a"`, `["",""`}, 2},
	"others after the declared": {`root ::= %json{"properties":{"a":{"const":1}},"additionalProperties":{"const":2},"type":"object"}[space=none, escapes=canonical, order=declared]`,
		[]string{`{"a":1,"b":2}`, `{"b":2}`}, []string{`{"b":2,"a"`}, 2},
	"others wait for what is required": {`root ::= %json{"properties":{"a":{"const":1}},"required":["a"],"additionalProperties":{"const":2},"type":"object"}[space=none, escapes=canonical, order=declared]`,
		[]string{`{"a":1,"b":2}`}, []string{`{"b`}, 7},
	"room for an obligation": {`root ::= %json{"not":{"additionalProperties":{"type":"null"}},"maxProperties":2,"type":"object"}` + tight,
		[]string{`{"a":1}`, `{"a":null,"b":1}`}, []string{`{"a":null,"b":n`}, 6},
	"room for a key that must be": {`root ::= %json{"not":{"patternProperties":{"^x":{"type":"null"}}},"maxProperties":1,"type":"object"}` + tight,
		[]string{`{"x":1}`}, []string{`{"a`, `{"x":n`}, 7},
	"different elements get longer": {`root ::= %json{"type":"array","items":{"enum":["a","bbbb","cccc"]},"uniqueItems":true,"minItems":3}` + tight,
		[]string{`["a","bbbb","cccc"]`}, []string{`["a","a`, `["a","bbbb"]`}, 30},
	"keys that are few": {`root ::= %json{"propertyNames":{"pattern":"^[a-z]{2}$"},"additionalProperties":{"const":1},"type":"object"}` + tight,
		[]string{`{"ab":1,"ac":1}`}, []string{`{"ab":1,"ab`}, 2},
	"a name meets an obligation": {`root ::= %json{"properties":{"x":{"enum":[1,null]}},"not":{"additionalProperties":{"type":"null"}},` + closed + `}` + tight, []string{`{"x":1}`}, []string{`{"x":n`}, 7},
	"what is short implies more": {`root ::= %json{"properties":{"a":{"const":1},"bbbbbb":{"const":1},"cccccc":{"const":1}},"minProperties":1,"dependentRequired":{"a":["bbbbbb","cccccc"]},` + closed + `}` + tight,
		[]string{`{"bbbbbb":1}`, `{"a":1,"bbbbbb":1,"cccccc":1}`}, []string{`{"a":1}`, `{}`}, 12},
	"what is short came before": {`root ::= %json{"properties":{"a":{"const":1},"bb":{"const":1},"cccc":{"const":1}},"minProperties":2,` + closed + `}[space=none, escapes=canonical, order=declared]`,
		[]string{`{"bb":1,"cccc":1}`, `{"a":1,"bb":1}`}, []string{`{"bb":1}`, `{"c`}, 14},
	"regex that may be empty":  {`root ::= %regex "a*b?"`, []string{``, `aab`}, []string{`c`, `ba`}, 0},
	"each that may be empty":   {`root ::= "<" %each("," | "a"? | "b"?) ">"`, []string{`<>`, `<b,a>`, `<a>`}, []string{`<a,>`, `<,`}, 2},
	"quoted that may be empty": {`root ::= "<" %quoted "a*" ">"`, []string{`<>`, `<aa>`}, []string{`<b`}, 2},
	"plain that may be empty":  {`root ::= "<" %plain{"enum":["","ab"]}("!") ">" "!"?`, []string{`<>`, `<ab>!`}, []string{`<a>`}, 2},
	"plain of several texts":   {`root ::= "<" %plain{"anyOf":[{"const":"ab"},{"type":"string","pattern":"^c+$"}]}("!") "!"`, []string{`<ab!`, `<cc!`}, []string{`<b`, `<!`}, 3},
	"plain numbers":            {`root ::= %json{"type":"number"}[space=none, numbers=plain]`, []string{`1`, `-0.50`, `123456789012345678901234567890`}, []string{`1e`, `01`}, 1},
	"canonical numbers":        {`root ::= %json{"type":"number"}[space=none, numbers=canonical] "!"`, []string{`1.5!`, `-12!`, `12345678901234567890!`}, []string{`1e`, `123456789012345678901`}, 2},
	"common escapes":           {`root ::= %json{"const":"a/\n"}[space=none, escapes=common]`, []string{`"a/\n"`}, []string{`"\`}, 6},
	"a format that is told":    {`root ::= %json{"type":"string","format":"date"}[space=none, escapes=canonical, formats=annotate]`, []string{`"x"`}, []string{"\"\n"}, 2},
	"bounded space":            {`root ::= %json{"type":"array","items":{"const":1}}[space=bounded]`, []string{`[ 1, 1]`, "[\n\t 1\n]"}, []string{`[  `, "[\n\n", ` `}, 2},
	"names with escapes": {`root ::= %json{"properties":{"\"":{"const":1},"\u0001":{"const":1},"\n\\":{"const":1}},"required":["\"","\u0001","\n\\"],` + closed + `}` + tight,
		[]string{`{"\"":1,"\u0001":1,"\n\\":1}`, `{"\n\\":1,"\"":1,"\u0001":1}`}, []string{`{"\"":1}`, `{"\t`, `{"n`}, 28},
	"names of many beginnings": {`root ::= %json{"properties":{"é":{"const":1},"è":{"const":2},"ab":{"const":3},"abcd":{"const":4},"":{"const":5}},` + closed + `}`,
		[]string{`{"é":1,"":5,"abcd":4}`, `{"\u00e8":2,"a\u0062":3,"\u00E9":1}`}, []string{`{"ê`, `{"abc"`, `{"\u00e8":1`}, 2},
	"contains so often": {`root ::= %json{"type":"array","items":{"enum":[1,2]},"contains":{"const":2},"minContains":2,"maxContains":2,"maxItems":4}` + tight,
		[]string{`[2,2]`, `[1,2,1,2]`, `[2,2,1,1]`}, []string{`[2]`, `[2,2,2`, `[1,1,1`, `[2,2,1,1,`}, 8},
	"prefix and no more": {`root ::= %json{"type":"array","prefixItems":[{"const":1},{"type":"string"},{"const":3}],"items":false,"minItems":2}` + tight,
		[]string{`[1,"a"]`, `[1,"",3]`}, []string{`[1]`, `[1,"a",3,`, `[2`}, 7},
	"many at least": {`root ::= %json{"type":"array","prefixItems":[{"const":1}],"items":{"type":"boolean"},"minItems":5}` + tight,
		[]string{`[1,true,true,true,false]`}, []string{`[1,true,true,true]`}, 24},
	"unique arrays": {`root ::= %json{"type":"array","items":{"type":"array","items":{"enum":[1,2]}},"uniqueItems":true}` + tight,
		[]string{`[[],[1]]`}, []string{`[[],[]`, `[[1],[1]`}, 2},
	"unique strings of a length": {`root ::= %json{"type":"array","items":{"type":"string","minLength":1,"maxLength":1},"uniqueItems":true}` + tight,
		[]string{`["a","b","é"]`}, []string{`["a","a`, `["ab`, `[""`}, 2},
	"unique and mixed": {`root ::= %json{"type":"array","items":{"anyOf":[{"enum":["a","b"]},{"type":"integer"},{"type":"null"}]},"uniqueItems":true}` + tight,
		[]string{`["a",1,null,2,"b"]`, `[null,"b"]`}, []string{`["a","a`, `[null,n`, `[1,1,`}, 2},
	"implied, in rings": {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1},"d":{"const":1}},"dependentRequired":{"a":["b"],"b":["c"],"c":["a"]},` + closed + `}` + tight,
		[]string{`{"c":1,"a":1,"b":1}`, `{"d":1}`}, []string{`{"a":1}`, `{"a":1,"d":1}`, `{"a":1,"b":1}`}, 2},
	"implied, in declared order": {`root ::= %json{"properties":{"a":{"const":1},"b":{"const":1},"c":{"const":1}},"dependentRequired":{"a":["c"]},` + closed + `}[space=none, escapes=canonical, order=declared]`,
		[]string{`{"a":1,"c":1}`, `{"b":1,"c":1}`, `{"b":1}`}, []string{`{"a":1}`, `{"b":1,"a`}, 2},
	"markers that hold each other": {`root ::= %until("aab" | "ab" | "b!") ("aab" | "ab" | "b!") "."`, []string{`aaab.`, `xaab.`, `b!.`, `bab.`}, []string{`ab-`, `b!!`}, 3},
	"others that are far":          {`root ::= %json{"minProperties":2,"additionalProperties":{"const":1},"type":"object"}` + tight, []string{`{"":1,"a":1}`}, []string{`{"":1}`, `{"":1,""`}, 12},
	"plain of a length":            {`root ::= %plain{"type":"string","minLength":2}("<") "<"`, []string{`ab<`, `éab<`}, []string{`a<`}, 3},
	"unique objects of few values": {`root ::= %json{"type":"array","items":{"properties":{"a":{"type":"boolean"}},"required":["a"],` + closed + `},"uniqueItems":true}` + tight,
		[]string{`[{"a":true},{"a":false}]`}, []string{`[{"a":true},{"a":t`, `[{"a":true},{"a":false},`}, 2},
	"unique objects": {`root ::= %json{"type":"array","items":{"properties":{"a":{"type":"boolean"},"s":{"type":"string"}},"required":["a"],` + closed + `},"uniqueItems":true}` + tight,
		[]string{`[{"a":true},{"a":false}]`, `[{"s":"","a":true},{"s":"","a":false},{"a":true,"s":"x"}]`}, []string{`[{"s":"","a":true},{"s":"","a":false},{"s":""`, `[{"s":"","a":true},{"a":true,"s":""`, `[{"s":"","a":true},{"s":"","a":t`}, 2},
}

// TestKinds_readWhatTheyShould: for every kind and rule, what is accepted and refused, and that
// masks, the shortest way to an end, what is expected and what is told of it agree with that.
func TestKinds_readWhatTheyShould(t *testing.T) {
	for name, c := range kindCases {
		t.Run(name, func(t *testing.T) {
			m := compiled(t, c.src, false)
			v := pieceVocab(t, append(append([]string{}, c.yes...), c.no...))
			masks := NewMasks(m, v)
			for _, text := range c.yes {
				checkMasks(t, masks, v, text)
				if id, n := m.Walk(m.Start(), []byte(text)); id == Stuck || !m.Done(id) || m.Distance(id) != 0 {
					t.Errorf("%q is refused at byte %d, or is no end", text, n)
				}
			}
			for _, text := range c.no {
				checkMasks(t, masks, v, text)
				if id, n := m.Walk(m.Start(), []byte(text)); id != Stuck || n != len(text)-1 {
					t.Errorf("%q is not refused at its last byte, but at %d", text, n)
				}
			}
			if d := m.Distance(m.Start()); d != c.shortest {
				t.Errorf("the shortest text has %d bytes, want %d", d, c.shortest)
			}
			checkEnding(t, masks, v, c)
		})
	}
}

// pieceVocab has a token for every byte and for the parts of some texts.
func pieceVocab(t *testing.T, texts []string) *vocab.Vocab {
	t.Helper()
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	for b := range 256 {
		pieces, kinds = append(pieces, []byte{byte(b)}), append(kinds, vocab.Normal)
	}
	seen := map[string]bool{}
	for _, text := range texts {
		for n := 2; n <= 4; n++ {
			for i := 0; i+n <= len(text); i++ {
				if part := text[i : i+n]; !seen[part] {
					seen[part] = true
					pieces, kinds = append(pieces, []byte(part)), append(kinds, vocab.Normal)
				}
			}
		}
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkMasks compares the masks along a text with what reading each token byte by byte says.
func checkMasks(t *testing.T, k *Masks, v *vocab.Vocab, text string) {
	t.Helper()
	id := k.m.Start()
	for i := 0; i <= len(text) && id != Stuck; i++ {
		mask := k.Mask(id, nil)
		for token := int32(1); int(token) < v.Len(); token++ {
			next, _ := k.m.Walk(id, v.Piece(token))
			if mask.Allows(token) != (next != Stuck) {
				t.Fatalf("behind %q the mask says %v of %q", text[:i], mask.Allows(token), v.Piece(token))
			}
		}
		if mask.Len() == 0 {
			t.Fatalf("behind %q nothing may come", text[:i])
		}
		if k.m.Where(id) == "" || k.m.Expected(id) == "" {
			t.Errorf("behind %q nothing is said of what may come", text[:i])
		}
		if i < len(text) {
			id = k.m.Step(id, int(text[i]))
		}
	}
}

// checkEnding follows masks that lead to an end from within each text, in as many bytes as was
// said.
func checkEnding(t *testing.T, k *Masks, v *vocab.Vocab, c kindCase) {
	t.Helper()
	for _, text := range c.yes {
		for i := range text {
			id, _ := k.m.Walk(k.m.Start(), []byte(text[:i]))
			budget := k.m.Distance(id)
			for left := budget; !k.m.Done(id); left-- {
				var next ConfigID
				mask := k.Within(id, left+1)
				for token := int32(1); int(token) < v.Len() && next == Stuck; token++ {
					if mask.Allows(token) && len(v.Piece(token)) == 1 {
						next = k.Step(id, token)
					}
				}
				if id = next; id == Stuck || left < 0 {
					t.Fatalf("no end within %d bytes behind %q", budget, text[:i])
				}
			}
		}
	}
}

// TestKinds_endWhereTheyMay: behind some texts the output may end, behind others it may not.
func TestKinds_endWhereTheyMay(t *testing.T) {
	for _, c := range []struct {
		src       string
		open, end []string
	}{
		{`root ::= %each("," | "a" | "b"?)`, []string{"", "b", "b,"}, []string{"a", "a,b"}},
		{`root ::= "a" %regex "b+c?"`, []string{"a"}, []string{"ab", "abc"}},
		{`root ::= %until("<e>") "<"`, []string{"", "a"}, []string{"<", "a<"}},
		{"root ::= x x?\nx ::= \"a\" \"b\"?", []string{""}, []string{"a", "ab", "aab"}},
		{`root ::= <|s|>? "a" <|s|>?`, []string{""}, []string{"a"}},
		{`root ::= %json{"type":"integer"}`, []string{"", "-"}, []string{"1", "-12", "0 "}},
	} {
		m := compiled(t, c.src, false)
		for _, text := range c.open {
			if m.Done(after(t, m, text)) {
				t.Errorf("%s may end behind %q", c.src, text)
			}
		}
		for _, text := range c.end {
			if !m.Done(after(t, m, text)) {
				t.Errorf("%s may not end behind %q", c.src, text)
			}
		}
	}
	for text, want := range map[string]bool{"": false, "a": false, "ab": true} {
		m := compiled(t, `root ::= "a"? "b"?`, false)
		if got := m.Ended(after(t, m, text)); got != want {
			t.Errorf("behind %q there is nothing more: %v", text, got)
		}
	}
	if m := compiled(t, `root ::= "a" <|s|>?`, false); m.Ended(after(t, m, "a")) {
		t.Error("a symbol may still come")
	}
}
