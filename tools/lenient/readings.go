package lenient

import (
	"bytes"
	"slices"

	"tenon/tools/peek"
)

// Shape tells which keys an object may have, and which those objects that stand in one of its
// members. A nil Shape allows all.
type Shape func(key string) (inside Shape, ok bool)

// Reading is one way to read a text in whose strings quotes are not escaped.
type Reading struct {
	JSON []byte // a list of the values, or of the calls as objects with name and arguments
	// Paired: every string holds its quotes in pairs and its brackets closed, as code and
	// prose do that are whole.
	Paired bool
	// Cut: a string with quotes in it ends before brackets are closed that it opens, as one
	// does that ends too early.
	Cut bool
	// Repairs are the rules by which it was read.
	Repairs []string
}

// maxValues bounds the values of a text, each of which costs stack.
const maxValues = 1 << 13

// maxReadings is how many readings are sought: where there are more, none is a reader's.
const maxReadings = 8

// Readings reads JSON values, one behind the other to the end of the text, in whose strings quotes
// may stand that are not escaped: it tries each quote as the end of its string behind which the
// text can go on. Readings whose strings end early come first. Only what is known to be lenient
// about is read: quotes of any kind, keys without them, Python's literals, raw line breaks;
// brackets must match. all says that there are no further readings.
func Readings(text []byte, s Shape) (found []Reading, all bool) {
	return read(text, func(r *reader) { r.values(0, s, 0) })
}

// CallReadings does the same for calls in Python, alone, in lines or in a list. call tells the
// keywords of those that may be called.
func CallReadings(text []byte, call func(name string) (Shape, bool)) (found []Reading, all bool) {
	return read(text, func(r *reader) {
		i := r.skip(0)
		r.call = call
		r.in = "\n"
		if i < len(text) && text[i] == '[' {
			r.in = "["
			i++
		}
		r.calls(i, 0)
	})
}

func read(text []byte, start func(*reader)) ([]Reading, bool) {
	const perByte, least = 64, 1 << 12
	r := &reader{text: text, out: []byte{'['}, left: least + perByte*len(text)}
	start(r)
	return r.found, r.left > 0 && len(r.found) < maxReadings
}

// reader tries all ways to read a text. What follows a value is a function, so that it can be
// tried for each end that the value may have; what was written is taken back behind it.
type reader struct {
	text  []byte
	call  func(name string) (Shape, bool) // of Python
	in    string                          // "[" or "\n": what calls stand in
	out   []byte
	odd   int      // strings with quotes or brackets that are not paired
	cut   int      // those of them that leave brackets open
	left  int      // bytes that may still be looked at
	tried int      // values, one behind the other, that the reading has so far
	rules []string // that the reading has followed so far
	found []Reading
}

// then goes on at an offset.
type then func(i int)

// write goes on with some bytes more written.
func (r *reader) write(s string, i int, next then) {
	n := len(r.out)
	r.out = append(r.out, s...)
	next(i)
	r.out = r.out[:n]
}

func (r *reader) done() bool { return r.left <= 0 || len(r.found) == maxReadings }

func (r *reader) skip(i int) int {
	for i < len(r.text) && peek.IsSpace(r.text[i]) {
		i++
		r.left--
	}
	return i
}

// byte is the byte at an offset, 0 at the end.
func (r *reader) byte(i int) byte {
	if i < len(r.text) {
		return r.text[i]
	}
	return 0
}

// finish takes a reading that has come to the end of the text.
func (r *reader) finish(i int) {
	if i < len(r.text) || r.done() {
		return
	}
	v := append(bytes.Clone(r.out), ']')
	rules := slices.Compact(slices.Sorted(slices.Values(r.rules)))
	r.found = append(r.found, Reading{JSON: v, Paired: r.odd == 0, Cut: r.cut > 0, Repairs: rules})
}

