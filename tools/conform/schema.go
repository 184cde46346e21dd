package conform

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"tenon/tools/memo"
)

// Schema is a compiled schema. It is immutable and may be shared.
type Schema struct {
	root   *jsonschema.Schema
	loose  bool // the validator cannot compile it: any object is taken
	effort *effort
	wrong  string // why no arguments can be held against it
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
// nowhere) is left out, since the client's definition has been judged before.
func Compile(raw json.RawMessage) *Schema {
	s, _ := CompileUntil(raw, nil)
	return s
}

// CompileUntil compiles a schema unless stop, which is asked at each place of the schema, gives an
// error. That is the only one there is.
func CompileUntil(raw json.RawMessage, stop func() error) (*Schema, error) {
	return compiled.Get(sha256.Sum256(raw), len(raw), func() (*Schema, error) { return compile(raw, stop) })
}

// Beyond tells why arguments cannot be held against the schema, "" if they can.
func (s *Schema) Beyond() string { return s.wrong }

// mostSchemas bounds those inside of a schema: the validator looks for each among all that wait to
// be compiled. The largest known have 4,000.
const mostSchemas = 1 << 15

func compile(raw json.RawMessage, stop func() error) (*Schema, error) {
	var s sanitizer
	wrong := Unwieldy(raw)
	if wrong == "" && bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("true"))+bytes.Count(raw, []byte("false")) > mostSchemas {
		wrong = fmt.Sprintf("has more than %d schemas inside of it", mostSchemas)
	}
	if wrong != "" {
		raw, wrong = nil, "its schema "+wrong
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		doc = map[string]any{"type": "object"}
	}
	doc = s.schema(doc, doc)
	var e effort
	root, err := build(doc, &e, stop)
	if stop != nil && stop() != nil {
		return nil, stop()
	}
	loose := err != nil
	if loose {
		// a constant that compiles
		root, _ = build(map[string]any{"type": "object"}, &e, nil)
	}
	return &Schema{root: root, loose: loose, effort: &e, wrong: wrong}, nil
}

func build(doc any, e *effort, stop func() error) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseRegexpEngine(e.pattern)
	c.AssertVocabs()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "tool:///effort", Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
		if stop != nil {
			return e, stop()
		}
		return e, nil
	}})
	c.UseLoader(noLoader{})
	// Documents of this host are not held against a metaschema, which takes the cube of how
	// deep they nest. A keyword whose value it cannot have is left out.
	const url = "https://json-schema.org/tool/parameters"
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

// effort is what one look at arguments may still cost. Looks at one schema wait for each other.
type effort struct {
	mu              sync.Mutex
	steps, timeouts int
}

// A value that fits no branch of a union is compared with each, and so is each value inside of it,
// again for each branch that holds it: the time doubles with each level of the value. So the
// places of the schema that are reached are counted, and a look that reaches too many ends. A
// pattern may backtrack for ever, too: one that takes longer than matchTimeout does not match, and
// after maxTimeouts in one look none does.
const (
	maxSteps     = 1 << 15
	stepsPerByte = 32
	matchTimeout = 100 * time.Millisecond
	maxTimeouts  = 4
)

var errEffort = errors.New("the schema has too many alternatives for these arguments to be checked")

// look begins a look at arguments; what it returns ends it.
func (s *Schema) look(args []byte) (end func()) {
	s.effort.mu.Lock()
	s.effort.timeouts = maxTimeouts
	s.renew(args)
	return s.effort.mu.Unlock
}

func (s *Schema) renew(args []byte) { s.effort.steps = maxSteps + stepsPerByte*len(args) }

// Validate implements jsonschema.SchemaExt: it is called at each place.
func (e *effort) Validate(*jsonschema.ValidatorContext, any) {
	if e.steps--; e.steps < 0 {
		panic(errEffort) // the validator knows no other end; check catches it
	}
}

// pattern is an ECMA-262 regular expression.
type pattern struct {
	re     *regexp2.Regexp
	effort *effort
}

func (p pattern) String() string { return p.re.String() }

func (p pattern) MatchString(s string) bool {
	if p.effort.timeouts <= 0 {
		return false
	}
	ok, err := p.re.MatchString(s)
	if err != nil {
		p.effort.timeouts--
	}
	return ok && err == nil
}

func (e *effort) pattern(text string) (jsonschema.Regexp, error) {
	re, err := ecma(text)
	if err != nil {
		return nil, err
	}
	return pattern{re, e}, nil
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
	defer s.look(args)()
	return s.validate(args)
}

func (s *Schema) validate(args []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return fmt.Errorf("read the arguments: %w", err)
	}
	return settled(check(s.root, v))
}

// settled is a validation error with its causes in one order: the validator takes members as they
// come out of a map. Those of a union stay in its branches' order.
func settled(err error) error {
	var e *jsonschema.ValidationError
	if !errors.As(err, &e) {
		return err
	}
	for _, c := range e.Causes {
		_ = settled(c)
	}
	if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(extra.Properties)
	}
	if unionKeyword(e.ErrorKind) == "" {
		slices.SortStableFunc(e.Causes, func(a, b *jsonschema.ValidationError) int {
			if n := cmp.Or(slices.Compare(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.SchemaURL, b.SchemaURL)); n != 0 {
				return n
			}
			return cmp.Compare(a.Error(), b.Error())
		})
	}
	return err
}

// check validates a value. A number that most readers of JSON have no number for fits no schema.
func check(s *jsonschema.Schema, v any) (err error) {
	defer func() {
		if r := recover(); r == errEffort { //nolint:errorlint // it is the very value
			err = errEffort
		} else if r != nil {
			panic(r)
		}
	}()
	if n := unreadable(v); n != "" {
		return fmt.Errorf("the number %.40s is beyond what a double can hold", n)
	}
	return s.Validate(v)
}
