package grammar

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"tenon/grammar/gbnf"
	"tenon/grammar/machine"
	"tenon/grammar/vocab"
)

// Grammar is a compiled grammar. It is immutable to its users and may be shared by any number of
// goroutines; what it learns while matching (automata, masks) is kept in it behind a lock and
// bounded in size.
type Grammar struct {
	text   string
	issues []Issue
	tree   *gbnf.Grammar

	lenient  bool
	program  *machine.Program                 // for masks
	captures func() (*machine.Program, error) // for events, compiled when first asked for
	fixed    int                              // bytes that all of this takes, roughly

	printed sync.Map // Printed, by the Target that was asked for

	mu         sync.Mutex                   // protects all below
	units      map[*gbnf.Node]*machine.Unit // replaced, never changed: see ready
	workspaces []*workspace                 // most recently used first
}

// Options for Parse. The zero value is the default.
type Options struct {
	// Lenient is the default of %json terminals that do not say it themselves: what the mask
	// cannot enforce is left out of it and reported as an Issue, instead of being an error.
	Lenient bool
	// Stop is asked now and then while a grammar is compiled that is not kept: an error of its
	// ends that.
	Stop func() error
}

// Action says what became of a schema keyword that the mask does not enforce.
type Action string

// What can become of a keyword.
const (
	Checked  Action = "checked"  // the value is to be validated when it is complete
	Dropped  Action = "dropped"  // the keyword has no effect
	Enforced Action = "enforced" // enforced, but not as the author may expect
)

// Issue is one keyword that the mask does not enforce.
type Issue struct {
	Tool    string `json:"tool,omitempty"` // the name given in the terminal's options, if any
	Pointer string `json:"pointer"`        // JSON pointer to the keyword's schema
	Keyword string `json:"keyword"`
	Action  Action `json:"action"`
	Why     string `json:"why,omitempty"`
}

// Order is which order of an object's keys is accepted.
type Order string

// The orders of keys. The zero value is AnyOrder.
const (
	AnyOrder      Order = "any"
	DeclaredOrder Order = "declared" // named keys as declared, then the others
)

// Space is how much white space is accepted between the parts of a JSON text.
type Space string

// The amounts of white space. The zero value is AnySpace.
const (
	AnySpace Space = "any"
	// what pretty printers write, so that a model cannot loop on it
	BoundedSpace Space = "bounded"
	NoSpace      Space = "none"
)

// Escapes is which spellings of a character in a JSON string are accepted.
type Escapes string

// The spellings of characters. The zero value is AnyEscapes.
const (
	AnyEscapes    Escapes = "any"
	CommonEscapes Escapes = "common" // those that encoders write: no \u0061 for a letter
	// an escape only where JSON demands one, in its shortest form
	CanonicalEscapes Escapes = "canonical"
)

// Numbers is which spellings of a number are accepted.
type Numbers string

// The spellings of numbers. The zero value is AnyNumbers.
const (
	AnyNumbers   Numbers = "any"
	PlainNumbers Numbers = "plain" // no exponent
	// no exponent, at most 20 digits on each side of the point, a bounded count also in times
	CanonicalNumbers Numbers = "canonical"
)

// Extra is which keys are accepted that a schema does not speak of.
type Extra string

// The extra keys. The zero value is AnyExtra.
const (
	AnyExtra Extra = "any"
	// none in objects with properties, unless additionalProperties or its like says otherwise
	NoExtra Extra = "none"
)

// Formats is what the format keyword means.
type Formats string

// The meanings of format. The zero value is AssertFormats.
const (
	AssertFormats   Formats = "assert"
	AnnotateFormats Formats = "annotate"
)

// SchemaOptions are the choices a caller has about a JSON Schema. The zero value is exact JSON
// Schema: any order, any white space, any spelling, and an error for what cannot be enforced. In
// the text of a grammar they are written after the schema: %json{…}[order=declared,
// space=bounded].
type SchemaOptions struct {
	Tool    string // named in issues and errors
	Lenient bool
	Order   Order
	Space   Space
	Escapes Escapes
	Numbers Numbers
	Extra   Extra
	Formats Formats
	// Documents are JSON Schemas by absolute URI that $ref may lead to: nothing is ever
	// fetched. The published metaschemas need not be among them.
	Documents map[string][]byte
	Stop      func() error // as in Options
}

// Parse compiles extended GBNF (see GBNF.md). Errors of syntax say line and column. Grammars that
// were used recently are kept: parsing the same text again gives the same Grammar, with all it has
// learned.
func Parse(src string, o Options) (*Grammar, error) {
	return remembered(src, o, func() (*Grammar, error) { return parse(src, o) })
}

// remembered returns the grammar that is kept of a text, or compiles it and keeps it. No lock is
// held meanwhile: of two that compile one text at once, the first is kept.
func remembered(text string, o Options, compile func() (*Grammar, error)) (*Grammar, error) {
	key := cacheKey{fmt.Sprint(o.Lenient), text}
	if g, ok := grammars.get(key); ok {
		return g, nil
	}
	g, err := compile()
	if err != nil {
		return nil, err
	}
	return grammars.put(key, g), nil
}

func parse(src string, o Options) (*Grammar, error) {
	tree, err := gbnf.Read(src)
	if err != nil {
		return nil, fmt.Errorf("parse grammar: %w", err)
	}
	return compile(tree, src, o)
}

