package jinja

import (
	"slices"
	"unicode/utf8"
)

// iterator yields values: a list's, or what a function returns until ok is false. A copy of one
// over a list goes its own way.
type iterator struct {
	list []Value // what is left of it
	more func() (v Value, ok bool)
}

func (it *iterator) next() (v Value, ok bool) {
	if it.more != nil {
		return it.more()
	}
	if len(it.list) == 0 {
		return nil, false
	}
	v, it.list = it.list[0], it.list[1:]
	return v, true
}

// iterable reports whether iterate works.
func iterable(v Value) bool {
	switch v.(type) {
	case *Str, *List, *Dict, *rangeValue, *generator, *undefined:
		return true
	}
	return false
}

// iterate returns an iterator over v, or fails.
func (rt *runtime) iterate(v Value) iterator {
	switch v := v.(type) {
	case *List:
		return iterator{list: v.items}
	case *Str:
		v, i := v.plain(), 0
		return iterator{more: func() (Value, bool) {
			if i >= len(v.text) {
				return nil, false
			}
			_, n := utf8.DecodeRuneInString(v.text[i:])
			i += n
			return v.slice(i-n, i), true
		}}
	case *Dict:
		return iterator{list: rt.listing(v, isKeys).items}
	case *rangeValue:
		i := 0
		return iterator{more: func() (Value, bool) {
			i++
			return v.at(i - 1), i <= v.n
		}}
	case *generator:
		return iterator{more: v.next}
	}
	if !isUndefined(v) {
		throw(typeType, "'%s' object is not iterable", v.typeName())
	}
	return iterator{}
}

// drain collects what is left of an iterator.
func (rt *runtime) drain(it iterator) []Value {
	var out []Value
	for {
		v, ok := it.next()
		if !ok {
			return out
		}
		rt.spend(itemSteps)
		out = append(out, v)
	}
}

// items returns the items of any iterable; the slice is not to be changed.
func (rt *runtime) items(v Value) []Value {
	if l, ok := v.(*List); ok {
		return l.items
	}
	return rt.drain(rt.iterate(v))
}

// generator yields its items once; what filters such as map return.
type generator struct {
	iterator
	depth int // of generators that read from one another
}

func (*generator) typeName() string { return "generator" }

// lazy makes a generator of what f makes of the items of v. Nothing happens before its first item
// is asked for.
func (rt *runtime) lazy(v Value, f func() []Value) Value {
	g := &generator{depth: 1}
	if from, ok := v.(*generator); ok {
		g.depth += from.depth
	}
	if g.depth > maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
	g.more = func() (Value, bool) {
		g.iterator = iterator{list: f()}
		return g.next()
	}
	return g
}

// reversed returns the items of a value from its end.
func (rt *runtime) reversed(v Value) []Value {
	list := slices.Clone(rt.items(v))
	rt.spend(len(list))
	slices.Reverse(list)
	return list
}

// rangeValue is range(start, stop, step) of n items.
type rangeValue struct {
	start, stop, step int64
	n                 int
}

func (*rangeValue) typeName() string { return "range" }

func (r *rangeValue) at(i int) Value { return Int(r.start + int64(i)*r.step) }
