package grammar

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// toolSet is the grammar of a turn with a tool of which no other turn knows, and a call of it.
func toolSet(i int) (text, call string) {
	return fmt.Sprintf(`root ::= content:( %%until("<call>") ) "<call>" args:( %%json{"type":"object","properties":{"tool_%d":{"type":"string","pattern":"^(a|b|c)*c(a|b|c){7}$"},"n":{"type":"integer"}},"required":["tool_%[1]d"]} ) "</call>"`, i),
		fmt.Sprintf(`Some text. <call>{"tool_%d": "abcccabcabacbcabcacaaaaaaa", "n": 12}</call>`, i)
}

// learn computes every mask of an output.
func learn(t *testing.T, g *Grammar, v *Vocab, tokens []int32) {
	t.Helper()
	m := g.Matcher(v)
	for i, token := range tokens {
		if m.Mask().Len() == 0 || m.Accept(token) != nil {
			t.Fatalf("stuck before token %d, %q", i, v.Piece(token))
		}
	}
}

func bytesOf(text string) []int32 {
	var ids []int32
	for i := range len(text) {
		ids = append(ids, int32(text[i]))
	}
	return ids
}

func TestCaches_manyToolSetsStayBounded(t *testing.T) {
	v := walkVocab(t)
	DropCaches()
	units.limit, grammars.limit = 1<<20, 3<<20
	defer func() { units.limit, grammars.limit = maxUnits, maxGrammars; DropCaches() }()
	var first, last *Grammar
	for i := range 60 {
		text, call := toolSet(i)
		last = mustParse(t, text)
		if i == 0 {
			first = last
		}
		learn(t, last, v, bytesOf(call))
		if k := Kept(); k.GrammarBytes > grammars.limit+last.Size() || k.SchemaBytes > units.limit+last.Size() {
			t.Fatalf("after %d tool sets %+v, the latest of %d bytes", i+1, k, last.Size())
		}
	}
	if k := Kept(); k.Grammars < 3 || k.Schemas < 3 || k.Grammars > 50 {
		t.Errorf("%+v: the limit is not what decides", k)
	}
	text, _ := toolSet(59)
	if mustParse(t, text) != last {
		t.Error("what was used last is forgotten")
	}
	text, call := toolSet(0)
	if mustParse(t, text) == first {
		t.Error("what was used first is kept")
	}
	learn(t, first, v, bytesOf(call)) // who has it goes on
}

// A schema that many grammars have counts once.
func TestCaches_sharedSchemasCountOnce(t *testing.T) {
	DropCaches()
	defer DropCaches()
	schema := `%json{"type":"object","properties":{"a":{"type":"string","pattern":"^x+$"}}}`
	for i := range 20 {
		mustParse(t, fmt.Sprintf("root ::= \"%d\" %s\n", i, schema))
	}
	one := mustParse(t, "root ::= \"0\" "+schema+"\n")
	unit := 0
	for _, u := range one.units {
		unit = u.Size()
	}
	if k := Kept(); k.Grammars != 20 || k.Schemas != 1 || k.SchemaBytes != unit || k.GrammarBytes > unit+20*(one.Size()-unit+100) {
		t.Errorf("%+v, the schema of %d bytes", k, unit)
	}
}

