package lenient

import (
	"bytes"

	"tenon/tools/peek"
)

// Rules say what else than JSON's own syntax a text may hold. The zero value adds nothing.
type Rules struct {
	// further delimiters of strings, such as Gemma's <|"|>; nothing is escaped inside them
	Quotes      []string
	Terminators peek.Texts // end the text where they stand outside of strings
	// Spelt tells whether one of Quotes is text at an offset; nil: none is.
	Spelt func(quote string, at int) bool
	// Python: the text is Python's, where strings beside each other, or with + between, are
	// one.
	Python bool
	// Positional are the parameters' names, in their order, for arguments without a keyword;
	// none: each must have one.
	Positional []string
}

// Status says what a Scanner knows.
type Status uint8

const (
	Open       Status = iota // more text is needed
	Complete                 // the outermost bracket was closed; End is behind it
	Terminated               // a terminator stands at End, brackets are still open
	Rejected                 // Watch said no
)

// maxDepth bounds the nesting that is followed; deeper brackets are not counted.
const maxDepth = 512

// String is a key or a value that a Scanner has read to its end.
type String struct {
	Depth int // of the container it stands in, from 1
	Key   bool
	Text  []byte // between the quotes, escapes as written
}

// Scanner finds the end of one bracketed value. It looks at each byte of the text once, however
// the text arrives; its memory is one byte per open bracket.
type Scanner struct {
	Rules Rules
	// Watch, if set, is told of each string and bare key; false ends the scan with Rejected.
	Watch func(String) bool

	End       int  // set by Complete and Terminated
	Ambiguous bool // a quote inside of a string was taken not to be its end
	// offset of the first terminator inside a string, 0 if there is none: the end, should the
	// string prove unclosed
	Soft int

	pos    int
	stack  []byte
	quote  string // of the string that pos is in; "" outside
	raw    bool   // nothing is escaped in that string
	note   bool   // it is a comment
	start  int    // of the string's or bare word's text
	inner  bool   // a quote inside the string was found not to be its end
	before byte   // what prev was before the word that pos is in
	// last significant byte outside of strings; '"' for a whole string, 'x' for a word
	prev byte
}

// Reset makes the scanner start at offset from of a text.
func (s *Scanner) Reset(from int) {
	*s = Scanner{Rules: s.Rules, Watch: s.Watch, pos: from, stack: s.stack[:0]}
}

// Reached is how far the text has been looked at.
func (s *Scanner) Reached() int { return s.pos }

// Step reads on. text is the whole text so far, final says that it will not grow.
func (s *Scanner) Step(text []byte, final bool) Status {
	for s.pos < len(text) {
		was := s.pos
		var st Status
		if s.quote != "" {
			st = s.inString(text, final)
		} else {
			st = s.outside(text, final)
		}
		if st != Open || s.pos == was {
			return st
		}
	}
	return Open
}

func (s *Scanner) inString(text []byte, final bool) Status {
	// most of a text is nothing else
	for c := text[s.pos]; c != s.quote[0] && c != '\\' && !s.Rules.Terminators.Begin(c); c = text[s.pos] {
		if s.pos++; s.pos == len(text) {
			return Open
		}
	}
	i := s.pos
	if s.Soft == 0 || s.note {
		switch s.Rules.terminatorAt(text, i, final) {
		case peek.Yes:
			if s.note {
				s.quote, s.note = "", false
				return s.outside(text, final)
			}
			s.Soft = i
		case peek.Unknown:
			return Open
		}
	}
	switch a := peek.Prefix(text[i:], s.quote, final); {
	case a == peek.Unknown:
		return Open
	case a == peek.Yes && !s.Rules.isSpelt(s.quote, i):
		return s.endString(text, final)
	}
	if text[i] == '\\' && !s.raw {
		n, known := s.escapeAt(text[i:])
		if !known && !final {
			return Open
		}
		s.pos += n - 1
	}
	s.pos = min(s.pos+1, len(text))
	return Open
}

