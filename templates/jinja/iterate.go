package jinja

import "unicode/utf8"

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

func sliceIterator(items []Value) iterator { return iterator{list: items} }

func nothing() (Value, bool) { return nil, false }

// iterable reports whether iterate works.
func iterable(v Value) bool {
	switch v.(type) {
	case *Str, *List, *Tuple, *groupTuple, *Dict, *dictView, *rangeValue, *generator, *undefined, *loopValue:
		return true
	}
	return false
}

// items returns the items of a value that holds them all, without making any.
func items(v Value) ([]Value, bool) {
	switch v := v.(type) {
	case *List:
		return v.items, true
	case *Tuple:
		return v.items, true
	case *groupTuple:
		return v.items, true
	}
	return nil, false
}

// iterate returns an iterator over v, or fails.
func (rt *runtime) iterate(v Value) iterator {
	if list, ok := items(v); ok {
		return sliceIterator(list)
	}
	switch v := v.(type) {
	case *Str:
		return v.chars()
	case *Dict:
		return v.iterate(func(e entry) Value { return e.key })
	case *dictView:
		return v.iterate()
	case *rangeValue:
		i := 0
		return iterator{more: func() (Value, bool) {
			if i >= v.n {
				return nil, false
			}
			i++
			return v.at(i - 1), true
		}}
	case *generator:
		return iterator{more: v.next}
	case *undefined:
		return sliceIterator(nil)
	case *loopValue:
		return iterator{more: func() (Value, bool) {
			item, ok := v.advance()
			return NewTuple(item, v), ok
		}}
	}
	throw(typeType, "'%s' object is not iterable", v.typeName())
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

// list returns the items of any iterable; the slice is not to be changed.
func (rt *runtime) list(v Value) []Value {
	if l, ok := items(v); ok {
		return l
	}
	return rt.drain(rt.iterate(v))
}

// lazy makes a generator that reads from v. Nothing happens before its first item is asked for:
// make then returns what yields the items, given what reads those of v.
func (rt *runtime) lazy(name string, v Value, make func(next func() (Value, bool)) func() (Value, bool)) Value {
	d := 1
	if g, ok := v.(*generator); ok {
		d += g.depth
	}
	if d > maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
	var source iterator
	begun := false
	read := func() (Value, bool) {
		if !begun {
			source, begun = rt.iterate(v), true
		}
		return source.next()
	}
	var next func() (Value, bool)
	return &generator{name: "generator object " + name, depth: d, iterator: iterator{more: func() (Value, bool) {
		if next == nil {
			next = make(read)
		}
		rt.spend(1)
		return next()
	}}}
}

// length is Python's len, where v has one.
func length(v Value) (int, bool) {
	if l, ok := items(v); ok {
		return len(l), true
	}
	switch v := v.(type) {
	case *Str:
		return v.length(), true
	case *Dict:
		return v.Len(), true
	case *dictView:
		return v.dict.Len(), true
	case *rangeValue:
		return v.n, true
	case *undefined:
		return 0, true
	case *loopValue:
		return v.count(), true
	}
	return 0, false
}

// length is the number of characters.
func (s *Str) length() int { return utf8.RuneCountInString(s.text) }

func (s *Str) chars() iterator {
	i := 0
	return iterator{more: func() (Value, bool) {
		if i >= len(s.text) {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s.text[i:])
		i += n
		return s.slice(i-n, i).plain(), true
	}}
}

func (d *Dict) iterate(f func(entry) Value) iterator {
	i := 0
	return iterator{more: func() (Value, bool) {
		if i >= len(d.entries) {
			return nil, false
		}
		i++
		return f(d.entries[i-1]), true
	}}
}

func (v *dictView) iterate() iterator {
	return v.dict.iterate(func(e entry) Value {
		switch v.kind {
		case "keys":
			return e.key
		case "values":
			return e.value
		}
		return newPair(e.key, e.value)
	})
}

// newPair makes a tuple of two in one allocation.
func newPair(a, b Value) *Tuple {
	p := &struct {
		Tuple
		two [2]Value
	}{two: [2]Value{a, b}}
	p.items = p.two[:]
	return &p.Tuple
}

func (r *rangeValue) at(i int) Value { return Int(r.start + int64(i)*r.step) }

// reversed returns an iterator over a sequence from its end; ok is false where v is none.
func (rt *runtime) reversed(v Value) (it Value, ok bool) {
	var list []Value
	switch v := v.(type) {
	case *List, *Tuple, *groupTuple:
		list, _ = items(v)
	case *Str, *Dict, *dictView, *rangeValue:
		list = rt.list(v)
	default:
		return nil, false
	}
	rt.spend(len(list))
	back := make([]Value, len(list))
	for i, e := range list {
		back[len(list)-1-i] = e
	}
	return &generator{name: reversedName(v), iterator: sliceIterator(back)}, true
}

func reversedName(v Value) string {
	switch v.(type) {
	case *List:
		return "list_reverseiterator object"
	case *Dict:
		return "dict_reversekeyiterator object"
	case *rangeValue:
		return "range_iterator object"
	}
	return "reversed object"
}
