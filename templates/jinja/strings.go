package jinja

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strMethod is a method of str.
type strMethod struct {
	sig signature
	fn  func(rt *runtime, s *Str, a []Value) Value
	// raw takes the arguments as they are, for methods with any number of them.
	raw func(rt *runtime, s *Str, a *callArgs) Value
}

var strMethods map[string]*strMethod

func init() {
	strMethods = map[string]*strMethod{
		"format":     {raw: strFormat},
		"format_map": {raw: strFormatMap},
	}
	addCaseMethods()
	addStripMethods()
	addSearchMethods()
	addSplitMethods()
	addPadMethods()
}

// defineStr adds a method of str; defaults are of the last parameters.
func defineStr(name, params string, defaults []Value, fn func(*runtime, *Str, []Value) Value) {
	strMethods[name] = &strMethod{sig: signature{name: name, params: strings.Fields(params), defaults: defaults, native: "str"}, fn: fn}
}

func addCaseMethods() {
	for name, f := range map[string]func(string) string{
		"upper": upper, "lower": lower, "title": title, "swapcase": swapCase, "casefold": caseFold,
	} {
		defineStr(name, "", nil, func(rt *runtime, s *Str, _ []Value) Value { return rt.mapStr(s, f) })
	}
	defineStr("capitalize", "", nil, func(rt *runtime, s *Str, _ []Value) Value { return rt.capitalize(s) })
	for name, f := range strTests {
		defineStr(name, "", nil, func(rt *runtime, s *Str, _ []Value) Value {
			rt.make(len(s.text))
			return Bool(f(s.text))
		})
	}
	defineStr("translate", "table", nil, func(rt *runtime, s *Str, a []Value) Value { return rt.translate(s, a[0]) })
}

func addStripMethods() {
	none := []Value{None}
	defineStr("strip", "chars", none, func(rt *runtime, s *Str, a []Value) Value { return rt.strip(s, a[0], true, true) })
	defineStr("lstrip", "chars", none, func(rt *runtime, s *Str, a []Value) Value { return rt.strip(s, a[0], true, false) })
	defineStr("rstrip", "chars", none, func(rt *runtime, s *Str, a []Value) Value { return rt.strip(s, a[0], false, true) })
	defineStr("removeprefix", "prefix", nil, func(_ *runtime, s *Str, a []Value) Value {
		if p := wantStr(a[0], "removeprefix() argument"); strings.HasPrefix(s.text, p.text) {
			return s.slice(len(p.text), len(s.text))
		}
		return s
	})
	defineStr("removesuffix", "suffix", nil, func(_ *runtime, s *Str, a []Value) Value {
		if p := wantStr(a[0], "removesuffix() argument"); strings.HasSuffix(s.text, p.text) {
			return s.slice(0, len(s.text)-len(p.text))
		}
		return s
	})
}

func addSearchMethods() {
	none := []Value{None, None}
	defineStr("startswith", "prefix start end", none, func(rt *runtime, s *Str, a []Value) Value {
		return rt.affix(s, a, "startswith", strings.HasPrefix)
	})
	defineStr("endswith", "suffix start end", none, func(rt *runtime, s *Str, a []Value) Value {
		return rt.affix(s, a, "endswith", strings.HasSuffix)
	})
	search := "sub start end"
	defineStr("find", search, none, func(rt *runtime, s *Str, a []Value) Value { return Int(rt.find(s, a, strings.Index)) })
	defineStr("rfind", search, none, func(rt *runtime, s *Str, a []Value) Value { return Int(rt.find(s, a, strings.LastIndex)) })
	defineStr("index", search, none, func(rt *runtime, s *Str, a []Value) Value { return found(rt.find(s, a, strings.Index)) })
	defineStr("rindex", search, none, func(rt *runtime, s *Str, a []Value) Value { return found(rt.find(s, a, strings.LastIndex)) })
	defineStr("count", search, none, strCount)
	for _, name := range []string{"startswith", "endswith", "find", "rfind", "index", "rindex", "count"} {
		strMethods[name].sig.search = true
	}
	defineStr("replace", "old new count", []Value{Int(-1)}, func(rt *runtime, s *Str, a []Value) Value {
		return rt.replace(s, wantStr(a[0], "replace() argument 1"), wantStr(a[1], "replace() argument 2"), wantInt(a[2]))
	})
}