// values reads the values of the text from the n-th on.
func (r *reader) values(i int, s Shape, n int) {
	for i = r.skip(i); n > 0 && (r.byte(i) == ',' || r.byte(i) == ';'); {
		i = r.skip(i + 1)
	}
	if i == len(r.text) {
		if n > 0 {
			r.finish(i)
		}
		return
	}
	sep := ","
	if n == 0 {
		sep = ""
	}
	r.write(sep, i, func(i int) {
		r.value(i, s, func(i int) { r.values(i, s, n+1) })
	})
}

func (r *reader) value(i int, s Shape, next then) {
	i = r.skip(i)
	if r.left--; r.done() || r.tried == maxValues || i == len(r.text) {
		return
	}
	r.tried++
	defer func() { r.tried-- }()
	switch c := r.text[i]; {
	case c == '{':
		r.write("{", i+1, func(i int) { r.members(i, frame{shape: s, end: '}'}, next) })
	case c == '[':
		r.write("[", i+1, func(i int) { r.items(i, s, ']', next) })
	case c == '(' && r.call != nil:
		r.by(func() { r.write("[", i+1, func(i int) { r.items(i, s, ')', next) }) }, PythonLiteral)
	default:
		if quote := quoteOf(r.text[i:]); quote != "" {
			r.str(i, quote, next)
			return
		}
		r.word(i, next)
	}
}

// quoteOf is what closes a string that opens at the start of text, "" if none does.
func quoteOf(text []byte) string {
	if len(text) == 0 || text[0] == '\\' {
		return ""
	}
	quote, _, _ := (&Rules{}).quoteAt(text, 0, ':', true)
	return quote
}

// items reads a list behind its bracket or its comma.
func (r *reader) items(i int, s Shape, end byte, next then) {
	if i = r.skip(i); r.byte(i) == end {
		r.close("]", i+1, next)
		return
	}
	r.value(i, s, func(i int) {
		switch i = r.skip(i); r.byte(i) {
		case end:
			r.write("]", i+1, next)
		case ',':
			r.write(",", i+1, func(i int) { r.items(i, s, end, next) })
		}
	})
}

// close writes a bracket, without the comma before it.
func (r *reader) close(bracket string, i int, next then) {
	last := len(r.out) - 1
	if r.out[last] != ',' {
		r.write(bracket, i, next)
		return
	}
	r.out = r.out[:last]
	r.by(func() { r.write(bracket, i, next) }, TrailingComma)
}

// frame is an object of which some members have been read.
type frame struct {
	shape Shape
	end   byte // ')': the arguments of a call in Python
	key   string
	more  *frame // the members before
}

func (f *frame) has(key string) bool {
	for ; f != nil; f = f.more {
		if f.key == key && f.more != nil {
			return true
		}
	}
	return false
}

// members reads an object behind its bracket or a comma.
func (r *reader) members(i int, f frame, next then) {
	if i = r.skip(i); r.byte(i) == f.end {
		r.close("}", i+1, next)
		return
	}
	rules := r.keyRules(i, f)
	key, i, ok := r.key(i, f)
	if !ok || f.has(key) {
		return
	}
	var inside Shape
	if f.shape != nil {
		if inside, ok = f.shape(key); !ok {
			return
		}
	}
	r.by(func() {
		r.write(string(AppendString(nil, key))+":", i, func(i int) {
			r.value(i, inside, func(i int) {
				switch i = r.skip(i); r.byte(i) {
				case f.end:
					r.write("}", i+1, next)
				case ',':
					r.write(",", i+1, func(i int) { r.members(i, frame{f.shape, f.end, key, &f}, next) })
				}
			})
		})
	}, rules...)
}

