package jinja

// globals are the names that every template knows.
var globals map[string]Value

func init() {
	class := func(name string, fn func(*runtime, *callArgs) Value) Value {
		return &classValue{builtin{name: name, fn: fn}}
	}
	globals = map[string]Value{
		"range":           class("range", makeRange),
		"dict":            class("dict", func(rt *runtime, a *callArgs) Value { return rt.makeDict("dict", a) }),
		"namespace":       class("jinja2.utils.Namespace", makeNamespace),
		"cycler":          class("jinja2.utils.Cycler", makeCycler),
		"joiner":          class("jinja2.utils.Joiner", makeJoiner),
		"raise_exception": &builtin{name: "raise_exception", fn: raiseException},
		"strftime_now":    &builtin{name: "strftime_now", fn: strftimeNow},
	}
}

// IsGlobal says whether a name means something in every template: a variable of that name would
// hide a function.
func IsGlobal(name string) bool {
	_, ok := globals[name]
	return ok
}

// maxRange is the longest range that the sandbox allows.
const maxRange = 100_000

func makeRange(_ *runtime, a *callArgs) Value {
	if len(a.kw) > 0 {
		throw(typeType, "safe_range() got an unexpected keyword argument %s", reprText(a.kw[0].name.text))
	}
	start, stop, step := int64(0), int64(0), int64(1)
	bound := func(v Value) int64 {
		if n, ok := v.(bigInt); ok {
			if n.Sign() < 0 {
				return -(1 << 62)
			}
			return 1 << 62
		}
		return int64(wantInt(v))
	}
	switch len(a.pos) {
	case 0:
		throw(typeType, "range expected at least 1 argument, got 0")
	case 1:
		stop = bound(a.pos[0])
	case 2, 3:
		start, stop = bound(a.pos[0]), bound(a.pos[1])
		if len(a.pos) == 3 {
			step = bound(a.pos[2])
		}
	default:
		throw(typeType, "range expected at most 3 arguments, got %d", len(a.pos))
	}
	if step == 0 {
		throw(typeValue, "range() arg 3 must not be zero")
	}
	r := newRange(start, stop, step)
	if r.n > maxRange || r.n < 0 {
		throw(typeOverflow, "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
	}
	return r
}

// makeDict is dict(mapping or pairs, **kw).
func (rt *runtime) makeDict(name string, a *callArgs) *Dict {
	d := NewDict()
	if len(a.pos) > 1 {
		throw(typeType, "%s expected at most 1 argument, got %d", name, len(a.pos))
	}
	if len(a.pos) == 1 {
		rt.fillDict(d, a.pos[0])
	}
	for _, k := range a.kw {
		d.put(k.name, k.value)
	}
	rt.nest(d, d.Len())
	return d
}

func (rt *runtime) fillDict(d *Dict, v Value) {
	if m, ok := v.(*Dict); ok {
		*d = *m.clone()
		d.depth = 0 // which nest finds out
		return
	}
	for i, it := range rt.list(v) {
		if !iterable(it) {
			throw(typeType, "cannot convert dictionary update sequence element #%d to a sequence", i)
		}
		pair := rt.list(it)
		if len(pair) != 2 {
			throw(typeValue, "dictionary update sequence element #%d has length %d; 2 is required", i, len(pair))
		}
		rt.hashable(pair[0])
		d.put(pair[0], pair[1])
	}
}

func makeNamespace(rt *runtime, a *callArgs) Value {
	return &namespace{rt.makeDict("dict", a)}
}

func makeCycler(_ *runtime, a *callArgs) Value {
	if len(a.kw) > 0 {
		throw(typeType, "Cycler.__init__() got an unexpected keyword argument %s", reprText(a.kw[0].name.text))
	}
	if len(a.pos) == 0 {
		throw(typeRuntime, "at least one item has to be provided")
	}
	return &cycler{items: a.pos}
}

func makeJoiner(_ *runtime, a *callArgs) Value {
	args := signature{name: "Joiner.__init__", params: []string{"sep"}, defaults: []Value{commaSpace}, hidden: 1}.bind(a)
	return &joiner{sep: args[0]}
}

func raiseException(rt *runtime, a *callArgs) Value {
	args := sig("raise_exception", 0, "message").bind(a)
	panic(&exception{msg: rt.str(args[0]).text, raised: true})
}

// maxField is the widest field of strftime, for which a format needs at least a few characters.
const maxField = 250

func strftimeNow(rt *runtime, a *callArgs) Value {
	args := sig("strftime_now", 0, "format").bind(a)
	format, ok := args[0].(*Str)
	if !ok {
		throw(typeType, "strftime() argument 1 must be str, not %s", args[0].typeName())
	}
	rt.make(maxField * len(format.text)) // at most that wide a field for each character
	return trusted(strftime(rt.now, format.text))
}