func addSplitMethods() {
	unlimited := []Value{None, Int(-1)}
	defineStr("split", "sep maxsplit", unlimited, func(rt *runtime, s *Str, a []Value) Value { return rt.split(s, a[0], wantInt(a[1])) })
	defineStr("rsplit", "sep maxsplit", unlimited, func(rt *runtime, s *Str, a []Value) Value { return rt.rsplit(s, a[0], wantInt(a[1])) })
	defineStr("splitlines", "keepends", []Value{Bool(false)}, func(rt *runtime, s *Str, a []Value) Value {
		rt.words(s)
		return rt.strList(s.lines(wantInt(a[0]) != 0))
	})
	for _, name := range []string{"split", "rsplit", "splitlines"} {
		strMethods[name].sig.keywords = true
	}
	defineStr("partition", "sep", nil, func(rt *runtime, s *Str, a []Value) Value {
		return rt.partition(s, a[0], strings.Index, func(s *Str) Value { return NewTuple(s, emptyStr, emptyStr) })
	})
	defineStr("rpartition", "sep", nil, func(rt *runtime, s *Str, a []Value) Value {
		return rt.partition(s, a[0], strings.LastIndex, func(s *Str) Value { return NewTuple(emptyStr, emptyStr, s) })
	})
	defineStr("join", "iterable", nil, func(rt *runtime, s *Str, a []Value) Value { return rt.strJoin(s, a[0]) })
}

func addPadMethods() {
	space := []Value{trusted(" ")}
	defineStr("center", "width fillchar", space, func(rt *runtime, s *Str, a []Value) Value {
		return rt.center(s, wantInt(a[0]), fillChar(a[1]))
	})
	defineStr("ljust", "width fillchar", space, func(rt *runtime, s *Str, a []Value) Value {
		return rt.pad(s, 0, wantInt(a[0])-s.length(), fillChar(a[1]))
	})
	defineStr("rjust", "width fillchar", space, func(rt *runtime, s *Str, a []Value) Value {
		return rt.pad(s, wantInt(a[0])-s.length(), 0, fillChar(a[1]))
	})
	defineStr("zfill", "width", nil, func(rt *runtime, s *Str, a []Value) Value { return rt.zfill(s, wantInt(a[0])) })
	defineStr("expandtabs", "tabsize", []Value{Int(8)}, func(rt *runtime, s *Str, a []Value) Value {
		return rt.expandTabs(s, wantInt(a[0]))
	})
	strMethods["expandtabs"].sig.keywords = true
}

func (m *strMethod) call(rt *runtime, s *Str, a *callArgs) Value {
	rt.scan(s)
	rt.scanAll(a.pos)
	if m.raw != nil {
		return m.raw(rt, s, a)
	}
	v := m.fn(rt, s, m.sig.bind(a))
	rt.releaseArgs(a)
	return v
}

func strAttribute(s *Str, name string) Value {
	if s.markup {
		switch name {
		case "striptags":
			return &builtin{name: name, fn: func(rt *runtime, _ *callArgs) Value { return rt.stripTags(s) }}
		case "unescape":
			return &builtin{name: name, fn: func(rt *runtime, _ *callArgs) Value { return rt.mapStr(s.plain(), unescapeHTML) }}
		}
	}
	if m := strMethods[name]; m != nil {
		return &builtin{name: name, of: "str", fn: func(rt *runtime, a *callArgs) Value { return m.call(rt, s, a) }}
	}
	return nil
}

// isSpace is Python's str.isspace of one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// strList makes a list of strings.
func (rt *runtime) strList(parts []*Str) Value {
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return rt.newList(out)
}

func (rt *runtime) mapStr(s *Str, f func(string) string) *Str {
	rt.make(len(s.text))
	return s.mapText(f)
}

func (rt *runtime) strip(s *Str, chars Value, left, right bool) Value {
	is := isSpace
	if chars != None {
		set, ok := chars.(*Str)
		if !ok {
			throw(typeType, "%s arg must be None or str", stripName(left, right))
		}
		is = oneOf(set.text)
	}
	rt.spend(1 + len(s.text)/bytesPerStep)
	i, j := 0, len(s.text)
	if left {
		i = j - len(strings.TrimLeftFunc(s.text, is))
	}
	if right {
		j = i + len(strings.TrimRightFunc(s.text[i:], is))
	}
	return s.slice(i, j)
}

// oneOf returns the test for the characters of a set, however large it is.
func oneOf(set string) func(rune) bool {
	if len(set) < 16 {
		return func(r rune) bool { return strings.ContainsRune(set, r) }
	}
	in := map[rune]bool{}
	for _, r := range set {
		in[r] = true
	}
	return func(r rune) bool { return in[r] }
}

func stripName(left, right bool) string {
	switch {
	case !right:
		return "lstrip"
	case !left:
		return "rstrip"
	}
	return "strip"
}

// window returns the byte offsets of the part of s that start and end choose; ok is false where start is behind the end.
func window(s *Str, start, end Value) (i, j int, ok bool) {
	if start == None && end == None {
		return 0, len(s.text), true
	}
	chars := s.index()
	from, to, _ := span(chars.n, start, end, None)
	if n, isSmall := asInt(start); from > to || isSmall && n > int64(chars.n) {
		return 0, 0, false
	}
	return chars.at(from), chars.at(to), true
}

