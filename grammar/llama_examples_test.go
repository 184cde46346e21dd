package grammar

import (
	"os"
	"path/filepath"
	"testing"
)

// llamaTexts are texts for the example grammars of llama.cpp, by file.
var llamaTexts = map[string]struct{ yes, no []string }{
	"arithmetic.gbnf": {[]string{"a = 1\n", "(1+x) *2 = y\n"}, []string{"a =", "1"}},
	"c.gbnf":          {[]string{"int f(){return 1;}"}, []string{"int f(", "return"}},
	"chess.gbnf":      {[]string{"1. e4 e5\n2. Nf3 Nc6\n"}, []string{"1. e9", "e4 e5"}},
	"english.gbnf":    {[]string{"Plain words, and no more."}, []string{"日本"}},
	"japanese.gbnf":   {[]string{"日本", "カタ 漢"}, []string{"abc"}},
	"json.gbnf":       {[]string{`{"a": [1, -2.5e3, "x\n", null]}`, `{}`}, []string{`{"a"}`, `[`}},
	"json_arr.gbnf":   {[]string{"[\n1,\n2]"}, []string{`{`}},
	"list.gbnf":       {[]string{"- one\n- two\n"}, []string{"- one", "x\n"}},
}

// TestParse_llamaExamples reads the example grammars of a checkout of llama.cpp: they are
// compiled, judge texts, and come back from Print.
func TestParse_llamaExamples(t *testing.T) {
	folder := os.Getenv("TENON_LLAMA_GRAMMARS")
	if folder == "" {
		t.Skip("TENON_LLAMA_GRAMMARS does not name the folder grammars of llama.cpp")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.gbnf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no grammars in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			g := mustParse(t, string(src))
			p, err := g.Print(GBNF)
			if err != nil || !p.Exact {
				t.Fatalf("printed: exact %v, %v, %v, %v", p.Exact, p.Loosened, p.Narrowed, err)
			}
			texts := llamaTexts[filepath.Base(file)]
			for _, g := range []*Grammar{g, mustParse(t, p.Text)} {
				for _, s := range texts.yes {
					if !accepts(g, s) {
						t.Errorf("%q is refused: %v", s, g.Matcher(nil).AcceptBytes([]byte(s)))
					}
				}
				for _, s := range texts.no {
					if accepts(g, s) {
						t.Errorf("%q is accepted", s)
					}
				}
			}
		})
	}
}