func (r *Rules) isSpelt(quote string, at int) bool { return r.Spelt != nil && r.Spelt(quote, at) }

// escapedQuote delimits strings in an object that is escaped once more.
const escapedQuote = `\"`

// escapeAt is how long the escape sequence at the start of text is, and whether that is known.
func (s *Scanner) escapeAt(text []byte) (n int, known bool) {
	n = 2
	// what it escapes may be escaped itself
	if s.quote == escapedQuote && len(text) > 1 && text[1] == '\\' {
		n = 3
		if len(text) > 2 && text[2] == '\\' {
			n = 4
		}
	}
	return n, len(text) >= n
}

func (s *Scanner) endString(text []byte, final bool) Status {
	after := s.pos + len(s.quote)
	if s.note {
		s.pos, s.quote, s.note = after, "", false
		return Open
	}
	p := place{s.top(), s.keyPlace(), s.inner, s.prev == '(' || s.prev == ',' && s.top() == '('}
	if uncertain(s.quote) {
		switch s.Rules.ends(text, after, p, final) {
		case peek.No:
			s.pos += len(s.quote)
			s.inner, s.Ambiguous = true, true
			return Open
		case peek.Unknown:
			return Open
		}
	}
	word := text[s.start:s.pos]
	s.pos, s.quote, s.prev = after, "", '"'
	if !s.watch(String{Depth: len(s.stack), Key: p.key, Text: word}) {
		return Rejected
	}
	return Open
}

func (s *Scanner) outside(text []byte, final bool) Status {
	switch s.Rules.terminatorAt(text, s.pos, final) {
	case peek.Yes:
		s.End = s.pos
		return Terminated
	case peek.Unknown:
		return Open
	}
	c := text[s.pos]
	if c == codeFence[0] && (s.prev == '"' || s.prev == 'x') && len(s.stack) > 0 {
		switch peek.Prefix(text[s.pos:], codeFence, final) {
		case peek.Yes:
			s.End = s.pos
			return Terminated
		case peek.Unknown:
			return Open
		}
	}
	switch {
	case peek.IsSpace(c):
		s.pos++
	case c == '{' || c == '[' || c == '(':
		s.push(c)
	case c == '}' || c == ']' || c == ')':
		return s.pop(c)
	case c == '/' && s.prev != 'x':
		return s.comment(text, final)
	default:
		return s.token(text, final)
	}
	return Open
}

// token reads a quote, a separator or a byte of a bare word.
func (s *Scanner) token(text []byte, final bool) Status {
	c := text[s.pos]
	if s.Rules.Python && s.prev == '"' && (c == '+' || joins(c, s.top())) {
		s.prev = ':' // another part of the value before
		if c == '+' {
			s.pos++
			return Open
		}
	}
	raw, prefixed := stringPrefix(text, s.start, s.pos, s.prev)
	if prefixed {
		s.prev = s.before
	}
	quote, literal, a := s.Rules.quoteAt(text, s.pos, s.prev, final)
	raw = raw || literal
	switch {
	case a == peek.Unknown:
		return Open
	case a == peek.Yes:
		s.quote, s.raw, s.inner = quote, raw, false
		s.pos += len(quote)
		s.start = s.pos
		return Open
	case c == ':' && s.prev == 'x' && s.top() == '{':
		if !s.watch(String{Depth: len(s.stack), Key: true, Text: bytes.TrimSpace(text[s.start:s.pos])}) {
			return Rejected
		}
		s.prev = c
	case c == ':' || c == ',' || c == '=':
		s.prev = c
	default:
		if s.prev != 'x' {
			s.start, s.before = s.pos, s.prev
		}
		s.prev = 'x'
	}
	s.pos++
	return Open
}

