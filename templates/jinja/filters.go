package jinja

import (
	"math"
	"strings"
)

// filter is a filter or a test: a function whose first argument is the value.
type filter struct {
	sig signature
	fn  func(rt *runtime, a []Value) Value
	// raw takes the arguments as they are, for filters with any number of them.
	raw func(rt *runtime, v Value, a *callArgs) Value
}

func (f *filter) apply(rt *runtime, v Value, a *callArgs) Value {
	rt.scan(v)
	rt.scanAll(a.pos)
	if f.raw != nil {
		return f.raw(rt, v, a)
	}
	if len(a.pos) == 0 && len(a.kw) == 0 && len(f.sig.params) == 1 {
		return f.fn(rt, []Value{v})
	}
	if len(a.kw) == 0 && len(a.pos) < len(f.sig.params) && len(a.pos)+1 >= len(f.sig.params)-len(f.sig.defaults) {
		args := make([]Value, len(f.sig.params))
		args[0] = v
		n := 1 + copy(args[1:], a.pos)
		copy(args[n:], f.sig.defaults[n-(len(args)-len(f.sig.defaults)):])
		return f.fn(rt, args)
	}
	all := callArgs{pos: make([]Value, 0, len(a.pos)+1), kw: a.kw}
	all.pos = append(append(all.pos, v), a.pos...)
	return f.fn(rt, f.sig.bind(&all))
}

// applyOnce is apply with arguments that nobody else has.
func (f *filter) applyOnce(rt *runtime, v Value, a *callArgs) Value {
	out := f.apply(rt, v, a)
	if f.raw == nil { // which may keep them
		rt.releaseArgs(a)
	}
	return out
}

// sig makes a signature; hidden counts the arguments that Jinja2 puts in front of the value.
func sig(name string, hidden int, params string, defaults ...Value) signature {
	return signature{name: name, params: strings.Fields(params), defaults: defaults, hidden: hidden}
}

// filters are Jinja2's filters by name, tests its tests.
var filters, tests map[string]*filter