func TestGrammar_keepsFewVocabularies(t *testing.T) {
	text, call := toolSet(1)
	g, err := parse(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	vocabs := make([]*Vocab, maxWorkspaces+4)
	for i := range vocabs {
		vocabs[i] = walkVocab(t)
		learn(t, g, vocabs[i], bytesOf(call))
		learn(t, g, vocabs[0], bytesOf(call))
	}
	if n := len(g.workspaces); n != maxWorkspaces || g.workspaces[0].vocab != vocabs[0] {
		t.Errorf("%d vocabularies, that in use among them: %t", n, g.workspaces[0].vocab == vocabs[0])
	}
}

// sizedSets are kinds of tool sets, each of which makes something else grow.
var sizedSets = map[string]func(i int) (text, call string){
	"patterns": toolSet,
	"objects": func(i int) (text, call string) {
		var props []string
		for k := range 30 {
			props = append(props, fmt.Sprintf(`"key_%d_%d":{"type":"string","description":"what it is for","maxLength":%d}`, i, k, 100+k))
		}
		return fmt.Sprintf(`root ::= %%json{"type":"object","properties":{%s},"required":["key_%d_3"]}`, strings.Join(props, ","), i),
			fmt.Sprintf(`{"key_%d_7":"a few words of text","key_%[1]d_3":"and some more","key_%[1]d_1":"x"}`, i)
	},
	"searches": func(i int) (text, call string) {
		return fmt.Sprintf(`root ::= %%json{"type":"array","items":{"type":"string","pattern":"^[a-z ]*(needle|haystack|straw)[a-z %d]+(one|two|three)$"}}`, i),
			`["a straw in the haystack two", "needle in a three", "straw haystack two"]`
	},
	"keys without names": func(i int) (text, call string) {
		for k := range 60 {
			call += fmt.Sprintf(`,"%d and %d":[%d]`, i, k, k*k)
		}
		return fmt.Sprintf(`root ::= "%d" %%json{"type":"object","additionalProperties":{"items":{"type":"integer"}}}`, i), fmt.Sprintf("%d{%s}", i, call[1:])
	},
	"elements that differ": func(i int) (text, call string) {
		for k := range 60 {
			call += fmt.Sprintf(",%d", k*97%1000)
		}
		return fmt.Sprintf(`root ::= "%d" %%json{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":0,"maximum":%d}}`, i, 5000+i), fmt.Sprintf("%d[%s]", i, call[1:])
	},
}

// TestGrammar_sizeIsWhatItTakes: what is counted is what the garbage collector finds, but for 15 %
// at most.
func TestGrammar_sizeIsWhatItTakes(t *testing.T) {
	v, tok := realVocab(t)
	const sets = 12
	for name, set := range sizedSets {
		warm, call := set(-1)
		// what all grammars share is there
		learn(t, mustParse(t, warm), v, tok.Tokenize([]byte(call)))
		DropCaches()
		before := heapBytes()
		counted, schemas, machines, masks := 0, 0, 0, 0
		kept := make([]*Grammar, sets)
		for i := range kept {
			text, call := set(i)
			kept[i] = mustParse(t, text)
			learn(t, kept[i], v, tok.Tokenize([]byte(call)))
			counted += kept[i].Size()
			for _, u := range kept[i].units {
				schemas += u.Size()
			}
			for _, w := range kept[i].workspaces {
				machines, masks = machines+w.m.Size(), masks+w.masks.Size()
			}
		}
		taken := heapBytes() - before
		runtime.KeepAlive(kept)
		if t.Logf("%s: %d kB are taken, %d counted: schemas %d, machines %d, masks %d", name, taken>>10, counted>>10, schemas>>10, machines>>10, masks>>10); counted < taken*85/100 || counted > taken*115/100 {
			t.Errorf("%s: %d grammars take %d bytes, counted are %d", name, sets, taken, counted)
		}
		DropCaches()
	}
	runtime.KeepAlive(tok)
	runtime.KeepAlive(v)
}

func heapBytes() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestMatcher_learnsNoMoreThanItMay: along one text, too, what nothing is taken out of again is
// given up where it gets large.
func TestMatcher_learnsNoMoreThanItMay(t *testing.T) {
	DropCaches()
	v, _ := realVocab(t)
	var kinds []string
	for i := range 400 {
		kinds = append(kinds, fmt.Sprintf(`{"type":"object","required":["k%d"]}`, i))
	}
	g := mustSchema(t, `{"anyOf":[`+strings.Join(kinds, ",")+`]}`, SchemaOptions{})
	m := g.Matcher(v)
	rng := rand.New(rand.NewPCG(3, 4))
	text := `{`
	for i := range 12 {
		text += fmt.Sprintf(`"x%d":%d,`, i, rng.IntN(9))
	}
	for i := range text {
		m.Mask()
		if err := m.AcceptBytes([]byte(text[i : i+1])); err != nil {
			t.Fatal(err)
		}
		if n := g.own(); n > maxMachine+(40<<20) {
			t.Fatalf("%d MB after %s", n>>20, text[:i])
		}
	}
}

// Issue 19: what is added to a full cache, one after the other, is not summed up each time.
func TestCache_sumsUpNowAndThen(t *testing.T) {
	for _, size := range []int{1, 100} {
		visited := 0
		c := cache[int]{limit: 100_000, size: func(all []int) int {
			visited += len(all)
			return len(all) * size
		}}
		const added = 20_000
		for i := range added {
			c.put(cacheKey{text: strconv.Itoa(i)}, i)
			if c.order.Len()*size > c.limit*9/8 {
				t.Fatalf("%d values of %d bytes are kept", c.order.Len(), size)
			}
		}
		if visited > 40*added {
			t.Errorf("%d values of %d bytes were weighed for %d", visited, size, added)
		}
	}
}
