package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tenon/grammar/lex"
	"tenon/grammar/lex/number"
	"tenon/grammar/schema/source"
)

// FormatPolicy says what the format keyword does.
type FormatPolicy uint8

const (
	// FormatsAsserted constrains strings to the formats that are known. It is the default.
	FormatsAsserted FormatPolicy = iota
	// FormatsAnnotation ignores format, as the specification's required part does.
	FormatsAnnotation
)

// Options say how to compile. The zero value compiles strictly with default limits.
type Options struct {
	Tool    string       // named in errors
	Draft   source.Draft // of schemas without $schema; default DraftAuto
	Formats FormatPolicy
	// Lenient drops what cannot be enforced exactly and reports it, instead of failing.
	Lenient bool
	// CloseObjects takes additionalProperties to be false in a schema that declares properties
	// and says nothing of others. The instances that remain are instances of the schema.
	CloseObjects bool
	// Documents are further schemas by absolute URI that references may lead to. Nothing is
	// ever fetched.
	Documents map[string][]byte
	Numbers   Numbers
	Limits    Limits
	Stop      func() error // asked now and then; its error ends the compilation
}

// Numbers says how numbers may be spelled. The zero value admits every JSON spelling.
type Numbers struct {
	Spelling          number.Spelling
	MaxIntegerDigits  int // before the point, 0: no bound; number.SpellPlain only
	MaxFractionDigits int // after the point, 0: no bound; number.SpellPlain only
}

// Limits bound the work that a hostile schema can cause. Zero fields take the default given with
// them.
type Limits struct {
	Bytes        int   // of source text, default 4 MiB
	Depth        int   // of nesting, default 10,000
	Nodes        int32 // intermediate nodes, default 400,000
	Alternatives int   // of one node and kind, default 2,000
	Work         int   // properties and elements combined, default 2,000,000
	// derivatives taken to decide whether languages are empty, default 120,000
	Questions int
	Automata  lex.Limits
}

func (l Limits) withDefaults() Limits {
	l.Bytes, l.Depth = cmp.Or(l.Bytes, 4<<20), cmp.Or(l.Depth, 10_000)
	l.Nodes, l.Alternatives = cmp.Or(l.Nodes, 400_000), cmp.Or(l.Alternatives, 2_000)
	l.Work, l.Questions = cmp.Or(l.Work, 2_000_000), cmp.Or(l.Questions, 120_000)
	return l
}

// Schema is a compiled schema. Its nodes expand lazily and share memos, so that a Schema, with its
// nodes and its arena, must be used by one goroutine at a time: whoever shares it guards it with
// one mutex.
type Schema struct {
	Root   *Node
	Issues []Issue // the keywords that are not simply enforced as written, in source order

	source  *source.Set
	arena   *lex.Arena
	tool    string
	formats FormatPolicy

	numberSpelling number.Spec  // only its spelling is set
	times          map[Expr]int // formats whose digits are bounded: their longest text
	lenient        bool
	closeObjects   bool
	limits         Limits

	issueAt []int // offsets of Issues in the source

	nodes    int32
	stop     func() error
	stopped  error
	work     int  // done since reset, for Limits.Work
	building bool // Compile has not returned yet
	asked    int  // used of Limits.Questions by arenas that were thrown away
	spent    int  // used of Limits.Work by attempts that failed
	slab     []Node
	any      *Node
	never    *Node
	cons     map[string]*Node
	leaves   map[leafKey]*Node
	types    map[typeKey]leafKey // the first schema that says nothing but this type
	consts   map[string]*Node    // by canonical text
	lists    map[*Node]list      // memo of listing
	anyAlts  [kinds]*Alt
	cells    map[string]Expr // by key

	at       *Node         // the node being expanded or listed, to be blamed
	satDepth map[*Node]int // the nodes being decided, and their depths
	satLow   int           // the least depth that the current decision assumed empty

	speculating int  // depth of plausible and listing within the expansion of other nodes
	cyclic      bool // they came back to a node being expanded: what they find is not kept

	dropped map[dropKey]bool // keywords that lenient mode gave up on
	err     *UnsupportedError
	errAt   dropKey
}

type dropKey struct {
	at      *source.Value
	keyword string
}

// Compile reads a JSON Schema. Errors are *InvalidError, *UnsupportedError (strict only) and
// *UnsatError.
func Compile(text string, o Options) (*Schema, error) {
	limits := o.Limits.withDefaults()
	if len(text) > limits.Bytes {
		return nil, &InvalidError{Tool: o.Tool, Why: fmt.Sprintf("more than %d bytes", limits.Bytes)}
	}
	src, err := source.Read(text, source.Options{Draft: o.Draft, Documents: o.Documents, MaxDepth: limits.Depth, MaxBytes: limits.Bytes})
	if bad := (*source.Error)(nil); errors.As(err, &bad) {
		return nil, &InvalidError{Tool: o.Tool, Pointer: bad.Pointer, Why: bad.Why}
	}
	s := &Schema{
		source: src, tool: o.Tool, formats: o.Formats, lenient: o.Lenient, closeObjects: o.CloseObjects, limits: limits, stop: o.Stop, dropped: map[dropKey]bool{},
		numberSpelling: number.Spec{Spelling: o.Numbers.Spelling, MaxIntegerDigits: o.Numbers.MaxIntegerDigits, MaxFractionDigits: o.Numbers.MaxFractionDigits},
	}
	err = s.build(src.Root)
	if s.stopped != nil {
		return nil, s.stopped
	}
	s.stop = nil
	return s, err
}