func init() {
	no, zero, empty := Bool(false), Int(0), Value(emptyStr)
	filters = map[string]*filter{
		"abs":         {sig: sig("abs", 0, "x"), fn: filterAbs},
		"attr":        {sig: sig("do_attr", 1, "obj name"), fn: filterAttr},
		"batch":       {sig: sig("do_batch", 0, "value linecount fill_with", None), fn: filterBatch},
		"capitalize":  {sig: sig("do_capitalize", 0, "s"), fn: func(rt *runtime, a []Value) Value { return rt.capitalize(rt.softStr(a[0])) }},
		"center":      {sig: sig("do_center", 0, "value width", Int(80)), fn: filterCenter},
		"default":     {sig: sig("do_default", 0, "value default_value boolean", empty, no), fn: filterDefault},
		"dictsort":    {sig: sig("do_dictsort", 0, "value case_sensitive by reverse", no, trusted("key"), no), fn: filterDictSort},
		"escape":      {sig: sig("escape", 0, "s"), fn: func(rt *runtime, a []Value) Value { return rt.escape(a[0]) }},
		"first":       {sig: sig("sync_do_first", 1, "seq"), fn: filterFirst},
		"float":       {sig: sig("do_float", 0, "value default", Float(0)), fn: filterFloat},
		"forceescape": {sig: sig("do_forceescape", 0, "value"), fn: func(rt *runtime, a []Value) Value { return rt.escape(rt.str(a[0])) }},
		"groupby":     {sig: sig("sync_do_groupby", 1, "value attribute default case_sensitive", None, no), fn: filterGroupBy},
		"indent":      {sig: sig("do_indent", 0, "s width first blank", Int(4), no, no), fn: filterIndent},
		"int":         {sig: sig("do_int", 0, "value default base", zero, Int(10)), fn: filterInt},
		"items":       {sig: sig("do_items", 0, "value"), fn: filterItems},
		"join":        {sig: sig("sync_do_join", 1, "value d attribute", empty, None), fn: filterJoin},
		"last":        {sig: sig("do_last", 1, "seq"), fn: filterLast},
		"length":      {sig: sig("len", 0, "obj"), fn: filterLength},
		"list":        {sig: sig("sync_do_list", 0, "value"), fn: filterList},
		"lower":       {sig: sig("do_lower", 0, "s"), fn: func(rt *runtime, a []Value) Value { return rt.mapStr(rt.softStr(a[0]), lower) }},
		"map":         {raw: filterMap},
		"max":         {sig: sig("do_max", 1, "value case_sensitive attribute", no, None), fn: filterMax},
		"min":         {sig: sig("do_min", 1, "value case_sensitive attribute", no, None), fn: filterMin},
		"random":      {sig: sig("do_random", 1, "seq"), fn: filterRandom},
		"reject":      {raw: selecting(false, false)},
		"rejectattr":  {raw: selecting(false, true)},
		"replace":     {sig: sig("do_replace", 1, "s old new count", None), fn: filterReplace},
		"reverse":     {sig: sig("do_reverse", 0, "value"), fn: filterReverse},
		"round":       {sig: sig("do_round", 0, "value precision method", zero, trusted("common")), fn: filterRound},
		"safe":        {sig: sig("do_mark_safe", 0, "value"), fn: func(rt *runtime, a []Value) Value { return markupOf(rt.str(a[0])) }},
		"select":      {raw: selecting(true, false)},
		"selectattr":  {raw: selecting(true, true)},
		"slice":       {sig: sig("sync_do_slice", 0, "value slices fill_with", None), fn: filterSlice},
		"sort":        {sig: sig("do_sort", 1, "value reverse case_sensitive attribute", no, no, None), fn: filterSort},
		"string":      {sig: sig("soft_str", 0, "s"), fn: func(rt *runtime, a []Value) Value { return rt.softStr(a[0]) }},
		"striptags":   {sig: sig("do_striptags", 0, "value"), fn: func(rt *runtime, a []Value) Value { return rt.stripTags(rt.str(a[0])) }},
		"sum":         {sig: sig("sync_do_sum", 1, "iterable attribute start", None, zero), fn: filterSum},
		"title":       {sig: sig("do_title", 0, "s"), fn: filterTitle},
		"tojson":      {sig: sig("tojson", 0, "x ensure_ascii indent separators sort_keys", no, None, None, no), fn: filterToJSON},
		"trim":        {sig: sig("do_trim", 0, "value chars", None), fn: filterTrim},
		"truncate":    {sig: sig("do_truncate", 1, "s length killwords end leeway", Int(255), no, trusted("..."), None), fn: filterTruncate},
		"unique":      {sig: sig("sync_do_unique", 1, "value case_sensitive attribute", no, None), fn: filterUnique},
		"upper":       {sig: sig("do_upper", 0, "s"), fn: func(rt *runtime, a []Value) Value { return rt.mapStr(rt.softStr(a[0]), upper) }},
		"urlencode":   {sig: sig("do_urlencode", 0, "value"), fn: filterURLEncode},
		"wordcount":   {sig: sig("do_wordcount", 0, "s"), fn: filterWordCount},
	}
	filters["count"], filters["d"], filters["e"] = filters["length"], filters["default"], filters["escape"]
	tests = newTests()
}

// softStr is str(v), but keeps the mark that a string is already escaped.
func (rt *runtime) softStr(v Value) *Str {
	if s, ok := v.(*Str); ok {
		return s
	}
	return rt.str(v)
}

func filterAbs(_ *runtime, a []Value) Value {
	switch v := a[0].(type) {
	case Float:
		return Float(math.Abs(float64(v)))
	case Int, bigInt, Bool:
		if c, _ := compareNumbers(v, Int(0)); c < 0 {
			return unary("-", v)
		}
		return intOf(v)
	}
	throw(typeType, "bad operand type for abs(): '%s'", a[0].typeName())
	return nil
}

func filterAttr(rt *runtime, a []Value) Value {
	name, ok := a[1].(*Str)
	if !ok {
		rt.hashable(a[1])
		throw(typeType, "attribute name must be string, not '%s'", a[1].typeName())
	}
	mustDefined(a[0])
	if v := rt.attribute(a[0], name.text); v != nil {
		return v
	}
	return &undefined{owner: a[0], name: name}
}

func filterCenter(rt *runtime, a []Value) Value {
	return rt.center(rt.softStr(a[0]), wantInt(a[1]), trusted(" "))
}

