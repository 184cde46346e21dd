package jinja

// newTests makes the table of Jinja2's tests.
func newTests() map[string]*filter {
	table := map[string]*filter{}
	one := func(name string, f func(rt *runtime, v Value) bool) {
		table[name] = &filter{sig: sig("test_"+name, 0, "value"), fn: func(rt *runtime, a []Value) Value { return Bool(f(rt, a[0])) }}
	}
	is := func(f func(Value) bool) func(*runtime, Value) bool {
		return func(_ *runtime, v Value) bool { return f(v) }
	}
	one("odd", func(rt *runtime, v Value) bool { return rt.equal(rt.binary("%", v, Int(2)), Int(1)) })
	one("even", func(rt *runtime, v Value) bool { return rt.equal(rt.binary("%", v, Int(2)), Int(0)) })
	one("defined", is(func(v Value) bool { return !isUndefined(v) }))
	one("undefined", is(isUndefined))
	one("none", is(func(v Value) bool { return v == None }))
	one("boolean", is(func(v Value) bool { _, ok := v.(Bool); return ok }))
	one("true", is(func(v Value) bool { return v == Bool(true) }))
	one("false", is(func(v Value) bool { return v == Bool(false) }))
	one("integer", is(func(v Value) bool { _, b := v.(Bool); return isInt(v) && !b }))
	one("float", is(func(v Value) bool { _, ok := v.(Float); return ok }))
	one("number", is(isNumber))
	one("string", is(func(v Value) bool { _, ok := v.(*Str); return ok }))
	one("mapping", is(func(v Value) bool { _, ok := v.(*Dict); return ok }))
	one("sequence", is(isSequence))
	one("iterable", is(iterable))
	one("escaped", is(func(v Value) bool { s, ok := v.(*Str); return ok && s.markup }))
	one("callable", is(func(v Value) bool { _, ok := v.(callable); return ok || isUndefined(v) }))
	one("lower", func(rt *runtime, v Value) bool { return strTests["islower"](rt.str(v).text) })
	one("upper", func(rt *runtime, v Value) bool { return strTests["isupper"](rt.str(v).text) })
	one("filter", func(rt *runtime, v Value) bool { return rt.inTable(filters, v) })
	one("test", func(rt *runtime, v Value) bool { return rt.inTable(tests, v) })
	addBinaryTests(table)
	return table
}

func addBinaryTests(table map[string]*filter) {
	two := func(s signature, f func(rt *runtime, a, b Value) bool, names ...string) {
		t := &filter{sig: s, fn: func(rt *runtime, a []Value) Value { return Bool(f(rt, a[0], a[1])) }}
		for _, n := range names {
			table[n] = t
		}
	}
	two(sig("test_divisibleby", 0, "value num"), func(rt *runtime, a, b Value) bool {
		return rt.equal(rt.binary("%", a, b), Int(0))
	}, "divisibleby")
	two(sig("test_sameas", 0, "value other"), sameObject, "sameas")
	two(sig("test_in", 0, "value seq"), func(rt *runtime, a, b Value) bool { return rt.contains(b, a) }, "in")
	for op, names := range map[relation][]string{
		relEqual: {"==", "eq", "equalto"}, relNotEqual: {"!=", "ne"}, relGreater: {">", "gt", "greaterthan"},
		relGreaterEqual: {">=", "ge"}, relLess: {"<", "lt", "lessthan"}, relLessEqual: {"<=", "le"},
	} {
		two(sig(names[len(names)-1], 0, "a b"), func(rt *runtime, a, b Value) bool { return rt.compare(op, a, b) }, names...)
	}
}

func isUndefined(v Value) bool { _, ok := v.(*undefined); return ok }

func isSequence(v Value) bool {
	switch v.(type) {
	case *Str, *List, *Tuple, *groupTuple, *Dict, *rangeValue, *undefined:
		return true
	}
	return false
}

func (rt *runtime) inTable(table map[string]*filter, v Value) bool {
	rt.hashable(v)
	s, ok := v.(*Str)
	return ok && table[s.text] != nil
}

// sameObject is Python's is, for numbers and short strings what CPython's caches make of it.
func sameObject(rt *runtime, a, b Value) bool {
	rt.unkept() // equal arguments need not be the same
	x, okX := a.(*Str)
	y, okY := b.(*Str)
	if okX && okY {
		return x == y || len(x.text) < 2 && x.text == y.text
	}
	if isUndefined(a) && isUndefined(b) {
		return false
	}
	return a == b
}
