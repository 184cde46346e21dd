package gbnf

import "tenon/grammar/lex/ecma"

// Op says what a Node is.
type Op uint8

// The operators and terminals of a grammar.
const (
	Empty   Op = iota // nothing
	Literal           // Text, byte for byte
	Class             // one code point of Ranges
	Seq               // Kids, one after the other
	Alt               // one of Kids; the first that fits wins where several do
	Repeat            // Kids[0], Min to Max times
	Ref               // the rule with index Rule
	Capture           // Kids[0], captured as Text
	Symbol            // the special token whose text is Text, or whose id is ID
	Until             // any text in which none of Markers occurs, up to one of them or the end
	JSON              // a JSON text that is an instance of the schema Text
	Regex             // a string that the regular expression Text matches from end to end
	Check             // nothing; marks that what precedes it is to be validated
	// the text of a string that is an instance of the schema Text, in which none of Markers
	// occurs
	Plain
	Quoted // what Regex matches, as it stands inside a JSON string
	// each of Kids once, in any order, Text between them; those that are optional (Repeat 0 to
	// 1) at most once
	Each
)

// Unbounded is the Max of a Repeat without an upper bound.
const Unbounded = -1

// Node is one node of a rule's tree.
type Node struct {
	Op       Op
	Text     string
	Ranges   ecma.Set
	Kids     []*Node
	Min, Max int
	Rule     int
	ID       int32 // of a Symbol without Text
	Not      bool  // of a Symbol: any byte or symbol but this one
	Markers  []string
	Options  JSONOptions
}

// WithKids is n with what f makes of its kids.
func (n *Node) WithKids(f func(*Node) *Node) *Node {
	if len(n.Kids) == 0 {
		return n
	}
	m := *n
	m.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		m.Kids[i] = f(k)
	}
	return &m
}

// JSONOptions are what stands in brackets behind a %json terminal. Empty values are the defaults;
// package grammar documents the meanings.
type JSONOptions struct {
	Tool                                          string
	Order, Space, Escapes, Numbers, Extra, Format string
	Documents                                     string // a JSON object of schemas by URI
	Lenient                                       bool
}

// Rule is a named rule.
type Rule struct {
	Name string
	Node *Node
}

// Grammar is a list of rules, of which Root is the start.
type Grammar struct {
	Rules []Rule
	Root  int
}
