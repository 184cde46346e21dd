package grammar_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"tenon/grammar"
	"tenon/models/gguf"
)

// masks are the command line's. Without a file there is nothing to measure.
var masks struct {
	file, vocab, verdicts string
	slowest               int
	json                  bool
}

func init() {
	m := &masks
	flag.StringVar(&m.file, "masks.file", "", "labelled schemas, JSON lines, .gz or not")
	flag.StringVar(&m.vocab, "masks.vocab", "", "GGUF file whose vocabulary is used (byte-level BPE)")
	flag.StringVar(&m.verdicts, "masks.verdicts", "", "write a JSON object from schema name to verdict to this file")
	flag.IntVar(&m.slowest, "masks.slowest", 0, "list this many of the slowest cold masks: where they are and what they cost, counted")
	flag.BoolVar(&m.json, "masks.json", false, "print one JSON object")
}

// TestMasks measures the grammar engine on labelled JSON Schemas: whether it judges every instance
// as labelled, and how long masks take. make bench-grammar runs it beside
// llguidance and XGrammar; by hand:
//
//	go test ./grammar -run TestMasks -v -masks.file FILE.jsonl.gz -masks.vocab MODEL.gguf
//
// A file has one JSON object per line: {"name", "schema", "tests": [{"valid", "data"}]}. Each
// instance is written as compact JSON, cut into tokens, and walked to its end with a mask computed
// before every token, the end token included. That is done once on a grammar just compiled (cold)
// and once more (warm). Cold is without what earlier schemas have left behind, garbage included:
// there are the vocabulary and the automata of formats, both made before the first schema, and no
// schema changes them. Formats are asserted; numbers are spelled as in the file.
//
// What is printed:
//
//	passing      schemas that refuse nothing valid and accept nothing invalid
//	unsupported  schemas that cannot be compiled exactly, by keyword
//	mask         time of one mask and the accept that follows; a cold one above 1 ms is
//	             measured three times and the least counts
//	first mask   time from the schema's text to its first mask
//	memory       what the process has taken from the operating system
func TestMasks(t *testing.T) {
	if masks.file == "" {
		t.Skip("make bench-grammar hands it what it needs")
	}
	f, err := os.Open(masks.file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(masks.file, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	o, names := options(t), map[string]string{}
	o.Verdict = func(name, verdict string) { names[name] = verdict }
	rep, err := Run(r, o)
	if err != nil {
		t.Fatal(err)
	}
	if masks.verdicts != "" {
		writeJSON(t, names)
	}
	if masks.json {
		err = json.NewEncoder(os.Stdout).Encode(rep)
	} else {
		err = rep.Write(os.Stdout)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// options are with the vocabulary and the tokenizer of the model.
func options(t *testing.T) Options {
	t.Helper()
	f, err := gguf.Open(masks.vocab)
	if err != nil {
		t.Fatal(err)
	}
	v, err := grammar.FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := grammar.NewBPE(f)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Vocab: v, Tokenize: tok.Tokenize, Slowest: masks.slowest}
}

func writeJSON(t *testing.T, names map[string]string) {
	t.Helper()
	text, err := json.MarshalIndent(names, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(masks.verdicts, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
