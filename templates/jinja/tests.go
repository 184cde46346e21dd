package jinja

// newTests makes the table of Jinja2's tests.
func newTests() map[string]*native {
	is := func(f func(Value) bool) *native {
		return fn("value", func(_ *runtime, a []Value) Value { return Bool(f(a[0])) })
	}
	two := func(f func(rt *runtime, a, b Value) bool) *native {
		return fn("value other", func(rt *runtime, a []Value) Value { return Bool(f(rt, a[0], a[1])) })
	}
	rest := func(n, want Value) *native {
		return fn("value", func(rt *runtime, a []Value) Value { return Bool(rt.equal(rt.binary("%", a[0], n), want)) })
	}
	table := map[string]*native{
		"odd": rest(Int(2), Int(1)), "even": rest(Int(2), Int(0)),
		"divisibleby": two(func(rt *runtime, a, b Value) bool { return rt.equal(rt.binary("%", a, b), Int(0)) }),
		"defined":     is(func(v Value) bool { return !isUndefined(v) }), "undefined": is(isUndefined),
		"none":     is(func(v Value) bool { return v == None }),
		"true":     is(func(v Value) bool { return v == Bool(true) }),
		"false":    is(func(v Value) bool { return v == Bool(false) }),
		"boolean":  is(func(v Value) bool { _, ok := v.(Bool); return ok }),
		"integer":  is(func(v Value) bool { _, b := v.(Bool); return isInt(v) && !b }),
		"float":    is(func(v Value) bool { _, ok := v.(Float); return ok }),
		"number":   is(isNumber),
		"string":   is(func(v Value) bool { _, ok := v.(*Str); return ok }),
		"mapping":  is(func(v Value) bool { _, ok := v.(*Dict); return ok }),
		"sequence": is(isSequence), "iterable": is(iterable),
		"in": two(func(rt *runtime, a, b Value) bool { return rt.contains(b, a) }),
	}
	for op, names := range map[relation][]string{
		relEqual: {"==", "eq", "equalto"}, relNotEqual: {"!=", "ne"}, relGreater: {">", "gt", "greaterthan"},
		relGreaterEqual: {">=", "ge"}, relLess: {"<", "lt", "lessthan"}, relLessEqual: {"<=", "le"},
	} {
		for _, name := range names {
			table[name] = two(func(rt *runtime, a, b Value) bool { return rt.compare(op, a, b) })
		}
	}
	return named(table)
}

func isSequence(v Value) bool {
	switch v := v.(type) {
	case *List:
		return v.ordinary()
	case *Str, *Dict, *rangeValue, *undefined:
		return true
	}
	return false
}
