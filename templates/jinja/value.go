package jinja

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
	// Int is an int of 64 bits.
	Int int64
	// Float is a float.
	Float float64
	// bigInt is an int outside int64's range by its digits, as JSON has it: it prints and
	// compares, but nothing is computed with it.
	bigInt string
)

// None is Python's None.
var None Value = noneValue{}

func (noneValue) typeName() string { return "NoneType" }
func (Bool) typeName() string      { return "bool" }
func (Int) typeName() string       { return "int" }
func (bigInt) typeName() string    { return "int" }
func (Float) typeName() string     { return "float" }

// List is an immutable list, tuple or listing of a dict.
type List struct {
	items []Value
	depth int // of the lists, tuples and dicts inside that templates made
	kind  listKind
}

// listKind is which of Python's types a List is.
type listKind uint8

const (
	isList listKind = iota
	isTuple
	isKeys
	isValues
	isItems
)

var listNames = [...]string{isList: "list", isTuple: "tuple", isKeys: "dict_keys", isValues: "dict_values", isItems: "dict_items"}

// NewList makes a list of items; it keeps the slice.
func NewList(items ...Value) *List { return &List{items: items} }

// newTuple makes a tuple of items; it keeps the slice.
func newTuple(items ...Value) *List { return &List{items: items, kind: isTuple} }

func (l *List) typeName() string { return listNames[l.kind] }

// ordinary reports a list or tuple, rather than a listing of a dict.
func (l *List) ordinary() bool { return l.kind <= isTuple }

// undefined is what a name, attribute or item that does not exist evaluates to. It prints as
// nothing, is false and empty, and fails with its message on any other use.
type undefined struct {
	name  Value  // what was looked up; nil with a hint
	owner Value  // in which object; nil for a variable
	hint  string // the whole message, where there is a better one
}

func (*undefined) typeName() string { return "Undefined" }

func isUndefined(v Value) bool { _, ok := v.(*undefined); return ok }

// fail raises what using an undefined value raises.
func (u *undefined) fail() {
	switch name := u.name; {
	case u.hint != "":
		throw(typeUndefined, "%s", u.hint)
	case u.owner == nil:
		throw(typeUndefined, "%s is undefined", plainRepr(name))
	default:
		throw(typeUndefined, "'%s object' has no attribute %s", u.owner.typeName(), plainRepr(name))
	}
}

// mustDefined fails if v is undefined.
func mustDefined(v Value) {
	if u, ok := v.(*undefined); ok {
		u.fail()
	}
}
