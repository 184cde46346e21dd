package jinja

import (
	"slices"
	"strings"
)

// truth is Python's bool(v).
func (rt *runtime) truth(v Value) bool {
	if l, ok := v.(*loopValue); ok {
		return l.count() > 0
	}
	return truthy(v)
}

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
	case *Tuple:
		return len(v.items) > 0
	case *rangeValue:
		return v.n > 0
	case *dictView:
		return v.dict.Len() > 0
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
	if !ordered {
		return false
	}
	switch op {
	case relLess:
		return c < 0
	case relLessEqual:
		return c <= 0
	case relGreater:
		return c > 0
	}
	return c >= 0
}

// equal is Python's ==.
func (rt *runtime) equal(a, b Value) bool {
	if x, ok := a.(*Str); ok {
		y, ok := b.(*Str)
		if !ok {
			return false
		}
		rt.spend(1 + len(y.text)/bytesPerStep)
		return x.text == y.text
	}
	rt.spend(1)
	rt.scan(b)
	if isNumber(a) {
		if !isNumber(b) {
			return false
		}
		c, ordered := compareNumbers(a, b)
		return ordered && c == 0
	}
	switch x := a.(type) {
	case noneValue:
		return b == None
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *List:
		y, ok := b.(*List)
		return ok && rt.equalItems(x.items, y.items)
	case *Tuple, *groupTuple:
		p, _ := items(a)
		q, ok := tupleItems(b)
		return ok && rt.equalItems(p, q)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && rt.equalDicts(x, y)
	case *rangeValue:
		y, ok := b.(*rangeValue)
		return ok && x.n == y.n && (x.n == 0 || x.start == y.start && (x.n == 1 || x.step == y.step))
	case *dictView:
		return rt.equalViews(x, b)
	}
	return a == b
}

func (rt *runtime) equalItems(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !rt.same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// same is how containers compare items: identity or equality, so that nan is in the list that
// holds it.
func (rt *runtime) same(a, b Value) bool {
	return rt.equal(a, b)
}

func (rt *runtime) equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for _, e := range a.entries {
		v, ok := b.get(e.key)
		if !ok || !rt.same(e.value, v) {
			return false
		}
	}
	return true
}

func (rt *runtime) equalViews(a *dictView, b Value) bool {
	y, ok := b.(*dictView)
	if !ok || a.kind == "values" || y.kind == "values" {
		return b == Value(a)
	}
	if a.dict.Len() != y.dict.Len() {
		return false
	}
	for _, v := range rt.list(a) {
		if !rt.contains(y, v) {
			return false
		}
	}
	return true
}

// order compares for <, <=, > and >=.
func (rt *runtime) order(op relation, a, b Value) (c int, ordered bool) {
	rt.scan(a)
	rt.scan(b)
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b)
	}
	if x, ok := a.(*Str); ok {
		if y, ok := b.(*Str); ok {
			return strings.Compare(x.text, y.text), true
		}
	}
	p, okP := a.(*List)
	q, okQ := b.(*List)
	if okP && okQ {
		return rt.orderItems(op, p.items, q.items)
	}
	t, okT := tupleItems(a)
	u, okU := tupleItems(b)
	if okT && okU {
		return rt.orderItems(op, t, u)
	}
	mustDefined(a)
	mustDefined(b)
	throw(typeType, "'%s' not supported between instances of '%s' and '%s'", op, a.typeName(), b.typeName())
	return 0, false
}

func (rt *runtime) orderItems(op relation, a, b []Value) (int, bool) {
	for i := range min(len(a), len(b)) {
		if !rt.same(a[i], b[i]) {
			return rt.order(op, a[i], b[i])
		}
	}
	return len(a) - len(b), true
}

// contains is Python's item in container.
func (rt *runtime) contains(container, item Value) bool {
	switch c := container.(type) {
	case *Str:
		s, ok := item.(*Str)
		if !ok {
			throw(typeType, "'in <string>' requires string as left operand, not %s", item.typeName())
		}
		rt.spend(len(c.text) / bytesPerStep)
		return strings.Contains(c.text, s.text)
	case *Dict:
		rt.hashable(item)
		_, ok := c.get(item)
		return ok
	case *dictView:
		return rt.viewContains(c, item)
	}
	if !iterable(container) {
		throw(typeType, "argument of type '%s' is not iterable", container.typeName())
	}
	it := rt.iterate(container)
	for {
		v, ok := it.next()
		if !ok {
			return false
		}
		if rt.same(v, item) {
			return true
		}
	}
}

func (rt *runtime) viewContains(v *dictView, item Value) bool {
	switch v.kind {
	case "keys":
		rt.hashable(item)
		_, ok := v.dict.get(item)
		return ok
	case "items":
		pair, ok := tupleItems(item)
		if !ok || len(pair) != 2 {
			return false
		}
		rt.hashable(pair[0])
		got, ok := v.dict.get(pair[0])
		return ok && rt.equal(got, pair[1])
	}
	for _, e := range v.dict.entries {
		if rt.equal(e.value, item) {
			return true
		}
	}
	return false
}

// hashable fails for what cannot be a key.
func (rt *runtime) hashable(v Value) {
	rt.scan(v)
	switch v := v.(type) {
	case *List, *Dict:
		throw(typeType, "unhashable type: '%s'", v.typeName())
	case *Tuple, *groupTuple:
		list, _ := items(v)
		rt.spend(len(list))
		for _, it := range list {
			rt.hashable(it)
		}
	}
}
