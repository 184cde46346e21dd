package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// methodsOf are the methods of a value, by name. A nil one is that of a dict by which Python would
// change it, which the immutable sandbox withholds: its name is no key of the dict's either.
func methodsOf(v Value) map[string]*native {
	switch v := v.(type) {
	case *Str:
		return strMethods
	case *Dict:
		return dictMethods
	case *List:
		if v.ordinary() {
			return listMethods
		}
	}
	return nil
}

var strMethods, dictMethods, listMethods map[string]*native

func init() {
	dictMethods = named(map[string]*native{
		"get": fn("self key default", func(rt *runtime, a []Value) Value {
			if v, ok := a[0].(*Dict).get(rt.hashable(a[1])); ok {
				return v
			}
			return a[2]
		}, None),
		"items":  listing(isItems),
		"keys":   listing(isKeys),
		"values": listing(isValues),
		"copy":   fn("self", func(rt *runtime, a []Value) Value { return rt.nest(a[0].(*Dict).clone()) }),
	})
	for _, withheld := range []string{"clear", "pop", "popitem", "setdefault", "update"} {
		dictMethods[withheld] = nil
	}
	listMethods = named(map[string]*native{
		"copy":  fn("self", func(_ *runtime, a []Value) Value { return a[0] }),
		"count": fn("self value", func(rt *runtime, a []Value) Value { return Int(len(rt.places(a[0], a[1]))) }),
		"index": fn("self value", func(rt *runtime, a []Value) Value {
			at := rt.places(a[0], a[1])
			if len(at) == 0 {
				throw(typeValue, "%s is not in list", rt.repr(a[1]).text)
			}
			return Int(at[0])
		}),
	})
	strMethods = named(map[string]*native{
		"capitalize": fn("self", func(rt *runtime, a []Value) Value { return rt.capitalize(a[0].(*Str)) }),
		"lower":      mapped(lower), "upper": mapped(upper),
		"title": fn("self", func(rt *runtime, a []Value) Value {
			return rt.mapStr(a[0].(*Str), titled(func(r rune) bool { return !unicode.In(r, unicode.Upper, unicode.Lower, unicode.Title) }))
		}),
		"isalpha": every(unicode.IsLetter), "isdigit": every(unicode.IsDigit), "isspace": every(isSpace),
		"strip": stripping(true, true), "lstrip": stripping(true, false), "rstrip": stripping(false, true),
		"removeprefix": fn("self prefix", func(_ *runtime, a []Value) Value {
			s, prefix := a[0].(*Str), wantStr(a[1]).text
			return s.slice(len(s.text)-len(strings.TrimPrefix(s.text, prefix)), len(s.text))
		}),
		"removesuffix": fn("self suffix", func(_ *runtime, a []Value) Value {
			s, suffix := a[0].(*Str), wantStr(a[1]).text
			return s.slice(0, len(strings.TrimSuffix(s.text, suffix)))
		}),
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"find": search(strings.Index, false), "index": search(strings.Index, true),
		"rfind": search(strings.LastIndex, false), "rindex": search(strings.LastIndex, true),
		"count": fn("self sub start end", func(rt *runtime, a []Value) Value {
			return Int(strings.Count(rt.window(a).text, wantStr(a[1]).text))
		}, None, None),
		"replace": fn("self old new count", func(rt *runtime, a []Value) Value {
			return rt.replace(a[0].(*Str), wantStr(a[1]), wantStr(a[2]), wantInt(a[3]))
		}, Int(-1)),
		"split":     fn("self sep maxsplit", func(rt *runtime, a []Value) Value { return rt.split(a[0].(*Str), a[1], wantInt(a[2])) }, None, Int(-1)),
		"rsplit":    fn("self sep maxsplit", func(rt *runtime, a []Value) Value { return rt.rsplit(a[0].(*Str), a[1], wantInt(a[2])) }, None, Int(-1)),
		"partition": fn("self sep", partition), "rpartition": fn("self sep", rpartition),
		"splitlines": fn("self keepends", func(rt *runtime, a []Value) Value { return rt.pieces(rt.lines(a[0].(*Str), truthy(a[1]))) }, Bool(false)),
		"join":       fn("self iterable", strJoin),
	})
}

func listing(kind listKind) *native {
	return fn("self", func(rt *runtime, a []Value) Value { return rt.listing(a[0].(*Dict), kind) })
}

// places are the indices of a value in a list.
func (rt *runtime) places(list, v Value) (at []int) {
	for i, it := range list.(*List).items {
		if rt.equal(it, v) {
			at = append(at, i)
		}
	}
	return at
}

// mapped is a method that writes a text anew.
func mapped(f func(string) string) *native {
	return fn("self", func(rt *runtime, a []Value) Value { return rt.mapStr(a[0].(*Str), f) })
}

// mapStr writes a text anew, stretch by stretch of one origin.
func (rt *runtime) mapStr(s *Str, f func(string) string) *Str {
	rt.make(len(s.text))
	rt.letters(s)
	return s.mapText(f)
}

// upper and lower know the letters whose other case is more than one letter, or depends on what
// stands beside them.
func upper(s string) string { return cased(s, strings.ToUpper, cases.Upper) }

func lower(s string) string { return cased(s, strings.ToLower, cases.Lower) }

func cased(s string, ascii func(string) string, caser func(language.Tag, ...cases.Option) cases.Caser) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return ascii(s)
	}
	return caser(language.Und).String(s)
}

// every asks whether a text is not empty and f holds for all of it.
func every(f func(rune) bool) *native {
	return fn("self", func(rt *runtime, a []Value) Value {
		s := a[0].(*Str)
		rt.letters(s)
		return Bool(s.text != "" && strings.TrimLeftFunc(s.text, f) == "")
	})
}

func (rt *runtime) capitalize(s *Str) *Str {
	_, first := utf8.DecodeRuneInString(s.text)
	head, rest := s.slice(0, first), s.slice(first, len(s.text))
	return joinStrs(emptyStr, []*Str{rt.mapStr(head, upper), rt.mapStr(rest, lower)})
}

// titled returns what writes in capitals each letter that follows a separating one.
func titled(separates func(rune) bool) func(string) string {
	starts := true
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			was := starts
			if starts = separates(r); was {
				return unicode.ToTitle(r)
			}
			return unicode.ToLower(r)
		}, s)
	}
}

// stripping is a method that cuts characters from the ends of a text.
func stripping(left, right bool) *native {
	return fn("self chars", func(rt *runtime, a []Value) Value { return rt.strip(a[0].(*Str), a[1], left, right) }, None)
}

// fill is a character, n times.
func (rt *runtime) fill(char *Str, n int) *Str {
	rt.make(saturate(int64(max(n, 0)), int64(len(char.text))))
	return repeatStr(char, max(n, 0))
}
