package jinja

// globals are the names that every template knows.
var globals map[string]Value

func init() {
	raise := fn("self message", func(rt *runtime, a []Value) Value {
		panic(&exception{msg: rt.str(a[1]).text, raised: true})
	})
	now := fn("self format", func(rt *runtime, a []Value) Value {
		format := wantStr(a[1]).text
		rt.make(maxField * len(format)) // at most that wide a field for each character
		return trusted(strftime(rt.now, format))
	})
	globals = map[string]Value{}
	for name, f := range map[string]func(*runtime, *callArgs) Value{
		"range":           makeRange,
		"dict":            func(rt *runtime, a *callArgs) Value { return rt.makeDict(a) },
		"namespace":       func(rt *runtime, a *callArgs) Value { return &namespace{rt.makeDict(a)} },
		"raise_exception": func(rt *runtime, a *callArgs) Value { return raise.call(rt, None, a) },
		"strftime_now":    func(rt *runtime, a *callArgs) Value { return now.call(rt, None, a) },
	} {
		globals[name] = &builtin{name, f}
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
	bounds := []int64{0, 0, 1}
	for i, v := range a.pos {
		if i == len(bounds) {
			break
		}
		bounds[i] = int64(sliceBound(v))
	}
	if len(a.pos) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	r := &rangeValue{start: bounds[0], stop: bounds[1], step: bounds[2]}
	if r.step == 0 || len(a.pos) == 0 || len(a.pos) > len(bounds) || len(a.kw) > 0 {
		throw(typeType, "range takes one to three numbers, the last of which is not zero")
	}
	// Rounded up, and nothing where it leads away.
	n := max((r.stop-r.start+r.step-max(min(r.step, 1), -1))/r.step, 0)
	if n > maxRange {
		throw(typeLimit, "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
	}
	r.n = int(n)
	return r
}

// makeDict is dict(mapping or pairs, **kw).
func (rt *runtime) makeDict(a *callArgs) *Dict {
	d := NewDict()
	if len(a.pos) > 1 {
		throw(typeType, "dict expected at most 1 argument, got %d", len(a.pos))
	}
	for _, v := range a.pos {
		if m, ok := v.(*Dict); ok {
			d = m.clone()
			break
		}
		for _, it := range rt.items(v) {
			pair := rt.items(it)
			if len(pair) != 2 {
				wrongCount(2, len(pair))
			}
			d.put(rt.hashable(pair[0]), pair[1])
		}
	}
	for _, k := range a.kw {
		d.put(k.name, k.value)
	}
	return rt.nest(d)
}
