package jinja

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
	rt.letters(s)
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

// window returns the byte offsets of the part of s that start and end choose; ok is false where
// start is behind the end.
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
		rt.scan(p)
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
		if sep.markup {
			throw(typeType, "'%s' object is not iterable", v.typeName())
		}
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

// partition cuts s at the place that index finds; where there is none, whole says how to return
// all of s.
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