func compile(tree *gbnf.Grammar, text string, o Options) (*Grammar, error) {
	g := &Grammar{text: text, tree: tree, lenient: o.Lenient}
	var err error
	if g.units, g.issues, err = unitsOf(tree, o); err != nil {
		return nil, err
	}
	if g.program, err = machine.Compile(tree, g.units, false); err != nil {
		return nil, fmt.Errorf("compile grammar: %w", err)
	}
	g.fixed = len(text)*perTextByte + 2*g.program.Size() // there are two
	g.captures = sync.OnceValues(func() (*machine.Program, error) { return machine.Compile(tree, g.schemas(), true) })
	if err = machine.New(g.program, g.units, false).Prepare(); err != nil {
		return nil, fmt.Errorf("compile grammar: %w", err)
	}
	return g, nil
}

// FromRegex compiles a regular expression (ECMA-262). The whole output must match, as if it stood
// between ^ and $.
func FromRegex(pattern string) (*Grammar, error) {
	return Parse("root ::= %regex "+gbnf.Quote(pattern)+"\n", Options{})
}

// FromSchema compiles a JSON Schema (drafts 4 to 2020-12): the grammar accepts the JSON texts of
// exactly its instances. Errors wrap those of package schema: *schema.InvalidError,
// *schema.UnsupportedError, *schema.UnsatError. As with Parse, the grammars used last are kept.
func FromSchema(text []byte, o SchemaOptions) (*Grammar, error) {
	tree := &gbnf.Grammar{Rules: []gbnf.Rule{{Name: "root", Node: &gbnf.Node{Op: gbnf.JSON, Text: string(text), Options: o.options()}}}}
	src := gbnf.Write(tree)
	return remembered(src, Options{}, func() (*Grammar, error) { return compile(tree, src, Options{Stop: o.Stop}) })
}

// JSON writes a %json terminal for a schema, to be part of a grammar's text.
func JSON(schema []byte, o SchemaOptions) string {
	return "%json" + gbnf.SchemaText(string(schema)) + o.options().String()
}

func (o SchemaOptions) options() gbnf.JSONOptions {
	return gbnf.JSONOptions{Tool: o.Tool, Lenient: o.Lenient, Order: string(o.Order), Space: string(o.Space),
		Escapes: string(o.Escapes), Numbers: string(o.Numbers), Extra: string(o.Extra), Format: string(o.Formats), Documents: documentsText(o.Documents)}
}

// documentsText writes documents as a JSON object, in one order whatever that of the map.
func documentsText(documents map[string][]byte) string {
	if len(documents) == 0 {
		return ""
	}
	var b strings.Builder
	for i, uri := range slices.Sorted(maps.Keys(documents)) {
		name, _ := json.Marshal(uri) // a string always can
		fmt.Fprintf(&b, "%c%s:%s", "{,"[min(i, 1)], name, documents[uri])
	}
	return b.String() + "}"
}

// FromLark compiles the subset of Lark that coding agents send with free-form tools; GBNF.md lists
// what it holds. The error wraps a *gbnf.SyntaxError, with line and column, for a text that is no
// Lark grammar, and a *gbnf.UnsupportedError for one that is, but cannot be served.
func FromLark(src string) (*Grammar, error) {
	tree, err := gbnf.ReadLark(src)
	if err != nil {
		return nil, fmt.Errorf("parse lark grammar: %w", err)
	}
	gbnf.NameRoot(tree)
	g, err := compile(tree, gbnf.Write(tree), Options{})
	if err != nil { // its patterns are Python's, and what it is made of has limits
		return nil, fmt.Errorf("parse lark grammar: %w", &gbnf.UnsupportedError{Message: err.Error()})
	}
	return g, nil
}

// Quote writes text as a literal of a grammar.
func Quote(text string) string { return gbnf.Quote(text) }

// Text is the grammar in extended GBNF; Parse of it gives an equal grammar.
func (g *Grammar) Text() string { return g.text }

// Issues lists what the masks do not enforce as it is written. Without Lenient these are only
// oddities: type names that JSON Schema does not have, references that never end, format regex.
func (g *Grammar) Issues() []Issue { return g.issues }

// Target is a dialect that a grammar can be printed in.
type Target string

// The dialects of Print.
const (
	Tenon    Target = "tenon"    // extended GBNF, always exact
	GBNF     Target = "gbnf"     // llama.cpp
	XGrammar Target = "xgrammar" // XGrammar's EBNF
)

// Printed is a grammar in another dialect.
type Printed struct {
	Text     string
	Exact    bool     // the text accepts exactly what the grammar accepts
	Loosened []string // what makes it accept more, for people
	Narrowed []string // what makes it accept less
}

// Vocab is a model's vocabulary; see package vocab.
type Vocab = vocab.Vocab

// TokenKind says what a token of a vocabulary is.
type TokenKind = vocab.Kind

// NewVocab builds a vocabulary: pieces[i] is the text of token i, kinds[i] what it is, eog the
// tokens that end a generation.
func NewVocab(pieces [][]byte, kinds []TokenKind, eog []int32) (*Vocab, error) {
	return vocab.New(pieces, kinds, eog)
}