func (rt *runtime) affix(s *Str, a []Value, name string, has func(s, affix string) bool) Value {
	rt.spend(1)
	var affixes []Value
	switch p := a[0].(type) {
	case *Str:
		affixes = []Value{p}
	case *Tuple:
		affixes = p.items
	default:
		throw(typeType, "%s first arg must be str or a tuple of str, not %s", name, p.typeName())
	}
	i, j, ok := window(s, a[1], a[2])
	rt.spend(len(affixes))
	for _, v := range affixes {
		p, isStr := v.(*Str)
		if !isStr {
			throw(typeType, "tuple for %s must only contain str, not %s", name, v.typeName())
		}
		if ok && has(s.text[i:j], p.text) {
			return Bool(true)
		}
	}
	return Bool(false)
}

// find returns where a string is, in characters, or -1.
func (rt *runtime) find(s *Str, a []Value, index func(s, sub string) int) int {
	rt.spend(1 + len(s.text)/bytesPerStep)
	i, j, ok := window(s, a[1], a[2])
	sub := wantStr(a[0], "")
	if !ok {
		return -1
	}
	at := index(s.text[i:j], sub.text)
	if at < 0 {
		return -1
	}
	return utf8.RuneCountInString(s.text[:i+at])
}

func found(i int) Value {
	if i < 0 {
		throw(typeValue, "substring not found")
	}
	return Int(i)
}

func strCount(rt *runtime, s *Str, a []Value) Value {
	rt.spend(1 + len(s.text)/bytesPerStep)
	i, j, ok := window(s, a[1], a[2])
	sub := wantStr(a[0], "")
	if !ok {
		return Int(0)
	}
	return Int(strings.Count(s.text[i:j], sub.text))
}

// replace is s.replace(old, new, count), parts of s and new keeping their origins.
func (rt *runtime) replace(s, old, new *Str, count int) *Str {
	n := strings.Count(s.text, old.text)
	if count >= 0 {
		n = min(n, count)
	}
	rt.make(len(s.text) + saturate(int64(n), int64(len(new.text))))
	if n == 0 {
		return s
	}
	var b textBuilder
	at := 0
	for i := range n {
		hit := at
		if old.text != "" {
			hit += strings.Index(s.text[at:], old.text)
		} else if i > 0 {
			_, size := utf8.DecodeRuneInString(s.text[at:])
			hit += size
		}
		b.addSlice(s, at, hit)
		b.add(new)
		at = hit + len(old.text)
	}
	b.addSlice(s, at, len(s.text))
	out := b.str()
	out.markup = s.markup
	return out
}

func (rt *runtime) strJoin(sep *Str, v Value) Value {
	if !iterable(v) {
		throw(typeType, "can only join an iterable")
	}
	list := rt.list(v)
	parts := make([]*Str, len(list))
	n := 0
	for i, it := range list {
		s, ok := it.(*Str)
		switch {
		case sep.markup:
			s = rt.escape(it)
		case !ok:
			throw(typeType, "sequence item %d: expected str instance, %s found", i, it.typeName())
		}
		parts[i] = s
		n += len(s.text) + len(sep.text)
		rt.fits(n)
	}
	rt.spend(len(list))
	rt.make(n)
	out := joinStrs(sep, parts)
	if out.markup != sep.markup {
		c := *out
		c.markup = sep.markup
		return &c
	}
	return out
}

// partition cuts s at the place that index finds; where there is none, whole says how to return all of s.
func (rt *runtime) partition(s *Str, sep Value, index func(s, sub string) int, whole func(s *Str) Value) Value {
	p := separator(sep, "str")
	rt.spend(1 + len(s.text)/bytesPerStep)
	i := index(s.text, p.text)
	if i < 0 {
		return whole(s)
	}
	j := i + len(p.text)
	return NewTuple(s.slice(0, i), s.slice(i, j), s.slice(j, len(s.text)))
}

func fillChar(v Value) *Str {
	s, ok := v.(*Str)
	if !ok {
		throw(typeType, "The fill character must be a unicode character, not %s", v.typeName())
	}
	if s.length() != 1 {
		throw(typeType, "The fill character must be exactly one character long")
	}
	return s
}

// pad adds left and right fill characters.
func (rt *runtime) pad(s *Str, left, right int, fill *Str) *Str {
	left, right = max(left, 0), max(right, 0)
	if left+right == 0 {
		return s
	}
	rt.make(len(s.text) + saturate(int64(left)+int64(right), int64(len(fill.text))))
	out := joinStrs(emptyStr, []*Str{repeatStr(fill, left), s, repeatStr(fill, right)})
	out.markup = s.markup
	return out
}

// center puts the odd fill character where Python does.
func (rt *runtime) center(s *Str, width int, fill *Str) *Str {
	n := width - s.length()
	if n <= 0 {
		return s
	}
	left := n/2 + n&width&1
	return rt.pad(s, left, n-left, fill)
}

func (rt *runtime) zfill(s *Str, width int) Value {
	n := width - s.length()
	if n <= 0 {
		return s
	}
	sign := 0
	if s.text != "" && (s.text[0] == '+' || s.text[0] == '-') {
		sign = 1
	}
	rt.make(len(s.text) + min(n, math.MaxInt32))
	return joinStrs(emptyStr, []*Str{s.slice(0, sign), trusted(strings.Repeat("0", n)), s.slice(sign, len(s.text))})
}
