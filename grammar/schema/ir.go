package schema

import (
	"tenon/grammar/lex"
	"tenon/grammar/schema/source"
)

// Expr is a regular language, see package lex.
type Expr = lex.Expr

type lexState = lex.State

// Kind is one of the six types a JSON value can have. The order is the order in which [Node.Alts]
// lists alternatives.
type Kind = source.Kind

// The types of JSON.
const (
	Null   = source.Null
	Bool   = source.Bool
	Number = source.Number
	String = source.String
	Array  = source.Array
	Object = source.Object
	kinds  = source.Kinds
)

// Unbounded is the value of an upper bound (MaxLen, Max, MaxProps) that is not set.
const Unbounded = -1

// Alt is one alternative of a Node: the values of one type that have every facet set here. An Alt
// of [Node.Alts] is never empty, so that a walker that enters it can reach its end. Alternatives
// of one node may overlap. Alts are shared and immutable.
type Alt struct {
	Kind   Kind
	False  bool // Bool: false belongs to it
	True   bool // Bool: true belongs to it
	Number Expr
	String StringAlt
	Array  *ArrayAlt  // nil unless Kind is Array
	Object *ObjectAlt // nil unless Kind is Object

	cells []cell // Number is the union of their spellings
}

// StringAlt is a set of strings, as decoded text (escapes resolved). Lengths count code points.
//
// Bounds on the length are counters beside the language, so that a maxLength of a million costs
// nothing. MinLen is above zero only where Text is the arena's AnyText: in other languages the
// lower bound is part of Text. A matcher therefore has no dead ends if it refuses every state with
// consumed + MinRunes(state) > MaxLen.
type StringAlt struct {
	Text   Expr
	MinLen int
	MaxLen int // Unbounded if none
}

// ArrayAlt is a set of arrays. Element i must belong to Item(i), and there are between Min and Max
// of them.
type ArrayAlt struct {
	Prefix   []*Node // the first elements, one node each; none of them is empty
	Rest     *Node   // every later element; empty (Rest.Empty()) only where Max == len(Prefix)
	Min, Max int     // Max is Unbounded if none
	Contains []Contain
	Unique   bool // no two elements are equal (uniqueItems)

	uniqueAt *blame // where Unique comes from
	// the elements that unevaluatedItems of an enclosing schema does not apply to; nil: none
	evaluated *evaluatedItems
}

// Contain bounds how many elements from index From on belong to Node. Max is never 0: then the
// elements themselves exclude Node.
type Contain struct {
	Node     *Node
	From     int
	Min, Max int // Max is Unbounded if none
}

// Item returns the set that element i must belong to, without regard to Contains.
func (a *ArrayAlt) Item(i int) *Node {
	if i < len(a.Prefix) {
		return a.Prefix[i]
	}
	return a.Rest
}

// ObjectAlt is a set of objects. Every key occurs once. A key is named if it is listed in Props,
// and unnamed otherwise. Value returns the set that the value of either must belong to.
type ObjectAlt struct {
	// Props lists every key that some keyword names, in declared order, each with the
	// conjunction of all that applies to it. A key that may not be present has an empty Value;
	// an empty Value is never Required.
	Props []Prop
	// Rules constrain the unnamed keys: the value of an unnamed key must belong to Value of
	// every rule whose Keys hold it.
	Rules []Rule
	// MinProps and MaxProps bound how many keys there are; MaxProps is Unbounded if none.
	MinProps, MaxProps int
	// Implications are obligations that begin when a key is present.
	Implications []Implication
	// Exists demand some key that they do not name. They come from negation. Where MaxProps is
	// set, one key must be kept in reserve for each Exist that is not met yet.
	Exists []Exist

	schema     *Schema
	declares   bool           // for Options.CloseObjects: some schema declares properties
	names      map[string]int // index of the first Props by name; the others are few
	borrowed   bool           // names belongs to another alternative, too
	normalized bool           // it is a result of normalizeObject
	// the keys that unevaluatedProperties of an enclosing schema does not apply to; nil: none
	evaluated *evaluatedProps
	unnamed   []KeyClass // memo of UnnamedKeys; nil: not asked for yet
}

// Prop is a named key.
type Prop struct {
	Name     string
	Value    *Node
	Required bool
}

// Rule says: if an unnamed key, as decoded text, belongs to Keys, its value belongs to Value.
type Rule struct {
	Keys  Expr
	Value *Node
}

// Implication says: if Key is present, then all of Required are, which are names in Props.
type Implication struct {
	Key      string
	Required []string
}

// Exist says: some key, named or unnamed, belongs to Keys and has a value in Value. Either
// infinitely many unnamed keys can meet it, or any named key in Keys meets it by being present.
type Exist struct {
	Keys  Expr
	Value *Node
}

// KeyClass is a class of unnamed keys, all with one set of values. If Keys is all text it holds
// the named keys, too; they stay named. Loose is Keys, or a simpler superset that adds named keys
// but no prefixes.
type KeyClass struct {
	Keys, Loose Expr
	Value       *Node
}