func filterDefault(rt *runtime, a []Value) Value {
	if _, ok := a[0].(*undefined); ok || rt.truth(a[2]) && !rt.truth(a[0]) {
		return a[1]
	}
	return a[0]
}

func filterFirst(rt *runtime, a []Value) Value {
	it := rt.iterate(a[0])
	if v, ok := it.next(); ok {
		return v
	}
	return because("No first item, sequence was empty.")
}

func filterLast(rt *runtime, a []Value) Value {
	if list, ok := items(a[0]); ok && len(list) > 0 {
		return list[len(list)-1]
	}
	it, ok := rt.reversed(a[0])
	if _, isUndefined := a[0].(*undefined); !ok && !isUndefined {
		throw(typeType, "'%s' object is not reversible", a[0].typeName())
	}
	if ok {
		if v, more := it.(*generator).next(); more {
			return v
		}
	}
	return because("No last item, sequence was empty.")
}

func filterLength(_ *runtime, a []Value) Value {
	n, ok := length(a[0])
	if !ok {
		throw(typeType, "object of type '%s' has no len()", a[0].typeName())
	}
	return Int(n)
}

func filterList(rt *runtime, a []Value) Value { return rt.newList(rt.list(a[0])) }

// filterRandom takes the first item: a prompt has to come out the same every time.
func filterRandom(rt *runtime, a []Value) Value {
	if n, ok := length(a[0]); !ok {
		throw(typeType, "object of type '%s' has no len()", a[0].typeName())
	} else if n == 0 {
		return because("No random item, sequence was empty.")
	}
	return rt.getItem(a[0], Int(0))
}

func filterItems(rt *runtime, a []Value) Value {
	return rt.lazy("do_items", emptyStr, func(func() (Value, bool)) func() (Value, bool) {
		switch d := a[0].(type) {
		case *Dict:
			pairs := (&dictView{"items", d}).iterate()
			return pairs.next
		case *undefined:
			return nothing
		}
		throw(typeType, "Can only get item pairs from a mapping.")
		return nil
	})
}

func filterJoin(rt *runtime, a []Value) Value {
	v := a[0]
	get := func(v Value) Value { return v }
	if a[2] != None {
		get = rt.attrGetter(a[2], nil)
	}
	sep := rt.softStr(a[1]).plain()
	it := rt.iterate(v)
	var b textBuilder
	var parts []*Str
	for {
		item, ok := it.next()
		if !ok {
			break
		}
		parts = append(parts, rt.softStr(get(item)).plain())
	}
	for i, s := range parts {
		if i > 0 {
			b.add(sep)
		}
		b.add(s)
		rt.spend(1 + (len(s.text)+len(sep.text))/bytesPerStep)
		rt.fits(len(b.buf))
	}
	return b.str()
}

func filterReplace(rt *runtime, a []Value) Value {
	count := -1
	if a[3] != None {
		count = wantInt(a[3])
	}
	return rt.replace(rt.str(a[0]), rt.str(a[1]), rt.str(a[2]), count)
}

func filterReverse(rt *runtime, a []Value) Value {
	if s, ok := a[0].(*Str); ok {
		return rt.sliceStr(s, None, None, Int(-1))
	}
	if it, ok := rt.reversed(a[0]); ok {
		return it
	}
	if !iterable(a[0]) {
		throw(typeFilterArg, "argument must be iterable")
	}
	if _, ok := a[0].(*undefined); ok {
		return &generator{name: "reversed object", iterator: sliceIterator(nil)}
	}
	var list []Value
	if e := attempt(func() { list = rt.list(a[0]) }); e != nil {
		if e.typ == typeType {
			throw(typeFilterArg, "argument must be iterable")
		}
		panic(e)
	}
	it, _ := rt.reversed(rt.newList(list))
	return rt.newList(rt.list(it))
}

func filterSum(rt *runtime, a []Value) Value {
	get := func(v Value) Value { return v }
	if a[1] != None {
		get = rt.attrGetter(a[1], nil)
	}
	if _, ok := a[2].(*Str); ok {
		throw(typeType, "sum() can't sum strings [use ''.join(seq) instead]")
	}
	total := a[2]
	it := rt.iterate(a[0])
	for {
		v, ok := it.next()
		if !ok {
			return total
		}
		rt.spend(1)
		total = rt.binary("+", total, get(v))
	}
}
