package conform

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/tools/memo"
)

// Schema is a compiled schema. It is immutable and may be shared.
type Schema struct {
	root  *jsonschema.Schema
	notes []string
}

// Repair is one lossless change.
type Repair struct {
	Rule    string
	Pointer string // JSON pointer to the changed value
	Detail  string
}

// compiled are the schemas that were compiled before.
var compiled = memo.New[[sha256.Size]byte, *Schema](1024)

// Compile compiles the schema of a tool's arguments; empty means an object with any members. It never fails: what cannot be
// used (an unknown type name, a bad pattern, a reference that leads nowhere) is left out and listed in Notes, since the
// client's definition has been judged before.
func Compile(raw json.RawMessage) *Schema {
	s, _ := compiled.Get(sha256.Sum256(raw), func() (*Schema, error) { return compile(raw), nil })
	return s
}

// Notes lists what Compile left out.
func (s *Schema) Notes() []string { return s.notes }

func compile(raw json.RawMessage) *Schema {
	var t tidy
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		doc = map[string]any{"type": "object"}
	}
	doc = t.schema(doc, doc)
	root, err := build(doc)
	if err != nil {
		t.note("the schema as a whole: %v", err)
		root, _ = build(map[string]any{"type": "object"}) // a constant that compiles
	}
	return &Schema{root: root, notes: t.notes}
}

func build(doc any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseRegexpEngine(ecma)
	c.UseLoader(noLoader{})
	const url = "tool:///parameters"
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("add the schema: %w", err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	return s, nil
}

// noLoader refuses to fetch anything.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("remote schemas are not fetched: " + url)
}

// pattern is an ECMA-262 regular expression.
type pattern struct{ re *regexp2.Regexp }

func (p pattern) String() string { return p.re.String() }

func (p pattern) MatchString(s string) bool {
	ok, err := p.re.MatchString(s)
	return ok && err == nil
}

// matchTimeout bounds a catastrophic pattern; one that takes longer does not match.
const matchTimeout = 250 * time.Millisecond

func ecma(s string) (jsonschema.Regexp, error) {
	re, err := regexp2.Compile(s, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", s, err)
	}
	re.MatchTimeout = matchTimeout
	return pattern{re}, nil
}

// Validate tells why args do not validate, nil if they do.
func (s *Schema) Validate(args []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	return s.root.Validate(v)
}
