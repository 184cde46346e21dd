package grammar

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// realVocab is Llama 3's vocabulary.
func realVocab(t testing.TB) (*Vocab, *BPE) {
	t.Helper()
	if realOnes.vocab != nil {
		return realOnes.vocab, realOnes.tokenizer
	}
	f := openVocabulary(t, "llama-bpe")
	v, err := FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := NewBPE(f)
	if err != nil {
		t.Fatal(err)
	}
	realOnes.vocab, realOnes.tokenizer = v, tok
	return v, tok
}

// realOnes are made once for all tests.
var realOnes struct {
	vocab     *Vocab
	tokenizer *BPE
}

// turn is the grammar of a turn with n tools: text, then calls.
func turn(n int) string {
	var b strings.Builder
	b.WriteString("root ::= content:( %until(\"<tool_call>\") ) call*\ncall ::= \"<tool_call>\\n{\\\"name\\\": \\\"\" (")
	for i := range n {
		if i > 0 {
			b.WriteString(" | ")
		}
		fmt.Fprintf(&b, `name:( "tool_%d_%c" ) "\", \"arguments\": " args:( %%json{"type":"object","properties":{"path":{"type":"string"},"n%d":{"type":"integer"},"mode":{"enum":["a","b"]}},"required":["path"],"description":%q}[space=bounded] )`,
			i*7919%n, 'a'+rune(i%26), i, strings.Repeat("what it does ", 120))
	}
	b.WriteString(") \"}\\n</tool_call>\"\n")
	return b.String()
}

const turnText = "I will look it up.<tool_call>\n{\"name\": \"tool_0_a\", \"arguments\": {\"path\": \"/tmp/a file.txt\", \"mode\": \"a\"}}\n</tool_call>"

// TestMatcher_steadyStateAllocatesNothing: a second walk over the same text finds everything it
// needs.
func TestMatcher_steadyStateAllocatesNothing(t *testing.T) {
	v := walkVocab(t)
	g := mustParse(t, turn(3))
	m := g.Matcher(v)
	m.past = slices.Grow(m.past, 4096)
	walk := func() {
		for i := range turnText {
			if m.Mask().Len() == 0 || m.Accept(int32(turnText[i])) != nil {
				t.Fatalf("stuck at %d", i)
			}
		}
		m.Rollback(len(turnText))
	}
	walk()
	if n := testing.AllocsPerRun(20, walk); n > 0 {
		t.Errorf("%v allocations for %d tokens", n, len(turnText))
	}
}

// TestMatcher_costDoesNotGrowWithTools counts the nodes of the vocabulary's tree visited for one
// call, with one tool and with 500.
func TestMatcher_costDoesNotGrowWithTools(t *testing.T) {
	v := walkVocab(t)
	cost := func(tools int) int64 {
		m := mustParse(t, turn(tools)).Matcher(v)
		for i := range turnText {
			m.Mask()
			if err := m.Accept(int32(turnText[i])); err != nil {
				t.Fatal(err)
			}
		}
		return m.e.masks.Stats.Nodes
	}
	if one, many := cost(1), cost(500); many > one+one/2 {
		t.Errorf("a call among 500 tools visits %d nodes, alone %d", many, one)
	}
}

// TestMatcher_tenWordsCostWhatSixDo: a mask looks as far ahead as tokens are long, not as far as
// words may be counted.
func TestMatcher_tenWordsCostWhatSixDo(t *testing.T) {
	v, _ := realVocab(t)
	cost := func(words int) Effort {
		m := mustSchema(t, fmt.Sprintf(`{"type":"string","pattern":"^(?:\\S+\\s+){0,%d}\\S+$"}`, words), SchemaOptions{}).Matcher(v)
		if err := m.AcceptBytes([]byte(`"`)); err != nil {
			t.Fatal(err)
		}
		m.Mask()
		return m.Effort()
	}
	if few, many := cost(5), cost(9); many.States > few.States+few.States/4 {
		t.Errorf("of up to six words a mask makes %d states, of up to ten %d", few.States, many.States)
	}
}