// Arena holds the languages of the schema's alternatives.
func (s *Schema) Arena() *lex.Arena { return s.arena }

// reset forgets every node and every language: an arena that met a limit cannot be used further.
func (s *Schema) reset() {
	s.arena = lex.NewArena(s.limits.Automata)
	s.cells, s.times = make(map[string]Expr), make(map[Expr]int)
	s.nodes, s.work, s.slab, s.err, s.at = 0, 0, nil, nil, nil
	s.cons = make(map[string]*Node)
	s.leaves = make(map[leafKey]*Node)
	s.types = make(map[typeKey]leafKey)
	s.consts = make(map[string]*Node)
	s.lists = make(map[*Node]list)
	s.satDepth, s.satLow, s.speculating, s.cyclic = make(map[*Node]int), math.MaxInt, 0, false
	s.never = s.newNode(opNever)
	s.any = s.newNode(opAny)
	clear(s.anyAlts[:])
	s.never.not, s.any.not = s.any, s.never
}

// maxDrops bounds how many keywords lenient mode drops, one by one, before it drops the schema.
const maxDrops = 20

// maxRestarts bounds the work of failed attempts, in units of Limits.Work.
const maxRestarts = 2

// build makes the root node and proves that some value satisfies it. Lenient mode drops a keyword
// that turns out to be too hard and starts over without it, so that no memo remembers it.
func (s *Schema) build(v *source.Value) error {
	s.building = true
	defer func() { s.building = false }()
	for range maxDrops {
		s.rebuild(v)
		empty := s.err == nil && s.Root.Empty() // deciding that can be too hard as well
		s.asked, s.spent = s.asked+s.arena.Asked(), s.spent+s.work
		switch {
		case s.err != nil:
		case empty:
			return s.conflict(v)
		default:
			return nil
		}
		if !s.lenient || s.stopped != nil {
			return s.err
		}
		if s.errAt.keyword == "" || s.dropped[s.errAt] || s.asked > s.limits.Questions || s.spent > maxRestarts*s.limits.Work {
			break
		}
		s.dropped[s.errAt] = true
		action := Checked
		if s.err.Why == selfReference { // no validator can check it, either
			action = Dropped
		}
		s.issue(s.errAt.at, s.errAt.keyword, action, s.err.Why)
	}
	s.issue(v, "", Checked, s.err.Why)
	s.reset()
	s.Root = s.any
	return nil
}

// rebuild makes the root node of v and visits every node that can be reached from it.
func (s *Schema) rebuild(v *source.Value) {
	s.reset()
	s.Root = s.leafNode(v, s.source.Main, s.source.Enter(s.source.NoScope, s.source.Main))
	s.discover(s.Root)
}

// unsupported records the first reason why the schema cannot be enforced exactly. Without b, it
// blames the node being expanded.
func (s *Schema) unsupported(b *blame, why string) {
	if s.err != nil {
		return
	}
	if b == nil {
		b = s.culprit(s.at, suspects[:])
	}
	s.err = &UnsupportedError{Tool: s.tool, Pointer: s.source.Place(b.at), Keyword: b.keyword, Why: why}
	s.errAt = dropKey{b.at, b.keyword}
}

// suspects are the keywords that make a node hard to expand, the likeliest first. They are a list
// of their own because their order is all that they say, and source.Keywords has none.
var suspects = [...]string{"not", "oneOf", "if", "dependencies", "dependentSchemas", "anyOf", "unevaluatedProperties", "unevaluatedItems",
	"patternProperties", "propertyNames", "pattern", "format", "contains", "uniqueItems", "multipleOf", "allOf",
	"$ref", "$dynamicRef", "$recursiveRef", "minLength", "maxLength", "minProperties", "maxProperties", "enum", "const"}

// references are the keywords that name another schema.
var references = [...]string{"$ref", "$dynamicRef", "$recursiveRef"}

// culprit picks the keyword to name when n is too hard: the first of keywords that a schema within
// n has.
func (s *Schema) culprit(n *Node, keywords []string) *blame {
	var leaves []*source.Value
	seen := make(map[*Node]bool)
	var visit func(*Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if n.leaf != nil {
			leaves = append(leaves, n.leaf.at)
		} else if n.blame != nil {
			leaves = append(leaves, n.blame.at)
		}
		for _, k := range n.kids {
			visit(k)
		}
	}
	visit(n)
	for _, keyword := range keywords {
		for _, at := range leaves {
			if at.Get(keyword) != nil && !s.dropped[dropKey{at, keyword}] {
				return &blame{at, keyword}
			}
		}
	}
	return &blame{at: s.source.Root}
}

// undecided reports an error of package lex, from reading or combining languages.
func (s *Schema) undecided(b *blame, err error) {
	var limit *lex.LimitError
	if errors.As(err, &limit) {
		s.unsupported(b, limit.Error())
		return
	}
	s.unsupported(b, err.Error())
}

// issue adds an issue to Issues once, in source order.
func (s *Schema) issue(at *source.Value, keyword string, a Action, why string) {
	i := Issue{Pointer: s.source.Place(at), Keyword: keyword, Action: a, Why: why}
	if slices.Contains(s.Issues, i) {
		return
	}
	place := len(s.Issues)
	for place > 0 && s.issueAt[place-1] > at.Offset {
		place--
	}
	s.Issues = slices.Insert(s.Issues, place, i)
	s.issueAt = slices.Insert(s.issueAt, place, at.Offset)
}
