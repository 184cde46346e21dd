package conform

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/tools/memo"
)

// Schema is a compiled schema. It is immutable and may be shared.
type Schema struct {
	root  *jsonschema.Schema
	notes []string
	slow  *slowness
}

// Repair is one lossless change.
type Repair struct {
	Rule    string
	Pointer string // JSON pointer to the changed value
	Detail  string
}

// compiled are the schemas that were compiled before.
var compiled = memo.New[[sha256.Size]byte, *Schema](1024, 4<<20)

// Compile compiles the schema of a tool's arguments; empty means an object with any members. It
// never fails: what cannot be used (an unknown type name, a bad pattern, a reference that leads
// nowhere) is left out and listed in Notes, since the client's definition has been judged before.
func Compile(raw json.RawMessage) *Schema {
	s, _ := compiled.Get(sha256.Sum256(raw), len(raw), func() (*Schema, error) { return compile(raw), nil })
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
	var slow slowness
	root, err := build(doc, &slow)
	if err != nil {
		t.note("the schema as a whole: %v", err)
		root, _ = build(map[string]any{"type": "object"}, &slow) // a constant that compiles
	}
	return &Schema{root: root, notes: t.notes, slow: &slow}
}

func build(doc any, slow *slowness) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseRegexpEngine(slow.pattern)
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

// slowness counts the matches of a schema's patterns that ran out of time since the latest look at
// arguments began. Looks at the same time share it.
type slowness struct{ timeouts atomic.Int32 }

// A pattern may backtrack for ever. One that takes longer than matchTimeout does not match, and
// after maxTimeouts in one look none does.
const (
	matchTimeout = 100 * time.Millisecond
	maxTimeouts  = 4
)

// pattern is an ECMA-262 regular expression.
type pattern struct {
	re   *regexp2.Regexp
	slow *slowness
}

func (p pattern) String() string { return p.re.String() }

func (p pattern) MatchString(s string) bool {
	if p.slow.timeouts.Load() >= maxTimeouts {
		return false
	}
	ok, err := p.re.MatchString(s)
	if err != nil {
		p.slow.timeouts.Add(1)
	}
	return ok && err == nil
}

func (s *slowness) pattern(text string) (jsonschema.Regexp, error) {
	re, err := ecma(text)
	if err != nil {
		return nil, err
	}
	return pattern{re, s}, nil
}

func ecma(s string) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(s, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", s, err)
	}
	re.MatchTimeout = matchTimeout
	return re, nil
}

// Validate tells why args do not validate, nil if they do.
func (s *Schema) Validate(args []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	s.slow.timeouts.Store(0)
	return check(s.root, v)
}

// check validates a value. A number that most readers of JSON have no number for fits no schema.
func check(s *jsonschema.Schema, v any) error {
	if n := unreadable(v); n != "" {
		return fmt.Errorf("the number %.40s is beyond what a double can hold", n)
	}
	return s.Validate(v)
}
