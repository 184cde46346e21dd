package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// attrGetter returns the function that follows an attribute path, given as "a.b.0", as an int, or
// None for the item itself. What is undefined on the way becomes def, unless that is nil.
func (rt *runtime) attrGetter(path, def Value) func(Value) Value {
	parts := attrParts(path)
	return func(v Value) Value {
		for _, p := range parts {
			rt.spend(1)
			v = rt.getItem(v, p)
			if _, ok := v.(*undefined); ok && def != nil && def != None {
				v = def
			}
		}
		return v
	}
}

func attrParts(path Value) []Value {
	if path == None {
		return nil
	}
	s, ok := path.(*Str)
	if !ok {
		return []Value{path}
	}
	var parts []Value
	for _, p := range strings.Split(s.text, ".") {
		if strTests["isdigit"](p) {
			if n, err := strconv.Atoi(p); err == nil {
				parts = append(parts, Int(n))
				continue
			}
		}
		parts = append(parts, trusted(p))
	}
	return parts
}

// folded is the value by which a filter compares: strings in lower case unless case matters.
func (rt *runtime) folded(v Value, caseSensitive bool) Value {
	if s, ok := v.(*Str); ok && !caseSensitive {
		return rt.mapStr(s, lower)
	}
	return v
}

// keyed is a value and what it is sorted by.
type keyed struct{ key, value Value }

// sorted sorts items by their keys, stable, as Python does also where reversed.
func (rt *runtime) sorted(list []Value, key func(Value) Value, reverse bool) []Value {
	all := make([]keyed, len(list))
	for i, v := range list {
		all[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		rt.spend(1)
		if reverse {
			a, b = b, a
		}
		if c, ordered := rt.order(relLess, a.key, b.key); ordered {
			return c
		}
		return 0
	})
	out := make([]Value, len(all))
	for i, k := range all {
		out[i] = k.value
	}
	return out
}

var byKey, byValue = trusted("key"), trusted("value")

func filterDictSort(rt *runtime, a []Value) Value {
	by := 0
	switch {
	case rt.equal(a[2], byValue):
		by = 1
	case !rt.equal(a[2], byKey):
		throw(typeFilterArg, `You can only sort by either "key" or "value"`)
	}
	d, ok := a[0].(*Dict)
	if !ok {
		mustDefined(a[0])
		noAttribute(a[0], "items")
	}
	sensitive := rt.truth(a[1])
	key := func(v Value) Value { return rt.folded(v.(*Tuple).items[by], sensitive) }
	return rt.newList(rt.sorted(rt.list(&dictView{"items", d}), key, wantInt(a[3]) != 0))
}

func filterSort(rt *runtime, a []Value) Value {
	sensitive := rt.truth(a[2])
	paths := []Value{a[3]}
	if s, ok := a[3].(*Str); ok {
		paths = nil
		for _, p := range strings.Split(s.text, ",") {
			paths = append(paths, trusted(p))
		}
	}
	var getters []func(Value) Value
	for _, p := range paths {
		getters = append(getters, rt.attrGetter(p, nil))
	}
	key := func(v Value) Value {
		keys := make([]Value, len(getters))
		for i, get := range getters {
			keys[i] = rt.folded(get(v), sensitive)
		}
		return NewList(keys...)
	}
	return rt.newList(rt.sorted(rt.list(a[0]), key, wantInt(a[1]) != 0))
}

func filterUnique(rt *runtime, a []Value) Value {
	return rt.lazy("sync_do_unique", a[0], func(next func() (Value, bool)) func() (Value, bool) {
		get := rt.attrGetter(a[2], nil)
		sensitive := rt.truth(a[1])
		seen := map[dictKey]bool{}
		return func() (Value, bool) {
			for {
				v, ok := next()
				if !ok {
					return nil, false
				}
				rt.spend(1)
				key := rt.folded(get(v), sensitive)
				rt.hashable(key)
				if k := keyOf(key); !seen[k] {
					seen[k] = true
					return v, true
				}
			}
		}
	})
}

func filterMin(rt *runtime, a []Value) Value { return rt.extreme(relLess, a) }
func filterMax(rt *runtime, a []Value) Value { return rt.extreme(relGreater, a) }

// extreme returns the first item whose key is op than all others.
func (rt *runtime) extreme(op relation, a []Value) Value {
	it := rt.iterate(a[0])
	best, ok := it.next()
	if !ok {
		return because("No aggregated item, sequence was empty.")
	}
	get, sensitive := rt.attrGetter(a[2], nil), rt.truth(a[1])
	key := rt.folded(get(best), sensitive)
	for {
		v, ok := it.next()
		if !ok {
			return best
		}
		rt.spend(1)
		if k := rt.folded(get(v), sensitive); rt.compare(op, k, key) {
			best, key = v, k
		}
	}
}

func filterGroupBy(rt *runtime, a []Value) Value {
	get, sensitive := rt.attrGetter(a[1], a[2]), rt.truth(a[3])
	key := func(v Value) Value { return rt.folded(get(v), sensitive) }
	var groups []Value
	var last Value
	var group []Value
	flush := func() {
		if group != nil {
			groups = append(groups, &groupTuple{*rt.tuple([]Value{get(group[0]), rt.newList(group)})})
		}
	}
	for _, v := range rt.sorted(rt.list(a[0]), key, false) {
		if k := key(v); group == nil || !rt.equal(k, last) {
			flush()
			group, last = nil, k
		}
		group = append(group, v)
	}
	flush()
	return rt.newList(groups)
}

