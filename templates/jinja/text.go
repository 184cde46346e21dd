package jinja

import "strings"

// Origin says where a piece of text came from. A caller who wants to know which content it was
// marks strings with values of its own above [Content]; nothing here asks for more than whether
// two are equal.
type Origin uint32

const (
	// Trusted text was written by the template, or given by the caller as part of it (a bos
	// token).
	Trusted Origin = iota
	// Content was given by whoever wrote the conversation: plain text, whatever it spells.
	Content
)

// Span is a stretch of the output of one origin, in bytes: Text[Start:End].
type Span struct {
	Start, End int32
	Origin     Origin
}

// Str is a string that knows where each of its bytes came from.
type Str struct {
	text string
	// runs are the origins in order, each up to its end, covering text without gaps; nil when
	// all is of one origin.
	runs   []run
	origin Origin // of the whole where runs is nil
	// markup is set by the filters safe and escape: what is added to such a text is escaped
	// first.
	markup bool
}

type run struct {
	end    int
	origin Origin
}

// NewString makes a string of one origin. Bytes that are not UTF-8 become U+FFFD: strings are of
// characters here, as in Python.
func NewString(text string, origin Origin) *Str {
	return &Str{text: strings.ToValidUTF8(text, "\uFFFD"), origin: origin}
}

// String returns the text without its origin.
func (s *Str) String() string { return s.text }

func (*Str) typeName() string { return "str" }

// trusted makes a string of the template's own.
func trusted(text string) *Str { return &Str{text: text} }

var emptyStr = trusted("")

// slice returns the bytes from i to j with their origins.
func (s *Str) slice(i, j int) *Str {
	if i == 0 && j == len(s.text) {
		return s
	}
	if s.runs == nil {
		return &Str{text: s.text[i:j], origin: s.origin, markup: s.markup}
	}
	var b textBuilder
	s.eachRun(i, j, func(from, _ int, o Origin) { b.turnAt(o, from-i) })
	out := b.of(s.text[i:j])
	out.markup = s.markup
	return out
}

// eachRun calls f for the stretches of one origin between bytes i and j.
func (s *Str) eachRun(i, j int, f func(from, to int, o Origin)) {
	if s.runs == nil {
		if i < j {
			f(i, j, s.origin)
		}
		return
	}
	from := 0
	for _, r := range s.runs {
		lo, hi := max(from, i), min(r.end, j)
		if lo < hi {
			f(lo, hi, r.origin)
		}
		from = r.end
	}
}

// originAt is the origin of the byte at i; an empty string has the origin of its maker.
func (s *Str) originAt(i int) Origin {
	for _, r := range s.runs {
		if i < r.end {
			return r.origin
		}
	}
	return s.origin
}

// mapText applies f to each stretch of one origin.
func (s *Str) mapText(f func(string) string) *Str {
	if s.runs == nil {
		text := f(s.text)
		if text == s.text {
			return s
		}
		return &Str{text: text, origin: s.origin, markup: s.markup}
	}
	var b textBuilder
	s.eachRun(0, len(s.text), func(i, j int, o Origin) { b.write(f(s.text[i:j]), o) })
	out := b.str()
	out.markup = s.markup
	return out
}

// textBuilder collects text with its origin.
type textBuilder struct {
	buf  []byte
	runs []run // closed stretches
	cur  Origin
}

// write appends text of one origin.
func (b *textBuilder) write(text string, o Origin) {
	if text == "" {
		return
	}
	b.turn(o)
	b.buf = append(b.buf, text...)
}

// turn closes the current stretch if what follows is of another origin.
func (b *textBuilder) turn(o Origin) { b.turnAt(o, len(b.buf)) }

func (b *textBuilder) turnAt(o Origin, at int) {
	if b.cur != o && at > 0 {
		b.runs = append(b.runs, run{at, b.cur})
	}
	b.cur = o
}

// add appends a string with its origins.
func (b *textBuilder) add(s *Str) {
	if s.runs == nil {
		b.write(s.text, s.origin)
		return
	}
	b.addSlice(s, 0, len(s.text))
}

// addSlice appends the bytes of s from i to j with their origins.
func (b *textBuilder) addSlice(s *Str, i, j int) {
	s.eachRun(i, j, func(from, to int, o Origin) { b.write(s.text[from:to], o) })
}

// str returns what was collected; the builder may be reset and used again.
func (b *textBuilder) str() *Str {
	return b.of(string(b.buf))
}

// of makes the string of a text in the stretches that were noted.
func (b *textBuilder) of(text string) *Str {
	s := &Str{text: text, origin: b.cur}
	if len(b.runs) > 0 {
		s.runs = append(append(make([]run, 0, len(b.runs)+1), b.runs...), run{len(text), b.cur})
	}
	return s
}

// neutral appends text that belongs to whatever stands before it: the punctuation that tojson and
// repr write.
func (b *textBuilder) neutral(text string) { b.buf = append(b.buf, text...) }

// reset empties the builder for another use.
func (b *textBuilder) reset() {
	b.buf, b.runs, b.cur = b.buf[:0], b.runs[:0], Trusted
}

// output returns what was collected as the result of a rendering.
func (b *textBuilder) output() Output {
	out := Output{Text: string(b.buf)}
	out.Spans = make([]Span, 0, len(b.runs)+1)
	start := 0
	for _, r := range append(b.runs, run{len(b.buf), b.cur}) {
		if r.end > start {
			out.Spans = append(out.Spans, Span{int32(start), int32(r.end), r.origin})
		}
		start = r.end
	}
	return out
}

// Concat joins strings; each part keeps its origins.
func Concat(parts ...*Str) *Str { return joinStrs(emptyStr, parts) }

// joinStrs concatenates parts with sep between them.
func joinStrs(sep *Str, parts []*Str) *Str {
	if len(parts) == 1 {
		return parts[0]
	}
	size := 0
	for _, p := range parts {
		size += len(p.text) + len(sep.text)
	}
	var b textBuilder
	var text strings.Builder
	text.Grow(size)
	for i, p := range parts {
		if i > 0 {
			b.follow(sep, text.Len())
			text.WriteString(sep.text)
		}
		b.follow(p, text.Len())
		text.WriteString(p.text)
	}
	return b.of(text.String())
}

// follow notes the origins of what comes next, at the offset at.
func (b *textBuilder) follow(s *Str, at int) {
	if s.runs == nil && s.text != "" {
		b.turnAt(s.origin, at)
		return
	}
	s.eachRun(0, len(s.text), func(from, _ int, o Origin) { b.turnAt(o, at+from) })
}

// repeatStr is s, n times.
func repeatStr(s *Str, n int) *Str {
	if s.runs == nil {
		return &Str{text: strings.Repeat(s.text, n), origin: s.origin}
	}
	var b textBuilder
	for range n {
		b.add(s)
	}
	return b.str()
}
