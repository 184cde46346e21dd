package jinja

import (
	"math"
	"strconv"
	"strings"
)

// filters are Jinja2's filters by name, tests its tests.
var filters, tests map[string]*native

func init() {
	no, zero, empty := Bool(false), Int(0), Value(emptyStr)
	filters = map[string]*native{
		"capitalize": fn("s", func(rt *runtime, a []Value) Value { return rt.capitalize(rt.str(a[0])) }),
		"default":    fn("value default_value boolean", filterDefault, empty, no),
		"dictsort":   fn("value case_sensitive by reverse", filterDictSort, no, trusted("key"), no),
		"escape":     fn("s", func(rt *runtime, a []Value) Value { return rt.escape(rt.str(a[0])) }),
		"first":      fn("seq", filterFirst),
		"float":      fn("value default", filterFloat, Float(0)),
		"indent":     fn("s width first blank", filterIndent, Int(4), no, no),
		"int":        fn("value default", filterInt, zero),
		"items":      fn("value", filterItems),
		"join":       fn("value d attribute", filterJoin, empty, None),
		"last":       fn("seq", filterLast),
		"length":     fn("obj", filterLength),
		"list":       fn("value", func(rt *runtime, a []Value) Value { return rt.newList(isList, rt.items(a[0])) }),
		"lower":      fn("s", func(rt *runtime, a []Value) Value { return rt.mapStr(rt.str(a[0]), lower) }),
		"map":        {raw: filterMap},
		"max":        fn("value case_sensitive attribute", extreme(relGreater), no, None),
		"min":        fn("value case_sensitive attribute", extreme(relLess), no, None),
		"reject":     selecting(false, false),
		"rejectattr": selecting(false, true),
		"replace":    fn("s old new count", filterReplace, None),
		"reverse":    fn("value", filterReverse),
		"safe":       fn("value", func(rt *runtime, a []Value) Value { return safe(rt.str(a[0])) }),
		"select":     selecting(true, false),
		"selectattr": selecting(true, true),
		"sort":       fn("value reverse case_sensitive attribute", filterSort, no, no, None),
		"string":     fn("s", func(rt *runtime, a []Value) Value { return rt.str(a[0]) }),
		"title":      fn("s", filterTitle),
		"tojson":     fn("x ensure_ascii indent separators sort_keys", filterToJSON, no, None, None, no),
		"trim":       fn("value chars", func(rt *runtime, a []Value) Value { return rt.strip(rt.str(a[0]), a[1], true, true) }, None),
		"unique":     fn("value case_sensitive attribute", filterUnique, no, None),
		"upper":      fn("s", func(rt *runtime, a []Value) Value { return rt.mapStr(rt.str(a[0]), upper) }),
	}
	filters["count"], filters["d"], filters["e"] = filters["length"], filters["default"], filters["escape"]
	named(filters)
	tests = newTests()
}

func filterDefault(_ *runtime, a []Value) Value {
	if isUndefined(a[0]) || truthy(a[2]) && !truthy(a[0]) {
		return a[1]
	}
	return a[0]
}

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// escape makes text safe for HTML, unless it is already.
func (rt *runtime) escape(s *Str) *Str {
	if s.markup {
		return s
	}
	rt.make(6 * len(s.text))
	return safe(s.mapText(htmlEscaper.Replace))
}

// plain is the text without the mark that it is safe for HTML.
func (s *Str) plain() *Str {
	if !s.markup {
		return s
	}
	c := *s
	c.markup = false
	return &c
}

// safe marks a text as safe for HTML.
func safe(s *Str) *Str {
	c := *s
	c.markup = true
	return &c
}

func filterFirst(rt *runtime, a []Value) Value {
	it := rt.iterate(a[0])
	if v, ok := it.next(); ok {
		return v
	}
	return &undefined{hint: "No first item, sequence was empty."}
}

func filterLast(rt *runtime, a []Value) Value {
	if _, ok := a[0].(*generator); ok {
		throw(typeType, "'generator' object is not reversible")
	}
	if list := rt.items(a[0]); len(list) > 0 {
		return list[len(list)-1]
	}
	return &undefined{hint: "No last item, sequence was empty."}
}

func filterLength(_ *runtime, a []Value) Value {
	n, ok := length(a[0])
	if !ok {
		throw(typeType, "object of type '%s' has no len()", a[0].typeName())
	}
	return Int(n)
}

func filterItems(rt *runtime, a []Value) Value {
	return rt.lazy(None, func() []Value {
		d, ok := a[0].(*Dict)
		switch {
		case ok:
			return rt.listing(d, isItems).items
		case !isUndefined(a[0]):
			throw(typeType, "Can only get item pairs from a mapping.")
		}
		return nil
	})
}

func filterJoin(rt *runtime, a []Value) Value {
	get := rt.attrGetter(a[2], nil)
	sep := rt.str(a[1])
	var b textBuilder
	for i, v := range rt.items(a[0]) {
		if i > 0 {
			b.add(sep)
		}
		s := rt.str(get(v))
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
	switch v := a[0].(type) {
	case *Str:
		return rt.sliceStr(v, None, None, Int(-1))
	case *generator:
		return rt.newList(isList, rt.reversed(v))
	}
	return &generator{iterator: iterator{list: rt.reversed(a[0])}}
}

func filterInt(rt *runtime, a []Value) Value {
	switch v := a[0].(type) {
	case *undefined:
		v.fail()
	case bigInt:
		return v
	case Float:
		if !math.IsNaN(float64(v)) {
			return floatToInt(float64(v))
		}
	case *Str:
		rt.scan(v)
		text := strings.ReplaceAll(strings.TrimFunc(v.text, isSpace), "_", "")
		if n, ok := parseInt(text); ok {
			return n
		}
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return floatToInt(f)
		}
	}
	if n, ok := asInt(a[0]); ok {
		return Int(n)
	}
	return a[1]
}

func filterFloat(rt *runtime, a []Value) Value {
	mustDefined(a[0])
	if s, ok := a[0].(*Str); ok {
		rt.scan(s)
		text := strings.TrimFunc(s.text, isSpace)
		if f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); (err == nil || math.IsInf(f, 0)) && !strings.ContainsAny(text, "xX") {
			return Float(f)
		}
	}
	if f, ok := asFloat(a[0]); ok {
		return Float(f)
	}
	return a[1]
}

// filterTitle is Jinja2's own title: words begin after whitespace, brackets and hyphens only.
func filterTitle(rt *runtime, a []Value) Value {
	return rt.mapStr(rt.str(a[0]), titled(func(r rune) bool { return isSpace(r) || strings.ContainsRune("-({[<", r) }))
}

func filterIndent(rt *runtime, a []Value) Value {
	indent, ok := a[1].(*Str)
	if !ok {
		indent = rt.fill(trusted(" "), wantInt(a[1]))
	}
	newline := trusted("\n")
	lines := rt.lines(joinStrs(emptyStr, []*Str{wantStr(a[0]), newline}), false)
	rt.make(len(a[0].(*Str).text) + saturate(int64(len(lines)), int64(len(indent.text)+1)))
	var b textBuilder
	for i, line := range lines {
		if i > 0 {
			b.add(newline)
		}
		if i == 0 && truthy(a[2]) || i > 0 && (line.text != "" || truthy(a[3])) {
			b.add(indent)
		}
		b.add(line)
	}
	return b.str()
}
