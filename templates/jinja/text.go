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
	// runs are the origins in order, each up to its end, covering text without gaps; nil when all
	// is of one origin.
	runs   []run
	origin Origin // of the whole where runs is nil
	markup bool   // Markup: already escaped, see filter escape
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

func (s *Str) typeName() string {
	if s.markup {
		return "Markup"
	}
	return "str"
}

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
	out := &Str{text: s.text[i:j], markup: s.markup}
	s.eachRun(i, j, func(from, to int, o Origin) { out.runs = append(out.runs, run{to - i, o}) })
	return out.settle()
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

// settle drops runs that say nothing more than one origin would.
func (s *Str) settle() *Str {
	if len(s.runs) <= 1 {
		if len(s.runs) == 1 {
			s.origin = s.runs[0].origin
		}
		s.runs = nil
	}
	return s
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
func (b *textBuilder) turn(o Origin) {
	if b.cur == o {
		return
	}
	if len(b.buf) > 0 {
		b.runs = append(b.runs, run{len(b.buf), b.cur})
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

// str returns what was collected as a string and leaves the builder unusable.
func (b *textBuilder) str() *Str {
	s := &Str{text: string(b.buf), origin: b.cur}
	if len(b.runs) > 0 {
		s.runs = append(b.runs, run{len(b.buf), b.cur})
	}
	return s.settle()
}

// neutral appends text that belongs to whatever stands before it: the punctuation that tojson and
// repr write.
func (b *textBuilder) neutral(text string) { b.buf = append(b.buf, text...) }

// copyStr returns what was collected and leaves the builder to be reset and used again.
func (b *textBuilder) copyStr() *Str {
	s := &Str{text: string(b.buf), origin: b.cur}
	if len(b.runs) > 0 {
		s.runs = append(append(make([]run, 0, len(b.runs)+1), b.runs...), run{len(b.buf), b.cur})
	}
	return s.settle()
}

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

// joinStrs concatenates parts with sep between them.
func joinStrs(sep *Str, parts []*Str) *Str {
	if len(parts) == 1 {
		return parts[0]
	}
	size := 0
	var o origins
	for _, p := range parts {
		size += len(p.text) + len(sep.text)
		o.most += len(p.runs) + len(sep.runs) + 2
	}
	var text strings.Builder
	text.Grow(size)
	for i, p := range parts {
		if i > 0 && sep.text != "" {
			o.follow(sep, text.Len())
			text.WriteString(sep.text)
		}
		o.follow(p, text.Len())
		text.WriteString(p.text)
	}
	return o.of(text.String())
}

// origins collects the runs of strings that follow each other.
type origins struct {
	runs []run
	cur  Origin
	most int // how many runs there can be
}

// follow notes that s comes next, at the offset at.
func (o *origins) follow(s *Str, at int) {
	if s.runs == nil {
		o.turn(s.origin, at, len(s.text))
		return
	}
	from := 0
	for _, r := range s.runs {
		o.turn(r.origin, at+from, r.end-from)
		from = r.end
	}
}

func (o *origins) turn(origin Origin, at, n int) {
	if n == 0 || origin == o.cur {
		return
	}
	if at > 0 {
		if o.runs == nil {
			o.runs = make([]run, 0, o.most)
		}
		o.runs = append(o.runs, run{at, o.cur})
	}
	o.cur = origin
}

// of makes the string of the whole text.
func (o *origins) of(text string) *Str {
	s := &Str{text: text, origin: o.cur}
	if len(o.runs) > 0 {
		s.runs = append(o.runs, run{len(text), o.cur})
	}
	return s
}

// repeatStr is s, n times.
func repeatStr(s *Str, n int) *Str {
	if s.runs == nil {
		return &Str{text: strings.Repeat(s.text, n), origin: s.origin, markup: s.markup}
	}
	var b textBuilder
	for range n {
		b.add(s)
	}
	out := b.str()
	out.markup = s.markup
	return out
}