// stringPrefix tells whether what stands at text[i], behind a word that begins at start if prev
// says so, is a quote that the word is Python's prefix of, and whether nothing is escaped in such
// a string.
func stringPrefix(text []byte, start, i int, prev byte) (raw, ok bool) {
	if c := text[i]; prev != 'x' || i-start > 2 || c != '"' && c != '\'' {
		return false, false
	}
	for _, c := range text[start:i] {
		switch c | 0x20 {
		case 'r':
			raw = true
		case 'b', 'u', 'f':
		default:
			return false, false
		}
	}
	return raw, true
}

// quoteAt tells which delimiter opens a string at text[i], prev being what stands before it.
func (r *Rules) quoteAt(text []byte, i int, prev byte, final bool) (quote string, raw bool, a peek.Answer) {
	for _, q := range r.Quotes {
		switch peek.Prefix(text[i:], q, final) {
		case peek.Yes:
			return q, true, peek.Yes
		case peek.Unknown:
			return "", false, peek.Unknown
		}
	}
	c := text[i]
	if c == '\\' && prev != 'x' && prev != '"' {
		switch peek.Prefix(text[i:], escapedQuote, final) {
		case peek.Yes:
			return escapedQuote, false, peek.Yes
		case peek.Unknown:
			return "", false, peek.Unknown
		}
	}
	if c == typographic[0] && prev != 'x' && prev != '"' {
		return typographicAt(text[i:], final)
	}
	if c != '"' && (prev == 'x' || prev == '"' || c != '\'' && c != '`') {
		return "", false, peek.No
	}
	for _, triple := range []string{`"""`, "'''", codeFence} {
		switch peek.Prefix(text[i:], triple, final) {
		case peek.Yes:
			return triple, false, peek.Yes
		case peek.Unknown:
			return "", false, peek.Unknown
		}
	}
	return string(c), false, peek.Yes
}

// typographic is the first byte of the quotes that some models write for the straight ones.
const typographic = "\xe2"

// typographicAt tells which typographic quote closes what one of them opens at the start of text.
func typographicAt(text []byte, final bool) (quote string, raw bool, a peek.Answer) {
	pairs := [][2]string{{"“", "”"}, {"”", "”"}, {"‘", "’"}, {"’", "’"}}
	q, a := peek.First(pairs, func(q [2]string) peek.Answer { return peek.Prefix(text, q[0], final) })
	return q[1], false, a
}

// uncertain tells whether a quote may also stand inside of the string that it closes.
func uncertain(quote string) bool { return len(quote) == 1 || quote[0] == typographic[0] }

func (s *Scanner) comment(text []byte, final bool) Status {
	end := ""
	switch {
	case s.pos+1 == len(text):
		if final {
			s.pos++
		}
		return Open
	case text[s.pos+1] == '/':
		end = "\n"
	case text[s.pos+1] == '*':
		end = "*/"
	default:
		s.pos, s.prev = s.pos+1, 'x'
		return Open
	}
	s.quote, s.raw, s.note = end, true, true
	s.pos += 2
	return Open
}

func (s *Scanner) push(c byte) {
	if len(s.stack) < maxDepth {
		s.stack = append(s.stack, c)
	}
	s.pos, s.prev = s.pos+1, c
}

// pop closes the innermost bracket that c fits and those inside it. One that fits none is skipped.
func (s *Scanner) pop(c byte) Status {
	s.pos, s.prev = s.pos+1, '"'
	for i := len(s.stack) - 1; i >= 0; i-- {
		if closer(s.stack[i]) == c {
			s.stack = s.stack[:i]
			break
		}
	}
	if len(s.stack) > 0 {
		return Open
	}
	s.End = s.pos
	return Complete
}

func (s *Scanner) top() byte {
	if len(s.stack) == 0 {
		return 0
	}
	return s.stack[len(s.stack)-1]
}

func (s *Scanner) keyPlace() bool { return s.top() == '{' && s.prev != ':' }

func (s *Scanner) watch(w String) bool { return s.Watch == nil || s.Watch(w) }
