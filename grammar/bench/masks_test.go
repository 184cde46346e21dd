package bench

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"tenon/grammar/vocab"
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
	v, err := vocab.FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := vocab.NewBPE(f)
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
