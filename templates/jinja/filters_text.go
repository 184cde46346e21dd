package jinja

import (
	"strings"
)

// filterTitle is Jinja2's own title: words begin after whitespace, brackets and hyphens only.
func filterTitle(rt *runtime, a []Value) Value {
	s := rt.softStr(a[0])
	rt.make(len(s.text))
	rt.letters(s)
	starts := true
	out := s.mapText(func(text string) string {
		var b strings.Builder
		word := strings.Builder{}
		flush := func() {
			b.WriteString(lower(word.String()))
			word.Reset()
		}
		for _, r := range text {
			switch {
			case isSpace(r) || strings.ContainsRune("-({[<", r):
				flush()
				b.WriteRune(r)
				starts = true
			case starts:
				b.WriteString(upperRune(r))
				starts = false
			default:
				word.WriteRune(r)
			}
		}
		flush()
		return b.String()
	})
	return out.plain()
}

func filterTrim(rt *runtime, a []Value) Value {
	return rt.strip(rt.softStr(a[0]), a[1], true, true)
}

func filterTruncate(rt *runtime, a []Value) Value {
	end, ok := a[3].(*Str)
	if !ok {
		throw(typeType, "object of type '%s' has no len()", a[3].typeName())
	}
	most, leeway := Value(a[1]), Value(Int(5))
	if a[4] != None {
		leeway = a[4]
	}
	if !rt.compare(relGreaterEqual, most, Int(end.length())) {
		throw(typeAssertion, "expected length >= %d, got %s", end.length(), rt.str(most).text)
	}
	if !rt.compare(relGreaterEqual, leeway, Int(0)) {
		throw(typeAssertion, "expected leeway >= 0, got %s", rt.str(leeway).text)
	}
	n, ok := length(a[0])
	if !ok {
		throw(typeType, "object of type '%s' has no len()", a[0].typeName())
	}
	if rt.compare(relLessEqual, Int(n), rt.binary("+", most, leeway)) {
		return a[0]
	}
	cut := rt.slice(a[0], None, rt.binary("-", most, Int(end.length())), None)
	if rt.truth(a[2]) {
		return rt.binary("+", cut, end)
	}
	s, ok := cut.(*Str)
	if !ok {
		noAttribute(cut, "rsplit")
	}
	if i := strings.LastIndexByte(s.text, ' '); i >= 0 {
		s = s.slice(0, i)
	}
	return rt.concat(s, end)
}

func filterIndent(rt *runtime, a []Value) Value {
	indent, ok := a[1].(*Str)
	if !ok {
		indent = rt.binary("*", trusted(" "), a[1]).(*Str)
	}
	s, ok := a[0].(*Str)
	if _, list := a[0].(*List); list {
		throw(typeAttribute, "'list' object has no attribute 'splitlines'")
	}
	if !ok {
		mustDefined(a[0])
		if _, tuple := tupleItems(a[0]); tuple {
			throw(typeType, `can only concatenate tuple (not "str") to tuple`)
		}
		throw(typeType, "unsupported operand type(s) for +=: '%s' and 'str'", a[0].typeName())
	}
	newline := trusted("\n")
	rt.words(s)
	lines := rt.concat(s, newline).lines(false)
	rt.make(len(s.text) + saturate(int64(len(lines)), int64(len(indent.text)+1)))
	var b textBuilder
	for i, line := range lines {
		if i > 0 {
			b.add(newline)
		}
		if i == 0 && rt.truth(a[2]) || i > 0 && (line.text != "" || rt.truth(a[3])) {
			b.add(indent)
		}
		b.add(line)
	}
	out := b.str()
	out.markup = s.markup
	return out
}

func filterWordCount(rt *runtime, a []Value) Value {
	s := rt.softStr(a[0])
	rt.make(len(s.text))
	rt.letters(s)
	return Int(len(strings.FieldsFunc(s.text, func(r rune) bool { return !isNameRune(r) })))
}

// noAttribute fails as a filter does that uses an attribute of its value without asking.
func noAttribute(v Value, name string) {
	if _, ok := v.(*namespace); ok {
		throw(typeAttribute, "%s", name)
	}
	throw(typeAttribute, "'%s' object has no attribute '%s'", v.typeName(), name)
}
