// Package ecma parses ECMA-262 patterns into trees. It knows the syntax and the code points of
// classes. Package lex compiles the trees to automata.
//
//	tree, err := ecma.Parse(`^[\w-]+$`)
//	tree.Visit(func(n *ecma.Node) { … })
//
// Files: parse.go (groups, quantifiers), class.go (classes and escapes), property.go (\p{…}),
// set.go (sets of code points).
//
// # Words
//
//	here                     the field (regex-syntax, which llguidance and regex-automata read
//	                         with)
//	Node                     Ast; Hir, where classes are sets already
//	Set, Range               ClassUnicode, ClassUnicodeRange
package ecma

import (
	"errors"
	"fmt"
)

// Unbounded is the Max of a repetition without an upper bound.
const Unbounded = -1

const (
	maxCount = 1 << 30 // counts in braces saturate here
	// MaxDepth is how deep groups may be nested.
	MaxDepth = 250
)

// ErrTooDeep is returned for groups that are nested deeper than MaxDepth.
var ErrTooDeep = errors.New("groups in a pattern are nested too deeply")

// Op says what a Node is.
type Op int

// The parts of a pattern.
const (
	Class        Op = iota // one code point of Set
	Concat                 // Subs, one after the other
	Alternate              // one of Subs
	Repeat                 // Subs[0], Min to Max times
	Begin                  // ^
	End                    // $
	WordBoundary           // \b, or with Negate \B
	Lookahead              // Subs[0] follows, or with Negate does not
)

// Node is one node of a parsed pattern.
type Node struct {
	Op       Op
	Offset   int // in the pattern
	Set      Set // of Class
	Subs     []*Node
	Min, Max int
	Negate   bool // of WordBoundary and Lookahead
	Pure     bool // holds no assertion
}

// Visit calls f for n and everything below it.
func (n *Node) Visit(f func(*Node)) {
	f(n)
	for _, s := range n.Subs {
		s.Visit(f)
	}
}

// ErrorKind says whether a pattern is wrong, or only unsupported.
type ErrorKind int

const (
	// Invalid patterns are no ECMA-262 patterns.
	Invalid ErrorKind = iota
	// Unsupported patterns are valid, but not expressed here: back-references, lookbehind,
	// some lookahead.
	Unsupported
)

// Error says where and why a pattern was refused.
type Error struct {
	Pattern string
	Offset  int // byte offset in Pattern; of the whole group for an assertion
	Why     string
	Kind    ErrorKind
}

func (e *Error) Error() string {
	verdict := "invalid"
	if e.Kind == Unsupported {
		verdict = "unsupported"
	}
	return fmt.Sprintf("%s pattern %q: %s at offset %d", verdict, e.Pattern, e.Why, e.Offset)
}
