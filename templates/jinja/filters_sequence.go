package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// attrGetter returns the function that follows an attribute path, given as "a.b.0", as an int, or
// None for the item itself. What is undefined on the way becomes def, unless that is nil.
func (rt *runtime) attrGetter(path, def Value) func(Value) Value {
	var parts []Value
	if s, ok := path.(*Str); ok {
		for _, p := range strings.Split(s.text, ".") {
			if n, err := strconv.ParseUint(p, 10, 31); err == nil {
				parts = append(parts, Int(n))
			} else {
				parts = append(parts, trusted(p))
			}
		}
	} else if path != None {
		parts = []Value{path}
	}
	return func(v Value) Value {
		for _, p := range parts {
			rt.spend(1)
			if v = rt.getItem(v, p); isUndefined(v) && def != nil && def != None {
				v = def
			}
		}
		return v
	}
}

// folded is the value by which a filter compares: strings in lower case unless case matters.
func (rt *runtime) folded(v, caseSensitive Value) Value {
	if s, ok := v.(*Str); ok && !truthy(caseSensitive) {
		return rt.mapStr(s, lower)
	}
	return v
}

// sorted sorts items by their keys, stable, as Python does also where reversed.
func (rt *runtime) sorted(list []Value, key func(Value) Value, reverse Value) Value {
	type keyed struct{ key, value Value }
	all := make([]keyed, len(list))
	for i, v := range list {
		all[i] = keyed{key(v), v}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		rt.spend(1)
		if truthy(reverse) {
			a, b = b, a
		}
		c, _ := rt.order(relLess, a.key, b.key)
		return c
	})
	out := make([]Value, len(all))
	for i, k := range all {
		out[i] = k.value
	}
	return rt.newList(isList, out)
}

func filterDictSort(rt *runtime, a []Value) Value {
	d, ok := a[0].(*Dict)
	by := slices.Index([]string{"key", "value"}, wantStr(a[2]).text)
	if !ok || by < 0 {
		mustDefined(a[0])
		throw(typeType, `a dict is sorted, by either "key" or "value", not %s`, a[0].typeName())
	}
	key := func(v Value) Value { return rt.folded(v.(*List).items[by], a[1]) }
	return rt.sorted(rt.listing(d, isItems).items, key, a[3])
}

func filterSort(rt *runtime, a []Value) Value {
	getters := []func(Value) Value{rt.attrGetter(a[3], nil)}
	if s, ok := a[3].(*Str); ok {
		getters = nil
		for _, p := range strings.Split(s.text, ",") {
			getters = append(getters, rt.attrGetter(trusted(p), nil))
		}
	}
	key := func(v Value) Value {
		keys := make([]Value, len(getters))
		for i, get := range getters {
			keys[i] = rt.folded(get(v), a[2])
		}
		return NewList(keys...)
	}
	return rt.sorted(rt.items(a[0]), key, a[1])
}

func filterUnique(rt *runtime, a []Value) Value {
	return rt.lazy(a[0], func() (out []Value) {
		get := rt.attrGetter(a[2], nil)
		seen := map[dictKey]bool{}
		for _, v := range rt.items(a[0]) {
			rt.spend(1)
			if k := keyOf(rt.hashable(rt.folded(get(v), a[1]))); !seen[k] {
				seen[k] = true
				out = append(out, v)
			}
		}
		return out
	})
}

// extreme makes min and max: the first item whose key is op than all others.
func extreme(op relation) func(rt *runtime, a []Value) Value {
	return func(rt *runtime, a []Value) Value {
		var best, bestKey Value
		get := rt.attrGetter(a[2], nil)
		for _, v := range rt.items(a[0]) {
			rt.spend(1)
			if key := rt.folded(get(v), a[1]); best == nil || rt.compare(op, key, bestKey) {
				best, bestKey = v, key
			}
		}
		if best == nil {
			return &undefined{hint: "No aggregated item, sequence was empty."}
		}
		return best
	}
}

// filterMap applies an attribute path, or a filter by name.
func filterMap(rt *runtime, v Value, a *callArgs) Value {
	return rt.lazy(v, func() []Value {
		if !truthy(v) {
			return nil
		}
		path, kw, ok := takeKeyword(a.kw, "attribute")
		var f func(Value) Value
		switch {
		case ok && len(a.pos) == 0:
			def, _, _ := takeKeyword(kw, "default")
			f = rt.attrGetter(path, def)
		case len(a.pos) > 0:
			rest := &callArgs{pos: a.pos[1:], kw: a.kw}
			f = func(v Value) Value { return lookUp(filters, "filter", a.pos[0]).call(rt, v, rest) }
		default:
			throw(typeType, "map requires a filter argument")
		}
		list := rt.items(v)
		out := make([]Value, len(list))
		for i, it := range list {
			rt.spend(1)
			out[i] = f(it)
		}
		return out
	})
}

// lookUp finds a filter or test by its name.
func lookUp(table map[string]*native, kind string, name Value) *native {
	n := table[wantStr(name).text]
	if n == nil {
		throw(typeTemplate, "No %s named %s.", kind, plainRepr(name))
	}
	return n
}

// selecting makes select, reject and their attr forms: by a test, or by whether it is true.
func selecting(want, byAttr bool) *native {
	return &native{raw: func(rt *runtime, v Value, a *callArgs) Value {
		return rt.lazy(v, func() (out []Value) {
			if !truthy(v) {
				return nil
			}
			pos, get := a.pos, rt.attrGetter(None, nil)
			if byAttr {
				if len(pos) == 0 {
					throw(typeType, "Missing parameter for attribute name")
				}
				get, pos = rt.attrGetter(pos[0], nil), pos[1:]
			}
			holds := truthy
			if len(pos) > 0 {
				rest := &callArgs{pos: pos[1:], kw: a.kw}
				holds = func(v Value) bool { return truthy(lookUp(tests, "test", pos[0]).call(rt, v, rest)) }
			}
			for _, v := range rt.items(v) {
				rt.spend(1)
				if holds(get(v)) == want {
					out = append(out, v)
				}
			}
			return out
		})
	}}
}
