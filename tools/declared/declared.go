package declared

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/grammar/schema"
	"tenon/tools/conform"
	"tenon/tools/lenient"
	"tenon/tools/memo"
	"tenon/tools/ordered"
	"tenon/tools/turn"
)

// Parameters are the names of a tool's arguments in the order in which its schema has them.
func (t *Tool) Parameters() []string {
	properties, _ := t.root.First("properties")
	var all []string
	for _, e := range ordered.Members(properties) {
		all = append(all, e.Key)
	}
	return all
}

// Tool is a tool as the model sees it.
type Tool struct {
	turn.Tool
	Prompt  string          // the name in the prompt
	Wire    json.RawMessage // the schema, compact; see SetWire
	root    ordered.MemberList
	Schema  *conform.Schema
	Issues  []grammar.Issue
	Unsat   string // why no arguments can validate
	Allowed bool
	Members []Property // the arguments, where each has a place of its own
	Loose   bool       // some of the arguments have only types in the grammar
	// arguments are validated before any of them is sent: the mask enforces only a part of the
	// schema
	Held bool
	Text *grammar.Grammar // of a free-form tool's input; nil: any
	// of the same inside a JSON string, where it is not a regular expression
	Quoted *gbnf.Grammar
}

// Uncallable is what a tool is, as a whole, whose Unsat is set.
const Uncallable grammar.Action = "uncallable"

// Shape is that of a tool's arguments: the keys it declares, and any if it declares none.
func (t *Tool) Shape() lenient.Shape {
	if len(t.Parameters()) == 0 {
		return nil
	}
	return func(key string) (lenient.Shape, bool) { return nil, t.Schema.Declares(key) }
}

// ToolsPrefix is what models of many families write before names.
const ToolsPrefix = "functions."

// Names finds the tool that a model means: by its exact name, else by the one name that differs
// only in case, separators or a prefix.
type Names struct {
	Exact  map[string]int
	normal map[string][]int
}

// Match is a tool that was found; rule is set if the name was spelled in another way.
type Match struct {
	Tool int
	Rule string
}

// Add makes a tool findable by a name.
func (n *Names) Add(name string, tool int) {
	if n.Exact == nil {
		n.Exact, n.normal = map[string]int{}, map[string][]int{}
	}
	n.Exact[name] = tool
	key := conform.Normal(name)
	n.normal[key] = append(n.normal[key], tool)
}

// Rules under which the spellings of names are counted.
const (
	NamePrefix   = "name-prefix"
	nameSpelling = "name-spelling"
)

// NamePrefixes are what models write before names, in lower case.
var NamePrefixes = []string{ToolsPrefix, "function.", "functions::", "tools.", "tool.", "default_api."}

// nameIndex is the running number that Kimi K2 writes behind a name.
var nameIndex = regexp.MustCompile(`:[0-9]+$`)

// Find returns the tool that a model means by name. Where it may mean more than one, it means
// none.
func (n *Names) Find(name string) (Match, bool) {
	if i, ok := n.Exact[name]; ok {
		return Match{Tool: i}, true
	}
	spellings := withoutPrefixes(strings.Trim(strings.TrimSpace(name), "\"'`"))
	for _, s := range spellings {
		if i, ok := n.Exact[s]; ok {
			return Match{i, NamePrefix}, true
		}
	}
	means := map[int]bool{}
	for _, s := range spellings {
		for _, i := range n.normal[conform.Normal(s)] {
			means[i] = true
		}
	}
	for i := range means {
		return Match{i, nameSpelling}, len(means) == 1
	}
	return Match{}, false
}

