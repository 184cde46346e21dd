package jinja

import (
	"slices"
	"strings"
)

func truthy(v Value) bool {
	switch v := v.(type) {
	case Bool:
		return bool(v)
	case *Str:
		return v.text != ""
	case noneValue, *undefined:
		return false
	case Int:
		return v != 0
	case Float:
		return v != 0
	case *List:
		return len(v.items) > 0
	case *Dict:
		return len(v.entries) > 0
	case *rangeValue:
		return v.n > 0
	}
	return true
}

// relation is a comparison operator.
type relation uint8

const (
	relEqual relation = iota
	relNotEqual
	relLess
	relLessEqual
	relGreater
	relGreaterEqual
	relIn
	relNotIn
)

var relationNames = [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in"}

func (r relation) String() string { return relationNames[r] }

// contains reports the two that look into their right side.
func (r relation) contains() bool { return r >= relIn }

// relationOf returns the relation of that spelling; ok is false where there is none.
func relationOf(name string) (r relation, ok bool) {
	i := slices.Index(relationNames[:], name)
	return relation(max(i, 0)), i >= 0
}

// compare is a op b for one comparison operator.
func (rt *runtime) compare(op relation, a, b Value) bool {
	switch op {
	case relEqual:
		return rt.equal(a, b)
	case relNotEqual:
		return !rt.equal(a, b)
	case relIn:
		return rt.contains(b, a)
	case relNotIn:
		return !rt.contains(b, a)
	}
	c, ordered := rt.order(op, a, b)
	switch op {
	case relLess:
		return ordered && c < 0
	case relLessEqual:
		return ordered && c <= 0
	case relGreater:
		return ordered && c > 0
	}
	return ordered && c >= 0
}

// equal is Python's ==.
func (rt *runtime) equal(a, b Value) bool {
	rt.spend(1)
	rt.scan(b)
	switch x := a.(type) {
	case *Str:
		y, ok := b.(*Str)
		return ok && x.text == y.text
	case *undefined:
		return isUndefined(b)
	case *List:
		y, ok := b.(*List)
		return ok && x.kind == y.kind && slices.EqualFunc(x.items, y.items, rt.equal)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && x.Len() == y.Len() && !slices.ContainsFunc(x.entries, func(e entry) bool {
			v, ok := y.get(e.key)
			return !ok || !rt.equal(e.value, v)
		})
	}
	if isNumber(a) && isNumber(b) {
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0
	}
	return a == b
}

// order compares for <, <=, > and >=.
func (rt *runtime) order(op relation, a, b Value) (c int, ordered bool) {
	rt.scan(a)
	rt.scan(b)
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b)
	}
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok {
			return strings.Compare(x.text, y.text), true
		}
	case *List:
		if y, ok := b.(*List); ok && x.ordinary() && x.kind == y.kind {
			return rt.orderItems(op, x.items, y.items)
		}
	}
	mustDefined(a)
	mustDefined(b)
	throw(typeType, "'%s' not supported between instances of '%s' and '%s'", op, a.typeName(), b.typeName())
	return 0, false
}

func (rt *runtime) orderItems(op relation, a, b []Value) (int, bool) {
	for i := range min(len(a), len(b)) {
		if !rt.equal(a[i], b[i]) {
			return rt.order(op, a[i], b[i])
		}
	}
	return len(a) - len(b), true
}

// contains is Python's item in container.
func (rt *runtime) contains(container, item Value) bool {
	switch c := container.(type) {
	case *Str:
		rt.spend(len(c.text) / bytesPerStep)
		return strings.Contains(c.text, wantStr(item).text)
	case *Dict:
		_, ok := c.get(rt.hashable(item))
		return ok
	}
	it := rt.iterate(container)
	for {
		v, ok := it.next()
		if !ok || rt.equal(v, item) {
			return ok
		}
	}
}

// hashable returns what can be a key, and fails for what cannot.
func (rt *runtime) hashable(v Value) Value {
	rt.scan(v)
	if !rt.isHashable(v) {
		throw(typeType, "unhashable type: '%s'", v.typeName())
	}
	return v
}

func (rt *runtime) isHashable(v Value) bool {
	l, ok := v.(*List)
	if !ok {
		_, dict := v.(*Dict)
		return !dict
	}
	rt.spend(len(l.items))
	return l.kind == isTuple && !slices.ContainsFunc(l.items, func(it Value) bool {
		rt.scan(it)
		return !rt.isHashable(it)
	})
}