// key reads a key and what parts it from its value. Those without quotes must be known.
func (r *reader) key(i int, f frame) (key string, next int, ok bool) {
	colon := byte(':')
	if f.end == ')' {
		colon = '='
	}
	quote := quoteOf(r.text[i:])
	from := i + len(quote)
	switch {
	case quote != "" && colon == ':' && from < len(r.text):
		n := bytes.Index(r.text[from:min(len(r.text), from+lookahead)], []byte(quote))
		if n < 0 {
			return "", 0, false
		}
		key, i = string(r.text[from:from+n]), from+n+len(quote)
	case quote != "", colon == ':' && f.shape == nil:
		return "", 0, false
	default:
		for i < len(r.text) && identPart(r.text[i]) {
			i++
		}
		key = string(r.text[from:i])
	}
	i = r.skip(i)
	return key, i + 1, key != "" && r.byte(i) == colon
}

// str reads a string: each of its quotes may be the last.
func (r *reader) str(i int, quote string, next then) {
	d := decoder{text: r.text, pos: i + len(quote)}
	var s []byte
	inner := pairs{quote: quote}
	for d.pos < len(r.text) {
		if r.left--; r.done() {
			return
		}
		switch rest := r.text[d.pos:]; {
		case bytes.HasPrefix(rest, []byte(quote)):
			if end := d.pos + len(quote); r.endsValue(end) {
				r.left -= len(s)
				r.tryEnd(&d, s, inner, func() { next(end) })
			}
			if !uncertain(quote) {
				return
			}
			inner.quotes++
			s = append(s, quote...)
			d.pos += len(quote)
		case rest[0] == '\\':
			s = d.escape(s)
		default:
			if rest[0] == typographic[0] && quoteOf(rest) == quote { // one that opens
				inner.quotes++
			}
			inner.take(rest[0])
			inner.raw = inner.raw || rest[0] < ' '
			s = append(s, rest[0])
			d.pos++
		}
	}
}

func (r *reader) tryEnd(d *decoder, s []byte, inner pairs, next func()) {
	odd, cut := r.odd, r.cut
	if inner.unpaired() {
		r.odd++
	}
	if inner.open() {
		r.cut++
	}
	n := len(r.out)
	r.out = AppendString(r.out, string(d.valid(s)))
	r.by(next, append(inner.rules(), d.repairs...)...)
	r.out = r.out[:n]
	r.odd, r.cut = odd, cut
}

// endsValue tells whether a value may end before offset i.
func (r *reader) endsValue(i int) bool {
	switch r.byte(r.skip(i)) {
	case ',', '}', ']', 0:
		return true
	case ')':
		return r.call != nil
	}
	return false
}

// word reads a number or a literal.
func (r *reader) word(i int, next then) {
	from := i
	for i < len(r.text) && (identPart(r.text[i]) || r.text[i] == '+') {
		i++
	}
	w := string(r.text[from:i])
	if l, ok := literals[w]; ok && l != w {
		r.by(func() { r.write(l, i, next) }, PythonLiteral)
	} else if ok {
		r.write(l, i, next)
	} else if jsonNumber.MatchString(w) {
		r.write(w, i, next)
	}
}

// calls reads Python's calls from the n-th on.
func (r *reader) calls(i, n int) {
	from := i
	for i = r.skip(i); n > 0 && (r.byte(i) == ',' || r.byte(i) == ';' && r.in != "["); {
		i = r.skip(i + 1)
	}
	parted := n == 0 || bytes.ContainsAny(r.text[from:i], ",;") || r.in != "[" && i > from
	switch {
	case i == len(r.text) && n > 0 && r.in != "[":
		r.finish(i)
		return
	case r.byte(i) == ']' && n > 0 && r.in == "[":
		r.finish(r.skip(i + 1))
		return
	case !parted:
		return
	}
	from = i
	for i < len(r.text) && identPart(r.text[i]) {
		i++
	}
	shape, ok := r.call(string(r.text[from:i]))
	if !ok || r.byte(i) != '(' {
		return
	}
	open := `{"name":` + string(AppendString(nil, string(r.text[from:i]))) + `,"arguments":{`
	if n > 0 {
		open = "," + open
	}
	r.write(open, i+1, func(i int) {
		r.members(i, frame{shape: shape, end: ')'}, func(i int) {
			r.write("}", i, func(i int) { r.calls(i, n+1) })
		})
	})
}
