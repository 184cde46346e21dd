package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tenon/grammar"
)

func newGrammarCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "grammar",
		Short: "Print and test grammars",
		Long: `Print and test grammars.

A grammar is a file, or - for standard input, of one of these kinds; without a flag, its extension says which:
  --schema   a JSON Schema                        .json
  --gbnf     extended GBNF                        .gbnf
  --regex    a regular expression (ECMA-262)      .regex
  --lark     Lark, as coding agents send it       .lark
  --tools    an OpenAI tools array: the grammar of one call, {"name": …, "arguments": …}`,
	}
	c.AddCommand(newGrammarPrintCommand(), newGrammarTestCommand())
	return c
}

func newGrammarPrintCommand() *cobra.Command {
	var s source
	var as string
	c := &cobra.Command{
		Use:   "print [flags] FILE",
		Short: "Print a grammar in the dialect of another engine",
		Long: `Print a grammar in the dialect of another engine: tenon (extended GBNF), gbnf (llama.cpp), xgrammar (vLLM, SGLang).
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
	c.Flags().StringVar(&as, "as", "tenon", "the dialect: tenon, gbnf or xgrammar")
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
		fmt.Fprintln(c.ErrOrStderr(), "loosened:", note)
	}
	for _, note := range p.Narrowed {
		fmt.Fprintln(c.ErrOrStderr(), "narrowed:", note)
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
