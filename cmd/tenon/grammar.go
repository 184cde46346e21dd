package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenon/grammar"
	"tenon/grammar/bench"
	"tenon/grammar/vocab"
	"tenon/models/gguf"
)

func newGrammarCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "grammar",
		Short: "Print, test and measure grammars",
		Long: `Print, test and measure grammars.

A grammar is a file, or - for standard input, of one of these kinds; without a flag, its extension says which:
  --schema   a JSON Schema                        .json
  --gbnf     extended GBNF                        .gbnf
  --regex    a regular expression (ECMA-262)      .regex
  --lark     Lark, as coding agents send it       .lark
  --tools    an OpenAI tools array: the grammar of one call, {"name": …, "arguments": …}`,
		Args: cobra.NoArgs, // else an unknown command prints the help as if that had been asked for
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newGrammarPrintCommand(), newGrammarTestCommand(), newGrammarBenchCommand())
	return c
}

func newGrammarPrintCommand() *cobra.Command {
	var s source
	var as string
	c := &cobra.Command{
		Use:   "print [flags] FILE",
		Short: "Print a grammar in the dialect of another engine",
		Long: `Print a grammar in the dialect of another engine: tenon (extended GBNF), gbnf (llama.cpp), xgrammar, lark (llguidance).
Where the dialect cannot say it exactly, standard error tells what was loosened (the text accepts more: validate what it produces) and what was
narrowed (it accepts less: what it produces is valid all the same).`,
		Args: oneFile("a grammar"),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := s.compile(c, args[0])
			if err != nil {
				return err
			}
			p, err := g.Print(grammar.Target(as))
			if err != nil {
				return err
			}
			return writePrinted(c, p)
		},
	}
	s.flags(c)
	c.Flags().StringVar(&as, "as", "tenon", "the dialect: tenon, gbnf, xgrammar or lark")
	return c
}

// oneFile asks for the one file that a command reads.
func oneFile(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("give one file with %s, not %d: %s", what, len(args), c.UseLine())
		}
		return nil
	}
}

