package jinja

import (
	"slices"
	"unicode/utf8"
)

// depthOf is how deeply a container that templates made is nested.
func depthOf(v Value) int {
	switch v := v.(type) {
	case *List:
		return v.depth
	case *Dict:
		return v.depth
	}
	return 0
}

// newList makes a list of a kind, and refuses what could not be printed or compared without
// exhausting the stack.
func (rt *runtime) newList(kind listKind, list []Value) *List {
	rt.spend(1 + itemSteps*len(list))
	d := 0
	for _, it := range list {
		d = max(d, depthOf(it))
	}
	if d >= maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
	return &List{items: list, depth: d + 1, kind: kind}
}

// nest sets the depth of a dict that was just made.
func (rt *runtime) nest(d *Dict) *Dict {
	rt.spend(1 + entrySteps*len(d.entries))
	d.depth = 0
	for _, e := range d.entries {
		d.depth = max(d.depth, depthOf(e.key), depthOf(e.value))
	}
	if d.depth++; d.depth > maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
	return d
}

// listing lists a dict's keys, values or items.
func (rt *runtime) listing(d *Dict, kind listKind) *List {
	rt.spend(itemSteps * len(d.entries))
	out := make([]Value, len(d.entries))
	pairs := make([]Value, 2*len(d.entries))
	for i, e := range d.entries {
		switch kind {
		case isKeys:
			out[i] = e.key
		case isValues:
			out[i] = e.value
		default:
			pair := pairs[2*i : 2*i+2 : 2*i+2]
			pair[0], pair[1] = e.key, e.value
			out[i] = &List{items: pair, depth: d.depth, kind: isTuple}
		}
	}
	return &List{items: out, depth: d.depth, kind: kind}
}

// span is a slice's bounds over n items, as Python's slice.indices returns them.
func span(n int, start, stop, step Value) (from, to, by int) {
	by = 1
	if step != None {
		by = sliceBound(step)
	}
	if by == 0 {
		throw(typeValue, "slice step cannot be zero")
	}
	low, high := 0, n
	if by < 0 {
		low, high = -1, n-1
	}
	bound := func(v Value, none int) int {
		if v == None {
			return none
		}
		i := sliceBound(v)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	if by < 0 {
		return bound(start, high), bound(stop, low), by
	}
	return bound(start, low), bound(stop, high), by
}

// sliceBound converts a bound; one that is far away is as good as the nearest that matters.
func sliceBound(v Value) int {
	const far = 1 << 50
	return min(max(wantInt(v), -far), far)
}

// slice is v[start:stop:step].
func (rt *runtime) slice(v Value, start, stop, step Value) Value {
	mustDefined(v)
	if s, ok := v.(*Str); ok {
		return rt.sliceStr(s, start, stop, step)
	}
	l, ok := v.(*List)
	if r, isRange := v.(*rangeValue); isRange {
		l, ok = NewList(rt.items(r)...), true
	}
	if !ok || !l.ordinary() {
		throw(typeType, "'%s' object is not subscriptable", v.typeName())
	}
	from, to, by := span(len(l.items), start, stop, step)
	rt.spend(1)
	if by == 1 {
		return &List{items: l.items[from:max(from, to):max(from, to)], depth: l.depth, kind: l.kind}
	}
	var out []Value
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		rt.spend(itemSteps)
		out = append(out, l.items[i])
	}
	return &List{items: out, depth: l.depth, kind: l.kind}
}

func (rt *runtime) sliceStr(s *Str, start, stop, step Value) *Str {
	rt.spend(1 + len(s.text)/bytesPerStep)
	chars := s.index()
	from, to, by := span(chars.n, start, stop, step)
	if by == 1 {
		return s.slice(chars.at(from), chars.at(max(from, to)))
	}
	rt.make(len(s.text))
	var b textBuilder
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		b.addSlice(s, chars.at(i), chars.at(i+1))
	}
	return b.str()
}

// charIndex finds characters by number.
type charIndex struct {
	n       int
	offsets []int // of the characters and of the end; nil where each character is one byte
}

func (s *Str) index() charIndex {
	n := s.length()
	if n == len(s.text) {
		return charIndex{n: n}
	}
	offsets := make([]int, 0, n+1)
	for i := range s.text {
		offsets = append(offsets, i)
	}
	return charIndex{n, append(offsets, len(s.text))}
}

// at is the byte offset of the character i, or of the end.
func (c charIndex) at(i int) int {
	if c.offsets == nil {
		return i
	}
	return c.offsets[i]
}

// length is the number of characters.
func (s *Str) length() int { return utf8.RuneCountInString(s.text) }

// length is Python's len, where v has one.
func length(v Value) (int, bool) {
	switch v := v.(type) {
	case *List:
		return len(v.items), true
	case *Str:
		return v.length(), true
	case *Dict:
		return v.Len(), true
	case *rangeValue:
		return v.n, true
	case *loopValue:
		return v.count(), true
	}
	return 0, isUndefined(v)
}

// add concatenates sequences.
func (rt *runtime) add(a, b Value) Value {
	switch x := a.(type) {
	case *Str:
		if y, ok := b.(*Str); ok {
			if x.markup || y.markup {
				return safe(rt.joined([]*Str{rt.escape(x), rt.escape(y)}))
			}
			return rt.joined([]*Str{x, y})
		}
	case *List:
		if y, ok := b.(*List); ok && x.ordinary() && x.kind == y.kind {
			rt.spend(len(x.items) + len(y.items))
			return rt.newList(x.kind, slices.Concat(x.items, y.items))
		}
	}
	throw(typeType, "unsupported operand type(s) for +: '%s' and '%s'", a.typeName(), b.typeName())
	return nil
}

// repeat is a sequence times an int, in either order.
func (rt *runtime) repeat(a, b Value) Value {
	if isInt(a) {
		a, b = b, a
	}
	n, ok := asInt(b)
	n = max(n, 0)
	switch seq := a.(type) {
	case *Str:
		if ok {
			rt.make(saturate(int64(len(seq.text)), n))
			return repeatStr(seq, int(n))
		}
	case *List:
		if ok && seq.ordinary() {
			rt.spend(saturate(int64(len(seq.items)), n))
			if len(seq.items) == 0 {
				n = 0
			}
			return rt.newList(seq.kind, slices.Repeat(seq.items, int(n)))
		}
	}
	throw(typeType, "unsupported operand type(s) for *: '%s' and '%s'", a.typeName(), b.typeName())
	return nil
}

// saturate multiplies two sizes without overflow.
func saturate(a, b int64) int {
	const most = 1 << 40
	if a == 0 || b == 0 {
		return 0
	}
	if a > most || b > most/a {
		return most
	}
	return int(a * b)
}