func filterMap(rt *runtime, v Value, a *callArgs) Value {
	return rt.lazy("sync_do_map", v, func(next func() (Value, bool)) func() (Value, bool) {
		if !rt.truth(v) {
			return nothing
		}
		f := rt.mapper(a)
		return func() (Value, bool) {
			item, ok := next()
			if !ok {
				return nil, false
			}
			return f(item), true
		}
	})
}

// mapper returns what map applies: an attribute path, or a filter by name.
func (rt *runtime) mapper(a *callArgs) func(Value) Value {
	if path, kw, ok := takeKeyword(a.kw, "attribute"); ok && len(a.pos) == 0 {
		def, kw, _ := takeKeyword(kw, "default")
		if len(kw) > 0 {
			throw(typeFilterArg, "Unexpected keyword argument %s", reprText(kw[0].name.text))
		}
		return rt.attrGetter(path, def)
	}
	if len(a.pos) == 0 {
		throw(typeFilterArg, "map requires a filter argument")
	}
	f := rt.named(filters, "filter", a.pos[0])
	rest := &callArgs{pos: a.pos[1:], kw: a.kw}
	return func(v Value) Value { return f().apply(rt, v, rest) }
}

// named looks up a filter or test when it is first called, as Jinja2 does.
func (rt *runtime) named(table map[string]*filter, kind string, name Value) func() *filter {
	return func() *filter {
		rt.hashable(name)
		if s, ok := name.(*Str); ok {
			if f := table[s.text]; f != nil {
				return f
			}
		}
		msg := "No " + kind + " named " + rt.repr(name).text + "."
		if u, ok := name.(*undefined); ok {
			msg += " (" + u.message() + "; did you forget to quote the callable name?)"
		}
		throw(typeTemplate, "%s", msg)
		return nil
	}
}

// selecting makes select, reject and their attr forms.
func selecting(want, byAttr bool) func(*runtime, Value, *callArgs) Value {
	return func(rt *runtime, v Value, a *callArgs) Value {
		return rt.lazy("select_or_reject", v, func(next func() (Value, bool)) func() (Value, bool) {
			if !rt.truth(v) {
				return nothing
			}
			holds := rt.condition(a, byAttr)
			return func() (Value, bool) {
				for {
					item, ok := next()
					if !ok {
						return nil, false
					}
					rt.spend(1)
					if holds(item) == want {
						return item, true
					}
				}
			}
		})
	}
}

// condition returns what select asks of an item: a test by name, or whether it is true.
func (rt *runtime) condition(a *callArgs, byAttr bool) func(Value) bool {
	pos := a.pos
	get := func(v Value) Value { return v }
	if byAttr {
		if len(pos) == 0 {
			throw(typeFilterArg, "Missing parameter for attribute name")
		}
		get, pos = rt.attrGetter(pos[0], nil), pos[1:]
	}
	if len(pos) == 0 {
		return func(v Value) bool { return rt.truth(get(v)) }
	}
	test := rt.named(tests, "test", pos[0])
	rest := &callArgs{pos: pos[1:], kw: a.kw}
	return func(v Value) bool {
		v = get(v)
		return rt.truth(test().apply(rt, v, rest))
	}
}

// filterBatch groups items into lists of linecount.
func filterBatch(rt *runtime, a []Value) Value {
	return rt.lazy("do_batch", a[0], func(next func() (Value, bool)) func() (Value, bool) {
		var group []Value
		done := false
		return func() (Value, bool) {
			for !done {
				v, ok := next()
				if !ok {
					done = true
					break
				}
				rt.spend(1)
				full := rt.equal(Int(len(group)), a[1])
				out := group
				if full {
					group = nil
				}
				group = append(group, v)
				if full {
					return rt.newList(out), true
				}
			}
			if group == nil {
				return nil, false
			}
			out := rt.fill(group, a[1], a[2])
			group = nil
			return rt.newList(out), true
		}
	})
}

// fill adds fill_with up to n items.
func (rt *runtime) fill(group []Value, n, with Value) []Value {
	if with == None {
		return group
	}
	if !rt.compare(relLess, Int(len(group)), n) {
		return group
	}
	if !isInt(n) {
		throw(typeType, "can't multiply sequence by non-int of type '%s'", n.typeName())
	}
	want := wantInt(n)
	rt.spend(max(want, 0))
	for len(group) < want {
		group = append(group, with)
	}
	return group
}

// filterSlice cuts a list into so many parts, the first ones one longer where it does not divide.
func filterSlice(rt *runtime, a []Value) Value {
	return rt.lazy("sync_do_slice", a[0], func(next func() (Value, bool)) func() (Value, bool) {
		list := rt.drain(iterator{more: next})
		rt.binary("//", Int(len(list)), a[1])
		n := wantInt(a[1])
		each, extra := 0, 0
		if n > 0 {
			each, extra = len(list)/n, len(list)%n
		}
		i, at := 0, 0
		return func() (Value, bool) {
			if i >= n {
				return nil, false
			}
			size := each
			if i < extra {
				size++
			}
			part := append([]Value{}, list[at:at+size]...)
			if a[2] != None && i >= extra {
				part = append(part, a[2])
			}
			i, at = i+1, at+size
			return rt.newList(part), true
		}
	})
}
