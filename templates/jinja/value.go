package jinja

import (
	"math/big"
)

// Value is a Python value as a template sees it. Only this package implements it; values are
// immutable once they are given to Render, and may then be shared between goroutines.
type Value interface {
	// typeName is the value's type as Python names it in messages: "str", "NoneType", "dict".
	typeName() string
}

type (
	noneValue struct{}
	// Bool is True or False.
	Bool bool
	// Int is an int that fits a machine word. Larger ones are made by arithmetic and by FromJSON.
	Int int64
	// Float is a float.
	Float float64
	// bigInt is an int outside int64's range, never within it, so that equal ints have equal
	// representations.
	bigInt struct{ *big.Int }
)

// None is Python's None.
var None Value = noneValue{}

func (noneValue) typeName() string { return "NoneType" }
func (Bool) typeName() string      { return "bool" }
func (Int) typeName() string       { return "int" }
func (bigInt) typeName() string    { return "int" }
func (Float) typeName() string     { return "float" }

// List is an immutable list.
type List struct {
	items []Value
	depth int // of the lists, tuples and dicts inside that templates made
}

// NewList makes a list of items; it keeps the slice.
func NewList(items ...Value) *List { return &List{items: items} }

// Items returns the list's items, not to be changed.
func (l *List) Items() []Value { return l.items }

func (*List) typeName() string { return "list" }

// Tuple is a tuple.
type Tuple struct {
	items []Value
	depth int
}

// NewTuple makes a tuple of items; it keeps the slice.
func NewTuple(items ...Value) *Tuple { return &Tuple{items: items} }

// Items returns the tuple's items, not to be changed.
func (t *Tuple) Items() []Value { return t.items }

func (*Tuple) typeName() string { return "tuple" }

// undefined is what a name, attribute or item that does not exist evaluates to. It prints as
// nothing, is false and empty, and fails with its message on any other use.
type undefined struct {
	name  Value // what was looked up; nil with a hint
	owner Value // in which object; nil for a variable
	why   *reason
}

// reason is why something is undefined that no name or owner tells; the zero value adds nothing.
type reason struct {
	hint  string    // the whole message, where there is a better one
	param bool      // a macro's parameter of that name that was not given
	cond  *condExpr // the inline if without else that came out false, in src
	src   *source
	typ   string // the error's type; "" means UndefinedError
}

// because is something undefined for a reason.
func because(hint string) *undefined { return &undefined{why: &reason{hint: hint}} }

func (*undefined) typeName() string { return "Undefined" }

// newInt makes an int of any size in its only representation.
func newInt(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return bigInt{n}
}

// asBig returns the integer value of an Int, bigInt or Bool.
func asBig(v Value) (*big.Int, bool) {
	switch v := v.(type) {
	case Int:
		return big.NewInt(int64(v)), true
	case bigInt:
		return v.Int, true
	case Bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	}
	return nil, false
}

// asInt returns the value of an Int or Bool; bigInt is not one.
func asInt(v Value) (int64, bool) {
	switch v := v.(type) {
	case Int:
		return int64(v), true
	case Bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
