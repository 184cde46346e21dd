package jinja

import "strings"

// strMethod is a method of str.
type strMethod struct {
	sig signature
	fn  func(rt *runtime, s *Str, a []Value) Value
}

var strMethods = map[string]*strMethod{}

func init() {
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
		return rt.strList(s.lines(wantCInt(a[0]) != 0))
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
}

func (m *strMethod) call(rt *runtime, s *Str, a *callArgs) Value {
	rt.scan(s)
	rt.scanAll(a.pos)
	v := m.fn(rt, s, m.signature(s).bind(a))
	rt.releaseArgs(a)
	return v
}

// signature is the method's own, or Markup's, which is written in Python and refuses arguments in
// other words.
func (m *strMethod) signature(s *Str) signature {
	if !s.markup || m.sig.search || strTests[m.sig.name] != nil {
		return m.sig
	}
	in := m.sig
	in.name, in.native, in.hidden = "Markup."+in.name, "", 1
	return in
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
