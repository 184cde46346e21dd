package jinja

import "unicode/utf8"

// depthOf is how deeply a container that templates made is nested.
func depthOf(v Value) int {
	switch v := v.(type) {
	case *List:
		return v.depth
	case *Tuple:
		return v.depth
	case *groupTuple:
		return v.depth
	case *Dict:
		return v.depth
	}
	return 0
}

// deepen returns the depth of a container of these items, and refuses what could not be printed or
// compared without exhausting the stack.
func (rt *runtime) deepen(list []Value) int {
	rt.spend(1 + itemSteps*len(list))
	d := 0
	for _, it := range list {
		d = max(d, depthOf(it))
	}
	if d >= maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
	return d + 1
}

func (rt *runtime) newList(list []Value) *List { return &List{items: list, depth: rt.deepen(list)} }

func (rt *runtime) tuple(list []Value) *Tuple { return &Tuple{items: list, depth: rt.deepen(list)} }

// nest sets the depth of a dict that was just made.
func (rt *runtime) nest(d *Dict, n int) {
	rt.spend(1 + entrySteps*n)
	for _, e := range d.entries {
		d.depth = max(d.depth, depthOf(e.key), depthOf(e.value))
	}
	if d.depth++; d.depth > maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded")
	}
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

// sliceBound converts a bound, which may be any int and is then as good as the nearest that
// matters.
func sliceBound(v Value) int {
	const far = 1 << 50
	if n, ok := asInt(v); ok {
		return int(min(max(n, -far), far))
	}
	if b, ok := v.(bigInt); ok {
		return b.Sign() * far
	}
	throw(typeType, "slice indices must be integers or None or have an __index__ method")
	return 0
}

// slice is v[start:stop:step].
func (rt *runtime) slice(v Value, start, stop, step Value) Value {
	switch v := v.(type) {
	case *Str:
		return rt.sliceStr(v, start, stop, step)
	case *List:
		return &List{items: rt.pick(v.items, start, stop, step), depth: v.depth}
	case *Tuple:
		return &Tuple{items: rt.pick(v.items, start, stop, step), depth: v.depth}
	case *groupTuple:
		return &Tuple{items: rt.pick(v.items, start, stop, step), depth: v.depth}
	case *rangeValue:
		from, to, by := span(v.n, start, stop, step)
		return newRange(v.start+int64(from)*v.step, v.start+int64(to)*v.step, v.step*int64(by))
	case *undefined:
		v.fail()
	case *Dict:
		throw(typeType, "unhashable type: 'slice'")
	}
	throw(typeType, "'%s' object is not subscriptable", v.typeName())
	return nil
}

// pick returns the items of a slice: a part of the list where it is one.
func (rt *runtime) pick(list []Value, start, stop, step Value) []Value {
	from, to, by := span(len(list), start, stop, step)
	rt.spend(1)
	if by == 1 {
		return list[from:max(from, to):max(from, to)]
	}
	var out []Value
	for i := from; by > 0 && i < to || by < 0 && i > to; i += by {
		rt.spend(itemSteps)
		out = append(out, list[i])
	}
	return out
}

func (rt *runtime) sliceStr(s *Str, start, stop, step Value) Value {
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
	out := b.str()
	out.markup = s.markup
	return out
}

// newRange makes range(start, stop, step).
func newRange(start, stop, step int64) *rangeValue {
	r := &rangeValue{start: start, stop: stop, step: step}
	if step > 0 && start < stop {
		r.n = int((uint64(stop)-uint64(start)-1)/uint64(step)) + 1
	} else if step < 0 && start > stop {
		r.n = int((uint64(start)-uint64(stop)-1)/-uint64(step)) + 1
	}
	return r
}

// charIndex finds characters by number.
type charIndex struct {
	n       int
	offsets []int // of the characters and of the end; nil where each character is one byte
}

func (s *Str) index() charIndex {
	n := utf8.RuneCountInString(s.text)
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
