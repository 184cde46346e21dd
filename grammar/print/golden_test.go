package print

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar/gbnf"
	"tenon/grammar/machine"
)

var update = flag.Bool("update", false, "rewrite the printed grammars")

const (
	printedGrammars = "testdata/grammars.gbnf" // one a line
	printedRules    = "testdata/printed.txt"
)

// TestPlain_printsAsItDid: every rule of the printer is at work in some grammar of testdata. What
// is printed of it for llama.cpp, which knows special tokens, and for XGrammar, which does not, is
// what stands there. It is read as the grammar is, but for what is told of it.
func TestPlain_printsAsItDid(t *testing.T) {
	grammars, err := os.ReadFile(printedGrammars)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for line := range strings.Lines(string(grammars)) {
		src := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		fmt.Fprintf(&got, "# %s", line)
		for _, symbols := range []bool{true, false} {
			text, r := plainText(t, src, symbols)
			agree(t, src, text, r)
			fmt.Fprintf(&got, "\nsymbols %v; loosened: %s; narrowed: %s\n%s", symbols, strings.Join(r.Loosened, ", "), strings.Join(r.Narrowed, ", "), text)
		}
		got.WriteString("\n")
	}
	if *update {
		if err := os.WriteFile(printedRules, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(printedRules)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("read the difference, then run with -update (-want +got):\n%s", diff)
	}
}

// walked are the characters by which texts are told apart.
const walked = "\x01\t\n !\"+,-./0123456789:;<=>?ABCDEFabcdefnrstuvxyz[\\]{}é€😀"

// agree walks at random through a grammar and what was printed of it.
func agree(t *testing.T, src, text string, r *Result) {
	t.Helper()
	given, printed := machineOf(t, src), machineOf(t, text)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x, y := given.Start(), printed.Start()
		path := ""
		for range 40 {
			less, more := given.Done(x) && !printed.Done(y), printed.Done(y) && !given.Done(x)
			var ways []string
			for _, c := range walked {
				next, _ := given.Walk(x, []byte(string(c)))
				there, _ := printed.Walk(y, []byte(string(c)))
				in, out := next != machine.Stuck, there != machine.Stuck
				less, more = less || in && !out, more || out && !in
				if in && out {
					ways = append(ways, string(c))
				}
			}
			if less && len(r.Narrowed) == 0 || more && len(r.Loosened) == 0 {
				t.Fatalf("%s: behind %q less is accepted: %v, more: %v\n%s", src, path, less, more, text)
			}
			if len(ways) == 0 {
				break
			}
			c := ways[rng.IntN(len(ways))]
			path += c
			x, _ = given.Walk(x, []byte(c))
			y, _ = printed.Walk(y, []byte(c))
		}
	}
}

func machineOf(t *testing.T, src string) *machine.Machine {
	t.Helper()
	g, err := gbnf.Read(src)
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	units := unitsOf(t, g)
	p, err := machine.Compile(g, units, false)
	if err != nil {
		t.Fatal(err)
	}
	return machine.New(p, units, false)
}
