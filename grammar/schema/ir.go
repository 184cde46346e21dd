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

// Alt is one alternative of a Node: values of one type that meet every facet set here. An Alt is
// never empty: some value belongs to it, so that whoever enters it can reach its end. Alternatives
// of one node may overlap. Alts are shared and immutable.
type Alt struct {
	Kind   Kind
	False  bool // Bool: false belongs to it
	True   bool // Bool: true belongs to it
	Number Expr
	String StringAlt
	Array  *ArrayAlt  // nil unless Kind is Array
	Object *ObjectAlt // nil unless Kind is Object

	cells []cell // what Number is made of
}

// StringAlt is a set of strings, as decoded text (escapes resolved). Lengths count code points.
//
// The bounds are kept beside the language as counters, so that a maxLength of a million costs
// nothing. MinLen is above zero only where Text is the arena's AnyText: below a real pattern the
// lower bound is multiplied into Text. A matcher therefore stays clear of dead ends when it
// refuses states with consumed + MinRunes(state) > MaxLen.
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
	// what unevaluatedItems of an enclosing schema need not look at; nil: nothing
	seen *evaluatedItems
}

// Contain bounds how many elements from index From on belong to Node. Max is never 0: that is said
// of the elements.
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

// ObjectAlt is a set of objects. Every key occurs once. A key is either named (listed in Props) or
// extra; Value gives the set that its value must belong to, whichever it is.
type ObjectAlt struct {
	// Props lists every key that some keyword names, in declared order, each with the
	// conjunction of all that applies to it. A key that may not be present has an empty Value;
	// an empty Value is never Required.
	Props []Prop
	// Rules constrain the extra keys: the value of an extra key must belong to Value of every
	// rule whose Keys hold it.
	Rules []Rule
	// MinProps and MaxProps bound how many keys there are; MaxProps is Unbounded if none.
	MinProps, MaxProps int
	// Implications are obligations that begin when a key is present.
	Implications []Implication
	// Exists are keys that must be present without a name. They come from negation. Where
	// MaxProps is set, one key must be kept in reserve for each that is not met yet.
	Exists []Exist

	schema   *Schema
	declares bool           // Options.NoExtra: some schema declares properties
	names    map[string]int // of the first Props: where they are. The others are few
	borrowed bool           // names belongs to another alternative, too
	settled  bool           // what competes for a bounded number of keys has been sorted out
	// what unevaluatedProperties of an enclosing schema need not look at; nil: nothing
	seen  *evaluatedProps
	extra []KeyClass // memo of UnnamedKeys; nil: not asked for yet
}

// Prop is a named key.
type Prop struct {
	Name     string
	Value    *Node
	Required bool
}

// Rule says what the value of an extra key must be if the key, as decoded text, belongs to Keys.
type Rule struct {
	Keys  Expr
	Value *Node
}

// Implication says: if Key is present, then all of Required are, which are names in Props.
type Implication struct {
	Key      string
	Required []string
}

// Exist says: some key, named or extra, belongs to Keys and has a value in Value. Either
// infinitely many extra keys can do so, or the presence of any one named key in Keys is enough: as
// long as such a key is unseen, the obligation can be met.
type Exist struct {
	Keys  Expr
	Value *Node
}

// KeyClass is a set of extra keys that share one set of values. Where Keys is all text it holds
// named keys, too: a key that is in Props is never extra. Loose may hold named keys wherever its
// words begin as those of Keys do; it is simpler.
type KeyClass struct {
	Keys, Loose Expr
	Value       *Node
}
