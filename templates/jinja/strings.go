package jinja

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSpace is Python's str.isspace of one character.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// strip cuts whitespace, or the characters of a set, from the ends of a text.
func (rt *runtime) strip(s *Str, chars Value, left, right bool) Value {
	is := isSpace
	if chars != None {
		set := wantStr(chars).text
		if is = func(r rune) bool { return strings.ContainsRune(set, r) }; len(set) > 16 {
			in := map[rune]bool{}
			for _, r := range set {
				in[r] = true
			}
			is = func(r rune) bool { return in[r] }
		}
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

// window is the part of a text that a method's start and end choose, its third and fourth
// arguments.
func (rt *runtime) window(a []Value) *Str {
	s := a[0].(*Str)
	rt.spend(1 + len(s.text)/bytesPerStep)
	if a[2] == None && a[3] == None {
		return s
	}
	return rt.sliceStr(s, a[2], a[3], None)
}

// affix is startswith or endswith, of one text or one of a tuple.
func affix(has func(s, affix string) bool) *native {
	return fn("self affix start end", func(rt *runtime, a []Value) Value {
		affixes := []Value{a[1]}
		if l, ok := a[1].(*List); ok && l.kind == isTuple {
			affixes = l.items
		}
		text := a[0].(*Str).text
		if a[2] != None || a[3] != None {
			text = rt.window(a).text
		}
		return Bool(slices.ContainsFunc(affixes, func(v Value) bool {
			rt.spend(1)
			rt.scan(v)
			return has(text, wantStr(v).text)
		}))
	}, None, None)
}

// search is a method that finds where a text is, in characters; must fails where it is not,
// instead of returning -1.
func search(index func(s, sub string) int, must bool) *native {
	return fn("self sub start end", func(rt *runtime, a []Value) Value {
		in := rt.window(a)
		at := index(in.text, wantStr(a[1]).text)
		if at < 0 {
			if must {
				throw(typeValue, "substring not found")
			}
			return Int(-1)
		}
		from, _, _ := span(a[0].(*Str).length(), a[2], None, None)
		return Int(from + utf8.RuneCountInString(in.text[:at]))
	}, None, None)
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
	return b.str()
}

func strJoin(rt *runtime, a []Value) Value {
	sep := a[0].(*Str)
	list := rt.items(a[1])
	parts := make([]*Str, len(list))
	n := 0
	for i, it := range list {
		parts[i] = wantStr(it)
		n += len(parts[i].text) + len(sep.text)
		rt.fits(n)
	}
	rt.spend(len(list))
	rt.make(n)
	return joinStrs(sep, parts)
}

// pieces makes a list of parts of a text.
func (rt *runtime) pieces(parts []*Str) Value {
	out := make([]Value, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	return rt.newList(isList, out)
}

// separator is what a text is split at.
func separator(v Value) string {
	sep := wantStr(v).text
	if sep == "" {
		throw(typeValue, "empty separator")
	}
	return sep
}

// split is s.split(sep, n): at each sep from the left, or at whitespace.
func (rt *runtime) split(s *Str, sep Value, n int) Value {
	rt.spend(1 + len(s.text)/bytesPerStep)
	if sep == None {
		words := rt.words(s)
		if n >= 0 && len(words) > n {
			rest := s.slice(words[n][0], len(s.text))
			return rt.pieces(append(s.slices(words[:n]), rest))
		}
		return rt.pieces(s.slices(words))
	}
	by := separator(sep)
	var parts []*Str
	at := 0
	for n < 0 || len(parts) < n {
		i := strings.Index(s.text[at:], by)
		if i < 0 {
			break
		}
		rt.spend(itemSteps)
		parts = append(parts, s.slice(at, at+i))
		at += i + len(by)
	}
	return rt.pieces(append(parts, s.slice(at, len(s.text))))
}

// rsplit is s.rsplit(sep, n), from the right.
func (rt *runtime) rsplit(s *Str, sep Value, n int) Value {
	rt.spend(1 + len(s.text)/bytesPerStep)
	if sep == None {
		words := rt.words(s)
		if skip := len(words) - n; n >= 0 && skip > 0 {
			rest := s.slice(0, words[skip-1][1])
			return rt.pieces(append([]*Str{rest}, s.slices(words[skip:])...))
		}
		return rt.pieces(s.slices(words))
	}
	by := separator(sep)
	var parts []*Str
	end := len(s.text)
	for n < 0 || len(parts) < n {
		i := strings.LastIndex(s.text[:end], by)
		if i < 0 {
			break
		}
		rt.spend(itemSteps)
		parts = append(parts, s.slice(i+len(by), end))
		end = i
	}
	parts = append(parts, s.slice(0, end))
	slices.Reverse(parts)
	return rt.pieces(parts)
}

// words are the places of what whitespace separates.
func (rt *runtime) words(s *Str) (places [][2]int) {
	at := 0
	for {
		at = len(s.text) - len(strings.TrimLeftFunc(s.text[at:], isSpace))
		if at == len(s.text) {
			return places
		}
		end := len(s.text)
		if i := strings.IndexFunc(s.text[at:], isSpace); i >= 0 {
			end = at + i
		}
		rt.spend(itemSteps)
		places = append(places, [2]int{at, end})
		at = end
	}
}

func (s *Str) slices(places [][2]int) []*Str {
	out := make([]*Str, len(places))
	for i, p := range places {
		out[i] = s.slice(p[0], p[1])
	}
	return out
}

func partition(rt *runtime, a []Value) Value { return rt.cut(a, strings.Index, false) }

func rpartition(rt *runtime, a []Value) Value { return rt.cut(a, strings.LastIndex, true) }

// cut cuts a text at the place that index finds; where there is none, all of it is the last or the
// first of the three parts.
func (rt *runtime) cut(a []Value, index func(s, sub string) int, last bool) Value {
	s, sep := a[0].(*Str), separator(a[1])
	rt.spend(1 + len(s.text)/bytesPerStep)
	switch i := index(s.text, sep); {
	case i >= 0:
		return newTuple(s.slice(0, i), s.slice(i, i+len(sep)), s.slice(i+len(sep), len(s.text)))
	case last:
		return newTuple(s.slice(0, 0), s.slice(0, 0), s)
	}
	return newTuple(s, s.slice(0, 0), s.slice(0, 0))
}

// lines is s.splitlines(keep).
func (rt *runtime) lines(s *Str, keep bool) (out []*Str) {
	for at := 0; at < len(s.text); {
		rt.spend(itemSteps)
		i := strings.IndexFunc(s.text[at:], func(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) })
		if i < 0 {
			return append(out, s.slice(at, len(s.text)))
		}
		i += at
		_, size := utf8.DecodeRuneInString(s.text[i:])
		if strings.HasPrefix(s.text[i:], "\r\n") {
			size = 2
		}
		end := i
		if keep {
			end += size
		}
		out = append(out, s.slice(at, end))
		at = i + size
	}
	return out
}
