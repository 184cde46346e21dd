package machine

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/vocab"
)

var update = flag.Bool("update", false, "rewrite the counts")

const countsFile = "testdata/counts.txt"

// TestMachine_countsAreWhatTheyWere: for each case of the other tests, what is counted on the way:
// nodes and work, what has been made, how far ends are, what is forced. A rule
// that saves work changes no answer; here it shows. Who changes counts reads the difference, and
// keeps it with -update.
func TestMachine_countsAreWhatTheyWere(t *testing.T) {
	var lines []string
	count := func(name, src string, v *vocab.Vocab, texts []string) {
		m := compiled(t, src, false)
		lines = append(lines, name+": "+countsOf(t, NewMasks(m, v), v, texts))
	}
	for _, name := range slices.Sorted(maps.Keys(kindCases)) {
		c := kindCases[name]
		texts := append(slices.Clone(c.yes), c.no...)
		count("kinds, "+name, c.src, pieceVocab(t, texts), texts)
	}
	for _, name := range slices.Sorted(maps.Keys(maskCases)) {
		count("masks, "+name, maskCases[name].src, maskVocab(t, name, maskCases[name]), maskCases[name].texts)
	}
	words := wordVocab(t)
	for _, name := range slices.Sorted(maps.Keys(workCases)) {
		count("work, "+name, workCases[name].src, words, workCases[name].texts)
	}
	many := manyVocab(t)
	for _, name := range slices.Sorted(maps.Keys(manyCases)) {
		k := NewMasks(compiled(t, manyCases[name], false), many)
		lines = append(lines, "many tokens, "+name+": "+countsOfMasks(k, manyTexts))
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(countsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("read the difference, then run with -update (-want +got):\n%s", diff)
	}
}

// countsOf walks through texts, as far as they are read, and asks for all that can be known.
func countsOf(t *testing.T, k *Masks, v *vocab.Vocab, texts []string) string {
	t.Helper()
	m, work, tokens, distance, within := k.m, 0, 0, 0, 0
	said := fnv.New32a()
	for _, text := range texts {
		id := m.Start()
		for i := 0; id != Stuck; i++ {
			tokens += k.Mask(id, nil).Len()
			work += k.idle.work
			d := m.Distance(id)
			distance += d
			for _, budget := range []int{d / 2, d + 1, d + 5} {
				within += k.Within(id, budget).Len()
			}
			fmt.Fprint(said, string(m.Forced(nil, id)), m.Expected(id), m.Where(id), m.Done(id), m.Ended(id))
			if i == len(text) {
				break
			}
			id = m.Step(id, int(text[i]))
		}
	}
	registers, memos, states := 0, len(m.escapeNeeds)+len(m.escapeTexts), 0
	for _, o := range m.objects {
		registers, memos = registers+len(o.regs), memos+len(o.next)+len(o.apart)
	}
	for _, a := range m.arrays {
		registers += len(a.regs)
	}
	for _, u := range m.units {
		states += u.arena.States()
	}
	return fmt.Sprintf("nodes %d, work %d, tokens %d; distances %d, within them %d; "+
		"configurations %d, threads %d, stacks %d, unions %d, texts %d, registers %d, memos %d, states %d and %d, derivatives %d, values %d; kept %d; said %08x",
		k.Stats.Nodes, work, tokens, distance, within,
		len(m.configs.lists), m.configs.threads, len(m.stacks.sets), len(m.stacks.unions), m.texts.nodes.items, registers, memos, m.States(), states, m.derived(), len(m.values),
		k.kept, said.Sum32())
}

// manyCases are strings of which many tokens are to be told apart.
var manyCases = map[string]string{
	"a word that must not be, and a bound": `root ::= %json{"type":"string","pattern":"^(?:[^a]|a[^b]|ab[^c])*$","maxLength":40}` + tight,
	"a letter that must not come before":   `root ::= %json{"type":"string","not":{"pattern":"^.*[é].*x"}}` + tight,
	"words that must not be":               `root ::= %json{"type":"string","not":{"pattern":"needle|haystack"}}` + tight,
	"words that must be, and a bound":      `root ::= %json{"type":"string","pattern":"(bad|bed|bid)er","maxLength":20}`,
	"any text beside a pattern":            `root ::= %json{"type":"string","pattern":"^(a|b|ab){1,40}c"} "1" | %json{"type":"string","pattern":"^[^\\n]*$"} "2"`,
	"letters with hyphens, and a bound":    `root ::= %json{"type":"string","pattern":"^[a-z]+(-[a-z]+)*$","maxLength":20}`,
	"so many letters":                      `root ::= %json{"type":"string","pattern":"^x?[a-z]{10}$"}` + tight,
	"all but a letter, and a bound":        `root ::= %json{"type":"string","pattern":"^[^é]*$","maxLength":12}` + tight,
	"vowels somewhere, and a bound":        `root ::= %json{"type":"string","pattern":"[aeiou]{2}","maxLength":12}` + tight,
	"letters of all scripts":               `root ::= %json{"type":"string","pattern":"^[\\p{L} ]*$","minLength":3}` + tight,
	"words among signs, and a bound":       `root ::= %json{"type":"string","pattern":"(bad|bed|bid)er","not":{"pattern":"^[\\w ]*$"},"maxLength":100}` + tight,
	"runs of so many signs":                `root ::= %json{"type":"string","pattern":"^([^ ]{1,20} ?)+x$"}` + tight,
	"no run of signs before a letter":      `root ::= %json{"type":"string","not":{"pattern":"[^ ]{20}x$"}}` + tight,
	"so many letters but words":            `root ::= %json{"type":"string","pattern":"^x?[a-z]{10}$","not":{"pattern":"needle|haystack"}}` + tight,
}

var manyTexts = []string{`"`, `"a`, `"bad`, `"ba`, `"Be`, `"é`, `"ab ab`, `"abababababababababab`}

// manyVocab has a token for each byte, and words of some letters in many shapes.
func manyVocab(t *testing.T) *vocab.Vocab {
	t.Helper()
	pieces, kinds := [][]byte{[]byte("<end>")}, []vocab.Kind{vocab.Control}
	add := func(texts ...string) {
		for _, text := range texts {
			pieces, kinds = append(pieces, []byte(text)), append(kinds, vocab.Normal)
		}
	}
	for b := range 256 {
		add(string([]byte{byte(b)}))
	}
	for i, word := range words("abcdehilnorst", 3)[1:] {
		add(word, " "+word, strings.ToUpper(word[:1])+word[1:], word+"ed", word+"er"+word, word+word+"-x", word+"1", word+`"`, word+"é", "é"+word)
		if i%7 == 6 {
			add(word+"一二", strings.Repeat(word, 8))
		}
	}
	v, err := vocab.New(pieces, kinds, []int32{0})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// countsOfMasks asks for the masks behind texts, those that are read.
func countsOfMasks(k *Masks, texts []string) string {
	work, tokens := 0, 0
	for _, text := range texts {
		if id, _ := k.m.Walk(k.m.Start(), []byte(text)); id != Stuck {
			tokens += k.Mask(id, nil).Len()
			work += k.idle.work
		}
	}
	return fmt.Sprintf("nodes %d, work %d, tokens %d; states %d; kept %d", k.Stats.Nodes, work, tokens, k.m.States(), k.kept)
}