func writePrinted(c *cobra.Command, p grammar.Printed) error {
	for _, note := range p.Loosened {
		if _, err := fmt.Fprintln(c.ErrOrStderr(), "loosened:", note); err != nil {
			return err
		}
	}
	for _, note := range p.Narrowed {
		if _, err := fmt.Fprintln(c.ErrOrStderr(), "narrowed:", note); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(c.OutOrStdout(), p.Text)
	return err
}

func newGrammarTestCommand() *cobra.Command {
	var s source
	var asJSON bool
	c := &cobra.Command{
		Use:   "test [flags] FILE INSTANCE...",
		Short: "Say whether a grammar accepts texts",
		Long: `Say whether a grammar accepts texts, and if not, where and why. An INSTANCE is a file, - for standard input, or else the text itself;
newlines at the end of a file are no part of it.
The exit status is 0 if all are accepted, 1 if not.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("give a grammar's file and the texts to judge: %s", c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			g, err := s.compile(c, args[0])
			if err != nil {
				return err
			}
			return testInstances(c, g, args[1:], asJSON)
		},
	}
	s.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per instance")
	return c
}

type verdict struct {
	Instance string `json:"instance"`
	Accepted bool   `json:"accepted"`
	Byte     int    `json:"byte"` // how many bytes were accepted
	Why      string `json:"why,omitempty"`
}

func testInstances(c *cobra.Command, g *grammar.Grammar, instances []string, asJSON bool) error {
	refused := 0
	for _, name := range instances {
		text, err := readInstance(c, name)
		if err != nil {
			return err
		}
		v := judge(g, text)
		v.Instance = name
		if !v.Accepted {
			refused++
		}
		if asJSON {
			err = json.NewEncoder(c.OutOrStdout()).Encode(v)
		} else if v.Accepted {
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: accepted\n", name)
		} else {
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: refused at byte %d: %s\n", name, v.Byte, v.Why)
		}
		if err != nil {
			return err
		}
	}
	if refused > 0 {
		return fmt.Errorf("%d of %d refused", refused, len(instances))
	}
	return nil
}

func readInstance(c *cobra.Command, name string) ([]byte, error) {
	text, err := read(c, name)
	if errors.Is(err, os.ErrNotExist) || err != nil && strings.ContainsAny(name, `{["`) {
		return []byte(name), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read instance: %w", err)
	}
	return bytes.TrimRight(text, "\r\n"), nil
}

// judge reads a text byte by byte.
func judge(g *grammar.Grammar, text []byte) verdict {
	m := g.Matcher(nil)
	for i := range text {
		switch err := m.AcceptBytes(text[i : i+1]); {
		case err != nil && !errors.Is(err, grammar.ErrRefused):
			return verdict{Byte: i, Why: "it cannot be told: " + err.Error()}
		case err != nil:
			return verdict{Byte: i, Why: fmt.Sprintf("%q cannot follow %q; expected %s", text[i:min(i+12, len(text))], text[max(0, i-20):i], m.Expected())}
		}
	}
	if !m.Done() {
		return verdict{Byte: len(text), Why: "the text ends too early; expected " + m.Expected()}
	}
	return verdict{Accepted: true, Byte: len(text)}
}

func newGrammarBenchCommand() *cobra.Command {
	var model, verdicts string
	var slowest uint
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench FILE.jsonl[.gz] --vocab MODEL.gguf",
		Short: "Measure masks on labelled JSON Schemas",
		Long: `Measure masks on labelled JSON Schemas: lines {"name", "schema", "tests": [{"valid", "data"}]}.

Each instance is written as compact JSON, cut into the model's tokens, and walked to its end with a mask computed before every token, the end of
text included. Schemas are compiled exactly; any key order, any white space; formats are asserted; numbers are spelled as in the file.

  passing       schemas that refuse nothing valid and accept nothing invalid
  unsupported   schemas that cannot be compiled exactly, by keyword
  mask          time of one mask and the accept that follows. Cold: a schema's first walk over all its instances, with nothing but the vocabulary and
                the automata of formats, which the program makes once; one above 1 ms is measured three times and the least counts. Warm: a second
                walk. What earlier schemas have left behind is collected between schemas, outside of the times
  first mask    time from the schema's text to its first mask
  memory        what the process has taken from the operating system

The exit status is 0 whatever the verdicts.`,
		Args: oneFile("schemas"),
		RunE: func(c *cobra.Command, args []string) error {
			if model == "" {
				return errors.New("--vocab MODEL.gguf is missing: the model whose tokens the instances are cut into")
			}
			rep, names, err := runBench(args[0], model, int(slowest))
			if err != nil {
				return err
			}
			if verdicts != "" {
				if err := writeJSONFile(verdicts, names); err != nil {
					return err
				}
			}
			if asJSON {
				return json.NewEncoder(c.OutOrStdout()).Encode(rep)
			}
			return rep.Write(c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&model, "vocab", "", "GGUF file whose vocabulary is used (byte-level BPE)")
	c.Flags().StringVar(&verdicts, "verdicts", "", "write a JSON object from schema name to verdict to this file")
	c.Flags().UintVar(&slowest, "slowest", 0, "list this many of the slowest cold masks: where they are and what they cost, counted")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func runBench(path, model string, slowest int) (*bench.Report, map[string]string, error) {
	v, tokenizer, err := openVocab(model)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("open schemas: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, nil, fmt.Errorf("open schemas: %w", err)
		}
	}
	names := map[string]string{}
	rep, err := bench.Run(r, bench.Options{Vocab: v, Tokenize: tokenizer.Tokenize, Slowest: slowest, Verdict: func(name, verdict string) { names[name] = verdict }})
	return rep, names, err
}

func openVocab(model string) (*grammar.Vocab, *vocab.BPE, error) {
	f, err := gguf.Open(model)
	if err != nil {
		return nil, nil, err
	}
	v, err := vocab.FromGGUF(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", model, err)
	}
	t, err := vocab.NewBPE(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", model, err)
	}
	return v, t, nil
}

func writeJSONFile(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write verdicts: %w", err)
	}
	return nil
}