// TestMatcher_arraysOfMutuallyDifferentPairsStayCheap: with every pair there are more that the
// next may begin like. What a mask tries must not be held against each of them.
func TestMatcher_arraysOfMutuallyDifferentPairsStayCheap(t *testing.T) {
	v, tok := realVocab(t)
	for item, format := range map[string]string{
		`{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"],"additionalProperties":false}`: `{"x":%d,"y":%d}`,
	} {
		cost := func(pairs int) uint64 {
			m := mustSchema(t, `{"type":"array","uniqueItems":true,"items":`+item+`}`, SchemaOptions{}).Matcher(v)
			var list []string
			for i := range pairs {
				list = append(list, fmt.Sprintf(format, i%30, i))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, id := range tok.Tokenize([]byte("[" + strings.Join(list, ",") + "]")) {
				m.Mask()
				if err := m.Accept(id); err != nil {
					t.Fatal(err)
				}
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if few, many := cost(40), cost(160); many > 4*few {
			t.Errorf("%s: 40 allocate %d kB, 160 %d kB", item, few>>10, many>>10)
		}
	}
}

func BenchmarkParse_500Tools(b *testing.B) {
	src := turn(500)
	for _, cold := range []bool{true, false} {
		b.Run(fmt.Sprintf("cold=%v", cold), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if cold {
					DropCaches()
				}
				if _, err := Parse(src, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMask_call(b *testing.B) {
	v, tok := realVocab(b)
	for _, tools := range []int{1, 500} {
		b.Run(fmt.Sprintf("tools=%d", tools), func(b *testing.B) {
			g := mustParse(b, turn(tools))
			tokens := tok.Tokenize([]byte(turnText))
			for b.Loop() {
				m := g.Matcher(v)
				for _, id := range tokens {
					m.Mask()
					if err := m.Accept(id); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(tokens)), "ns/token")
		})
	}
}

// TestMaskWithin_costsLittleWhereThereAreManyWays: of many ways to go on, those are looked at that
// end soonest. What is only tried is not kept.
func TestMaskWithin_costsLittleWhereThereAreManyWays(t *testing.T) {
	v, _ := realVocab(t)
	var kinds []string
	for i := range 150 {
		kinds = append(kinds, fmt.Sprintf(`{"type":"object","required":["type"],"properties":{"type":{"const":"t%d"},"value":{"type":"string"}}}`, i))
	}
	m := mustSchema(t, `{"anyOf":[`+strings.Join(kinds, ",")+`]}`, SchemaOptions{}).Matcher(v)
	if err := m.AcceptBytes([]byte(`{"a key`)); err != nil {
		t.Fatal(err)
	}
	m.Mask()
	m.Distance()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m.MaskWithin(20)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 30<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

// TestMatcher_objectsOfAnyKeysAreNotCounted: of objects that may have any keys there is always
// another, however many values the named ones have.
func TestMatcher_objectsOfAnyKeysAreNotCounted(t *testing.T) {
	var props []string
	for i := range 60 {
		var values []string
		for j := range 150 {
			values = append(values, fmt.Sprintf(`{"kind":"%d","number":%d}`, i, j))
		}
		props = append(props, fmt.Sprintf(`"p%d":{"type":"array","items":{"enum":[%s]},"maxItems":1}`, i, strings.Join(values, ",")))
	}
	m := mustSchema(t, `{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{`+strings.Join(props, ",")+`}}}`, SchemaOptions{}).Matcher(nil)
	if err := m.AcceptBytes([]byte(`[{"a":1}`)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := m.AcceptBytes([]byte(`,{`)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("%d kB were allocated", n>>10)
	}
}

// TestCost_aMaskInAKeyBesideThousands: the keys that an object has are not spelled out for each
// mask inside of another.
func TestCost_aMaskInAKeyBesideThousands(t *testing.T) {
	v := walkVocab(t)
	g, err := parse(`root ::= %json{"type":"object","additionalProperties":{"type":"null"}}[space=none]`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "{"
	for i := range 3000 {
		text += fmt.Sprintf(`"key_%d":null,`, i)
	}
	m := g.Matcher(v)
	if err := m.AcceptBytes([]byte(text)); err != nil {
		t.Fatal(err)
	}
	m.Mask()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, b := range []byte(`"another`) {
		if err := m.AcceptBytes([]byte{b}); err != nil || m.Mask().Len() == 0 {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 640<<10 {
		t.Errorf("eight masks allocate %d bytes", n)
	}
	if err := m.AcceptBytes([]byte(`":null,"key_1`)); err != nil || m.Mask().Allows('"') || !m.Mask().Allows('x') {
		t.Errorf("a key that there is already can end: %v", err)
	}
}
