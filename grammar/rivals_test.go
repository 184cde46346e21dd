package grammar

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tenon/grammar/grammartest"
)

// printEvery is the step of the sample of schemas that is printed for rivals.
const printEvery = 19

// printOptions are the choices that schemas are printed with, in turn.
var printOptions = []SchemaOptions{
	// as tools have it
	{Space: BoundedSpace, Escapes: CommonEscapes, Numbers: CanonicalNumbers},
	{},
	{Order: DeclaredOrder, Space: NoSpace, Escapes: CanonicalEscapes, Numbers: PlainNumbers},
}

// agreement counts what became of printed grammars.
type agreement struct {
	grammars, exact, loosened, narrowed, refused, texts, silent int
	// texts that fell under a note
	looser, narrower int
	wrong            int // and under none
}

// TestPrint_rivalsAgree: the engines that printed grammars are for judge texts as the grammar
// does, but for what the printer says it loosened or narrowed.
func TestPrint_rivalsAgree(t *testing.T) {
	for variable, target := range map[string]Target{grammartest.LlamaCPP: GBNF, grammartest.XGrammar: XGrammar, grammartest.LLGuidance: XGrammar} {
		t.Run(variable, func(t *testing.T) {
			rival := grammartest.StartRival(t, variable)
			var n agreement
			for _, src := range rivalGrammars {
				n.check(t, rival, target, printCase{src.src, mustParse(t, src.src), append(slices.Clone(src.yes), src.no...)})
			}
			i := 0
			grammartest.Schemas(t, printEvery, func(c grammartest.Case) {
				i++
				o := printOptions[i%len(printOptions)]
				o.Lenient = true
				g, err := FromSchema(c.Schema, o)
				if err != nil {
					return
				}
				n.check(t, rival, target, printCase{c.Name, g, instanceTexts(c)})
			})
			t.Logf("%+v", n)
		})
	}
}

// printCase is a grammar with texts to be judged.
type printCase struct {
	name  string
	g     *Grammar
	texts []string
}

// reading is what judges by printed grammars: another engine, or our own reader of them.
type reading interface {
	Compile(text string) error
	Accepts(text string) (bool, error)
}

func (n *agreement) check(t *testing.T, rival reading, target Target, c printCase) {
	t.Helper()
	p, err := c.g.Print(target)
	if err != nil {
		t.Logf("%s: %v", c.name, err)
		return
	}
	n.grammars++
	n.exact += count(p.Exact)
	n.loosened += count(len(p.Loosened) > 0)
	n.narrowed += count(len(p.Narrowed) > 0)
	if err := rival.Compile(p.Text); err != nil {
		n.refused++
		t.Errorf("%s: the printed grammar is refused: %v\n%.1500s", c.name, err, p.Text)
		return
	}
	for _, text := range c.texts {
		want := accepts(c.g, text)
		got, err := rival.Accepts(text)
		n.texts++
		switch {
		case err != nil:
			n.silent++
			t.Logf("%s: %v for %.100s", c.name, err, text)
			return
		case got && !want && len(p.Loosened) == 0, !got && want && len(p.Narrowed) == 0:
			n.wrong++
			t.Errorf("%s: %.300s is accepted: %v by the rival, %v by the grammar (loosened %q, narrowed %q):\n%.1500s", c.name, text, got, want, p.Loosened, p.Narrowed, p.Text)
			return
		}
		n.looser += count(got && !want)
		n.narrower += count(!got && want)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// instanceTexts writes the instances of a schema in several ways, and broken.
func instanceTexts(c grammartest.Case) []string {
	h := fnv.New64()
	_, _ = h.Write([]byte(c.Name)) // never fails
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	var list []string
	for i, x := range c.Tests {
		if i == 6 || len(x.Data) > 4000 {
			break
		}
		plain := spelling{}.Spell(x.Data)
		list = append(list, plain,
			spelling{Separators: [2]string{" ", " "}}.Spell(x.Data),
			spelling{Separators: [2]string{"", " "}, Indent: "  "}.Spell(x.Data),
			spelling{Shuffle: rng}.Spell(x.Data),
			spelling{Escape: rng}.Spell(x.Data),
			spelling{Respell: rng}.Spell(x.Data))
		for range 4 {
			list = append(list, grammartest.Mutate(plain, rng))
		}
	}
	list = slices.DeleteFunc(list, func(s string) bool { return !utf8.ValidString(s) || len(s) > 4000 })
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return slices.Compact(list)
}

// rivalGrammars are grammars of our own, with what schemas do not use.
var rivalGrammars = []struct {
	src     string
	yes, no []string
}{
	{`root ::= my_rule "x" other-rule?` + "\n" + `my_rule ::= [^a-z"\]\-^] . "\u00e9"{2,3}` + "\n" + `other-rule ::= "\t\"\\" | "y"{3,}`,
		[]string{"A?ééx", "ö😀éééxyyyy", "-\néé" + "x\t\"\\"}, []string{"a?ééx", "A?éx", "A?éééx" + "yy", "^-éé" + "x\\"}},
	{`root ::= root "+" n | n` + "\n" + `n ::= [0-9]+ | "(" root ")"`, []string{"1+2", "(1+22)+3"}, []string{"", "+1", "1+", "(1"}},
	{`root ::= ("a"? "b"?)* ("" | "c") ""?`, []string{"", "abba", "bbc"}, []string{"ca", "d"}},
	{`root ::= list{0,3}` + "\n" + `list ::= "x"* | "y"`, []string{"", "xxx", "xyx", "yyy"}, []string{"yyyy", "z"}},
	{`root ::= ("ab" | "c"){2,2500} "!"`, []string{"abc!", strings.Repeat("c", 100) + "!"}, []string{"c!", "abab"}},
	{`root ::= content:( %until("<call>") ) call*` + "\n" + `call ::= "<call>" name:( "get" | "getter" ) " " args:( %json{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}[space=none, escapes=canonical, numbers=canonical] ) "</call>"`,
		[]string{"", "hi <b> there", `ok<call>get {"n":1}</call>`, `<call>getter {"n":12}</call><call>get {"n":-3}</call>`}, []string{"a<call>", `<call>gett {"n":1}</call>`, `<call>get {"m":1}</call>`, `<call>get {"n":1}</call>x`}},
	{`root ::= thinking:( %until("</think>") ) "</think>" answer:( %regex "[a-z]+(-\\d{2})?" )`, []string{"</think>ab", "a<b</th</think>ab-12"}, []string{"</think>", "x", "</think>ab-1", "</think></think>a"}},
	{`root ::= %until("aab" | "ac") ("aab" "!" | "ac" "?")?`, []string{"xa", "xaab!", "aaac?", "aaab!"}, []string{"xaab", "xaab?", "aac!"}},
	{`root ::= "<" %until(">") ">" [0-9]{2} %text`, []string{"<>12", "<a\nb>34 any > thing"}, []string{"<>1", "<a", "a>12"}},
}
