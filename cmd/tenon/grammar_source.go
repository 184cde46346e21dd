package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenon/grammar"
	"tenon/grammar/schema"
)

// source says which kind of grammar a file holds, and what a schema may refer to.
type source struct {
	schema, gbnf, regex, lark, tools bool
	lenient                          bool              // of a schema
	documents                        map[string]string // file by URI
}

func (s *source) flags(c *cobra.Command) {
	c.Flags().BoolVar(&s.schema, "schema", false, "the file is a JSON Schema")
	c.Flags().BoolVar(&s.gbnf, "gbnf", false, "the file is extended GBNF")
	c.Flags().BoolVar(&s.regex, "regex", false, "the file is a regular expression")
	c.Flags().BoolVar(&s.lark, "lark", false, "the file is a Lark grammar")
	c.Flags().BoolVar(&s.tools, "tools", false, "the file is an OpenAI tools array")
	c.Flags().BoolVar(&s.lenient, "lenient", false, "leave out of a schema what cannot be enforced exactly, and say so, as is done with tools")
	c.Flags().StringToStringVar(&s.documents, "document", nil, "URI=FILE: a schema that $ref may lead to, for it is not fetched; may be repeated")
	c.MarkFlagsMutuallyExclusive("schema", "gbnf", "regex", "lark", "tools")
}

// compile reads a file, compiles the grammar in it, and tells on standard error what of it is not
// enforced as it stands.
func (s *source) compile(c *cobra.Command, path string) (*grammar.Grammar, error) {
	text, err := read(c, path)
	if err != nil {
		return nil, fmt.Errorf("read grammar: %w", err)
	}
	g, err := s.compileText(c, path, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", path, err, advice(err))
	}
	for _, i := range g.Issues() {
		fmt.Fprintf(c.ErrOrStderr(), "%s: %s at %s: %s\n", i.Action, i.Keyword, orRoot(i.Pointer), i.Why)
	}
	return g, nil
}

// advice says what can be done about a schema that cannot be enforced exactly.
func advice(err error) string {
	var unsupported *schema.UnsupportedError
	switch {
	case !errors.As(err, &unsupported):
		return ""
	case unsupported.Keyword == "$ref":
		return " (--document URI=FILE hands in what it refers to, --lenient leaves it out)"
	}
	return " (--lenient leaves it out)"
}

func (s *source) compileText(c *cobra.Command, path string, text []byte) (*grammar.Grammar, error) {
	switch ext := filepath.Ext(path); {
	case s.tools:
		return toolsGrammar(text)
	case s.schema || !s.gbnf && !s.regex && !s.lark && ext == ".json":
		return s.schemaGrammar(c, text)
	case s.regex || !s.gbnf && !s.lark && ext == ".regex":
		return grammar.FromRegex(strings.TrimRight(string(text), "\r\n"))
	case s.lark || !s.gbnf && ext == ".lark":
		return grammar.FromLark(string(text))
	case s.gbnf || ext == ".gbnf":
		return grammar.Parse(string(text), grammar.Options{})
	}
	return nil, errors.New("say what it is: --schema, --gbnf, --regex, --lark or --tools")
}

func (s *source) schemaGrammar(c *cobra.Command, text []byte) (*grammar.Grammar, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return nil, errors.New("an array is no schema; if it holds tools, say --tools")
	}
	o := grammar.SchemaOptions{Lenient: s.lenient, Documents: map[string][]byte{}}
	for uri, file := range s.documents {
		document, err := read(c, file)
		if err != nil {
			return nil, fmt.Errorf("read document %s: %w", uri, err)
		}
		o.Documents[uri] = document
	}
	return grammar.FromSchema(text, o)
}

// declaredTool is a tool as a client declares it.
type declaredTool struct {
	Raw        json.RawMessage // as it stands
	Name       string
	Parameters json.RawMessage
	Hosted     string // the type of a tool that the model does not call; "": it does
}

// wireTool is one element of a tools array: OpenAI's with function, or the name and
// schema alone, as Anthropic, MCP and OpenAI's responses write them.
type wireTool struct {
	Type        string          `json:"type"`
	Function    *wireTool       `json:"function"`
	Name        string          `json:"name"`
	Parameters  json.RawMessage `json:"parameters"`
	InputSchema json.RawMessage `json:"input_schema"`
	MCPSchema   json.RawMessage `json:"inputSchema"`
}

// toolsArray is the array of tools in a file: the file itself, or the member tools of a request.
func toolsArray(text []byte) ([]byte, error) {
	var request struct{ Tools json.RawMessage }
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, fmt.Errorf("read tools: the file is not JSON: %w", err)
	}
	switch trimmed := bytes.TrimSpace(text); {
	case trimmed[0] == '[':
		return trimmed, nil
	case trimmed[0] == '{' && json.Unmarshal(trimmed, &request) == nil && len(request.Tools) > 0 && request.Tools[0] == '[':
		return request.Tools, nil
	}
	return nil, errors.New("read tools: the file is neither an array of tools nor a request with tools")
}

func decodeTools(text []byte) ([]declaredTool, error) {
	text, err := toolsArray(text)
	if err != nil {
		return nil, err
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(text, &elements); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	tools := make([]declaredTool, len(elements))
	for i, element := range elements {
		var w wireTool
		if json.Unmarshal(element, &w) != nil {
			return nil, fmt.Errorf("read tools: element %d is no tool, which is an object with a name and a schema", i)
		}
		if hosted(w) {
			tools[i] = declaredTool{Raw: element, Hosted: w.Type}
			continue
		}
		if w.Function != nil {
			w = *w.Function
		}
		if w.Name == "" {
			return nil, fmt.Errorf("read tools: element %d has no name", i)
		}
		tools[i] = declaredTool{Raw: element, Name: w.Name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
		for _, s := range []json.RawMessage{w.Parameters, w.InputSchema, w.MCPSchema} {
			if len(s) > 0 {
				tools[i].Parameters = s
			}
		}
	}
	return tools, nil
}

// hosted tells a tool of the client's or of a vendor's server, such as web_search, from one whose
// calls the model writes.
func hosted(w wireTool) bool {
	return w.InputSchema == nil && w.Type != "" && w.Type != "function" && w.Type != "custom" && w.Type != "namespace"
}

// toolsGrammar is the grammar of one call of one of the tools.
func toolsGrammar(text []byte) (*grammar.Grammar, error) {
	tools, err := decodeTools(text)
	if err != nil {
		return nil, err
	}
	tools = slices.DeleteFunc(tools, func(t declaredTool) bool { return t.Hosted != "" })
	if len(tools) == 0 {
		return nil, errors.New("read tools: the array is empty")
	}
	var b strings.Builder
	b.WriteString("root ::= \"{\\\"name\\\": \\\"\" (\n")
	for i, t := range tools {
		if i > 0 {
			b.WriteString(" |\n")
		}
		if first := t.Parameters[0]; first != '{' && first != 't' && first != 'f' {
			return nil, fmt.Errorf("read tools: the schema of tool %q is neither an object nor a boolean", t.Name)
		}
		name, _ := json.Marshal(t.Name) // a string always can
		o := grammar.SchemaOptions{Tool: t.Name, Lenient: true, Space: grammar.BoundedSpace}
		fmt.Fprintf(&b, "  name:( %s ) \"\\\", \\\"arguments\\\": \" arguments:( %s ) \"}\"", grammar.Quote(string(name[1:len(name)-1])), grammar.JSON(t.Parameters, o))
	}
	b.WriteString("\n)\n")
	return grammar.Parse(b.String(), grammar.Options{})
}