// withoutPrefixes is what a name may be, the whole first: each time without one more of the
// prefixes, and without a running number.
func withoutPrefixes(name string) (all []string) {
	for {
		for _, s := range []string{name, nameIndex.ReplaceAllString(name, "")} {
			if s != "" && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		next := name
		for _, prefix := range NamePrefixes {
			if n := len(prefix); next == name && len(name) > n && strings.EqualFold(name[:n], prefix) {
				next = name[n:]
			}
		}
		if next == name {
			return all
		}
		name = next
	}
}

// FirstInput is the text of a free-form tool's call, in arguments that have it as a member.
func FirstInput(args []byte) json.RawMessage {
	v, _ := ordered.Members(args).First(InputKey)
	return v
}

// InputKey is the one argument of a free-form tool where a dialect has only arguments.
const InputKey = "input"

// Schema is that of an object with the tool's text as its only member. A Lark grammar has no place
// in it.
func Schema(f *turn.Freeform) json.RawMessage {
	input := `{"type":"string"}`
	if f.Syntax == "regex" {
		input = `{"type":"string","pattern":` + ordered.String("^(?:"+f.Definition+")$") + `}`
	}
	return json.RawMessage(`{"type":"object","properties":{"` + InputKey + `":` + input + `},"required":["` + InputKey + `"],"additionalProperties":false}`)
}

// Compile prepares the grammar of a free-form tool's text. One that cannot be read is dropped, and
// the text is any.
func (t *Tool) Compile() {
	f := t.Freeform
	if f == nil || f.Syntax == "" {
		return
	}
	var err error
	switch f.Syntax {
	case "lark":
		t.Text, err = grammar.FromLark(f.Definition)
		if err == nil {
			t.Quoted, err = quotedLark(f.Definition)
		}
	case "regex":
		t.Text, err = grammar.FromRegex(f.Definition)
	default:
		err = fmt.Errorf("unknown syntax %q", f.Syntax)
	}
	if err != nil {
		t.Text, t.Quoted = nil, nil
		why := fmt.Sprintf("the input may be any text: %v", err)
		t.Issues = append(t.Issues, grammar.Issue{Tool: t.Name, Keyword: f.Syntax, Action: grammar.Dropped, Why: why})
	}
}

func quotedLark(src string) (*gbnf.Grammar, error) {
	tree, err := gbnf.ReadLark(src)
	if err != nil {
		return nil, fmt.Errorf("parse lark grammar: %w", err)
	}
	return gbnf.InString(tree)
}

// Matches tells whether a text is one that a free-form tool takes.
func (t *Tool) Matches(text string) bool {
	if t.Text == nil {
		return true
	}
	m := t.Text.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}

// schemaCheck is what package grammar says of a schema.
type schemaCheck struct {
	issues []grammar.Issue
	unsat  string
	err    error
}

// checkedSchemas remembers what package grammar said.
var checkedSchemas = memo.New[[sha256.Size]byte, schemaCheck](2048, 16<<20)

// CheckSchema has package grammar check a tool's schema: which keywords the mask enforces, and
// whether any value satisfies it. The error is about a text that is no schema, or it is stop's.
func (d *Tool) CheckSchema(params json.RawMessage, stop func() error) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, params); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	d.SetWire(withoutArguments(compact.Bytes()))
	if d.Unsat = d.Schema.Beyond(); d.Unsat != "" {
		d.Tool.Parameters = nil // neither is it shown to the model
		if d.Strict {
			return fmt.Errorf("strict: %s", d.Unsat)
		}
		return nil
	}
	v, err := checkedSchemas.Get(sha256.Sum256(d.Wire), len(d.Wire), func() (schemaCheck, error) { return checkSchema(d.Wire, stop) })
	if err != nil {
		return err
	}
	d.Unsat = v.unsat
	for _, i := range v.issues {
		i.Tool = d.Name
		if d.Strict && i.Action != grammar.Enforced {
			return fmt.Errorf("strict: the keyword %s at %s cannot be enforced: %s", i.Keyword, i.Pointer, i.Why)
		}
		d.Issues = append(d.Issues, i)
	}
	return v.err
}

// SetWire replaces the schema as it is sent.
func (t *Tool) SetWire(schema json.RawMessage) { t.Wire, t.root = schema, ordered.Members(schema) }

// withoutArguments closes a schema that declares no arguments: by {"properties":{}} clients mean a
// function that takes none.
func withoutArguments(wire json.RawMessage) json.RawMessage {
	root := ordered.Members(wire)
	properties, _ := root.First("properties")
	speaks := slices.ContainsFunc(root, func(e ordered.Member) bool {
		return e.Key != "type" && e.Key != "properties" && !slices.Contains(annotations, e.Key) && !(e.Key == "required" && string(e.Value) == "[]")
	})
	if string(properties) != "{}" || speaks {
		return wire
	}
	return append(root, ordered.Member{Key: "additionalProperties", Value: json.RawMessage("false")}).Object()
}

func checkSchema(wire json.RawMessage, stop func() error) (schemaCheck, error) {
	g, err := grammar.FromSchema(wire, grammar.SchemaOptions{Lenient: true, Stop: stop})
	var unsat *schema.UnsatError
	switch {
	case stop != nil && stop() != nil:
		return schemaCheck{}, stop()
	case errors.As(err, &unsat):
		return schemaCheck{unsat: unsat.Error()}, nil
	case err != nil:
		return schemaCheck{err: err}, nil //nolint:nilerr // the result holds it
	}
	return schemaCheck{issues: g.Issues()}, nil
}

// CallKeys are the keys that an object which is a call may have. Where no marker says that it is
// one, another key decides that it is not.
var (
	NameKeys = []string{"name", "tool_name", "tool", "function_name", "function", "action", "tool_call", "recipient_name"}
	ArgsKeys = []string{"arguments", "parameters", "args", "params", "input", "tool_input", "action_input", "kwargs", "function_args"}
	IDKeys   = []string{"id", "tool_call_id", "call_id"}
	ListKeys = []string{"tool_calls", "tool_uses"}
	CallKeys = slices.Concat(NameKeys, ArgsKeys, IDKeys, ListKeys, []string{"type", "index", "thought"})
)
