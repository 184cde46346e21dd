package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

A grammar is a file of one of these kinds; without a flag, its extension says which:
  --schema   a JSON Schema                        .json
  --gbnf     extended GBNF                        .gbnf
  --regex    a regular expression (ECMA-262)      .regex
  --lark     Lark, as coding agents send it       .lark
  --tools    an OpenAI tools array: the grammar of one call, {"name": …, "arguments": …}`,
	}
	c.AddCommand(newGrammarPrintCommand(), newGrammarTestCommand(), newGrammarBenchCommand())
	return c
}

// source says which kind of grammar a file holds, and what a schema may refer to.
type source struct {
	schema, gbnf, regex, lark, tools bool
	documents                        map[string]string // file by URI
}

func (s *source) flags(c *cobra.Command) {
	c.Flags().BoolVar(&s.schema, "schema", false, "the file is a JSON Schema")
	c.Flags().BoolVar(&s.gbnf, "gbnf", false, "the file is extended GBNF")
	c.Flags().BoolVar(&s.regex, "regex", false, "the file is a regular expression")
	c.Flags().BoolVar(&s.lark, "lark", false, "the file is a Lark grammar")
	c.Flags().BoolVar(&s.tools, "tools", false, "the file is an OpenAI tools array")
	c.Flags().StringToStringVar(&s.documents, "document", nil, "URI=FILE: a schema that $ref may lead to, for it is not fetched; may be repeated")
	c.MarkFlagsMutuallyExclusive("schema", "gbnf", "regex", "lark", "tools")
}

// compile reads a file and compiles the grammar in it.
func (s *source) compile(path string) (*grammar.Grammar, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read grammar: %w", err)
	}
	switch ext := filepath.Ext(path); {
	case s.tools:
		return toolsGrammar(text)
	case s.schema || !s.gbnf && !s.regex && !s.lark && ext == ".json":
		return s.schemaGrammar(text)
	case s.regex || !s.gbnf && !s.lark && ext == ".regex":
		return grammar.FromRegex(strings.TrimRight(string(text), "\r\n"))
	case s.lark || !s.gbnf && ext == ".lark":
		return grammar.FromLark(string(text))
	case s.gbnf || ext == ".gbnf":
		return grammar.Parse(string(text), grammar.Options{})
	}
	return nil, fmt.Errorf("%s: say what it is: --schema, --gbnf, --regex, --lark or --tools", path)
}

func (s *source) schemaGrammar(text []byte) (*grammar.Grammar, error) {
	o := grammar.SchemaOptions{Documents: map[string][]byte{}}
	for uri, file := range s.documents {
		document, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read document %s: %w", uri, err)
		}
		o.Documents[uri] = document
	}
	return grammar.FromSchema(text, o)
}

// declaredTool is a tool as a client declares it.
type declaredTool struct {
	Name       string
	Parameters json.RawMessage
}

// wireTool is one element of a tools array: OpenAI's with function, or the name and
// schema alone, as Anthropic, MCP and OpenAI's responses write them.
type wireTool struct {
	Function    *wireTool       `json:"function"`
	Name        string          `json:"name"`
	Parameters  json.RawMessage `json:"parameters"`
	InputSchema json.RawMessage `json:"input_schema"`
	MCPSchema   json.RawMessage `json:"inputSchema"`
}

func decodeTools(text []byte) ([]declaredTool, error) {
	var wire []wireTool
	if err := json.Unmarshal(text, &wire); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	tools := make([]declaredTool, len(wire))
	for i, w := range wire {
		if w.Function != nil {
			w = *w.Function
		}
		if w.Name == "" {
			return nil, fmt.Errorf("read tools: element %d has no name", i)
		}
		tools[i] = declaredTool{w.Name, json.RawMessage(`{"type":"object","properties":{}}`)}
		for _, s := range []json.RawMessage{w.Parameters, w.InputSchema, w.MCPSchema} {
			if len(s) > 0 {
				tools[i].Parameters = s
			}
		}
	}
	return tools, nil
}

// toolsGrammar is the grammar of one call of one of the tools.
func toolsGrammar(text []byte) (*grammar.Grammar, error) {
	tools, err := decodeTools(text)
	if err != nil {
		return nil, err
	}
	if len(tools) == 0 {
		return nil, errors.New("read tools: the array is empty")
	}
	var b strings.Builder
	b.WriteString("root ::= \"{\\\"name\\\": \\\"\" (\n")
	for i, t := range tools {
		if i > 0 {
			b.WriteString(" |\n")
		}
		name, _ := json.Marshal(t.Name) // a string always can
		o := grammar.SchemaOptions{Tool: t.Name, Lenient: true, Space: grammar.BoundedSpace}
		fmt.Fprintf(&b, "  name:( %s ) \"\\\", \\\"arguments\\\": \" arguments:( %s ) \"}\"", grammar.Quote(string(name[1:len(name)-1])), grammar.JSON(t.Parameters, o))
	}
	b.WriteString("\n)\n")
	return grammar.Parse(b.String(), grammar.Options{})
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
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := s.compile(args[0])
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
		Long: `Say whether a grammar accepts texts, and if not, where and why. An INSTANCE is a file, - for standard input, or else the text itself.
The exit status is 0 if all are accepted, 1 if not.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := s.compile(args[0])
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
	if name == "-" {
		return io.ReadAll(c.InOrStdin())
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) || err != nil && strings.ContainsAny(name, `{["`) {
		return []byte(name), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read instance: %w", err)
	}
	return []byte(strings.TrimRight(string(text), "\r\n")), nil
}

// judge reads a text byte by byte.
func judge(g *grammar.Grammar, text []byte) verdict {
	m := g.Matcher(nil)
	for i := range text {
		if m.AcceptBytes(text[i:i+1]) != nil {
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
	var slowest int
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench FILE.jsonl[.gz] --vocab MODEL.gguf",
		Short: "Measure masks on labelled JSON Schemas",
		Long: `Measure masks on labelled JSON Schemas: lines {"name", "schema", "tests": [{"valid", "data"}]}.

Each instance is written as compact JSON, cut into the model's tokens, and walked to its end with a mask computed before every token, the end of
text included. Schemas are compiled exactly; any key order, any white space; formats are asserted; numbers are spelled as in the file.

  passing       schemas that refuse nothing valid and accept nothing invalid
  unsupported   schemas that cannot be compiled exactly, by keyword
  mask          time of one mask and the accept that follows. Cold: a schema's first walk over all its instances, caches emptied before it; one above
                1 ms is measured three times and the least counts. Warm: a second walk
  first mask    time from the schema's text to its first mask
  memory        what the process has taken from the operating system

The exit status is 0 whatever the verdicts.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			rep, names, err := runBench(args[0], model, slowest)
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
	c.Flags().IntVar(&slowest, "slowest", 0, "list this many of the slowest cold masks: where they are and what they cost, counted")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	if err := c.MarkFlagRequired("vocab"); err != nil {
		panic(err) // the flag is defined above
	}
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
