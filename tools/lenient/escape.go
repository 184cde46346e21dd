package lenient

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"tenon/tools/peek"
)

// escapedString reads a string that is escaped once more, behind the quote that opens it.
func (d *decoder) escapedString() ([]byte, error) {
	d.repair(EscapedTwice)
	scan := Scanner{quote: escapedQuote}
	from := d.pos
	for ; !bytes.HasPrefix(d.text[d.pos:], []byte(escapedQuote)); d.pos++ {
		if d.pos == len(d.text) || d.text[d.pos] == '"' {
			return nil, errOpen
		}
		if d.text[d.pos] == '\\' {
			n, known := scan.escapeAt(d.text[d.pos:])
			if !known {
				return nil, errOpen
			}
			d.pos += n - 1
		}
	}
	s := d.text[from:d.pos]
	d.pos += len(escapedQuote)
	return d.valid(d.plainly(d.plainly(s))), nil
}

// plainly takes a level of escapes off a text.
func (d *decoder) plainly(text []byte) (s []byte) {
	inside := decoder{text: text}
	for inside.pos < len(text) {
		if c := text[inside.pos]; c != '\\' {
			s = append(s, c)
			inside.pos++
			continue
		}
		s = inside.escape(s)
	}
	return s
}

// escape reads one escape sequence. Those that neither JSON nor Python know stand for themselves,
// as in Python.
func (d *decoder) escape(s []byte) []byte {
	if d.pos+1 == len(d.text) {
		d.pos++
		return append(s, '\\')
	}
	c := d.text[d.pos+1]
	d.pos += 2
	switch c {
	case '"', '\\', '/', '\'', '`':
		if c == '\'' || c == '`' {
			d.repair(BadEscape)
		}
		return append(s, c)
	case 'b', 'f', 'n', 'r', 't':
		return append(s, "\b\f\n\r\t"[bytes.IndexByte([]byte("bfnrt"), c)])
	case 'u':
		if r, ok := d.unicode(); ok {
			return utf8.AppendRune(s, r)
		}
	case 'x':
		if n, ok := d.hex(2); ok {
			return utf8.AppendRune(s, n)
		}
	case 'U':
		if n, ok := d.hex(8); ok {
			return utf8.AppendRune(s, n)
		}
	case '\n': // a continued line in Python; elsewhere both, as a shell wants them
		if d.rules.Python {
			return s
		}
	}
	d.repair(BadEscape)
	return append(s, '\\', c)
}

// pythonic tells whether strings are Python's: in its calls, or where a key stood between single
// quotes as Python prints them. Elsewhere \x is what code holds whose backslashes were not
// escaped.
func (d *decoder) pythonic() bool { return d.rules.Python || d.single }

// hex reads n digits at pos, if they are the number of a character.
func (d *decoder) hex(n int) (rune, bool) {
	if !d.pythonic() || d.pos+n > len(d.text) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(d.text[d.pos:d.pos+n]), 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return 0, false
	}
	d.pos += n
	return rune(v), true
}

// unicode reads what follows \u, a surrogate pair as a whole.
func (d *decoder) unicode() (rune, bool) {
	hi, ok := d.hex4(d.pos)
	if !ok {
		return 0, false
	}
	d.pos += 4
	if hi < 0xD800 || hi > 0xDFFF {
		return hi, true
	}
	if hi < 0xDC00 && d.pos+6 <= len(d.text) && d.text[d.pos] == '\\' && d.text[d.pos+1] == 'u' {
		if lo, ok := d.hex4(d.pos + 2); ok && lo >= 0xDC00 && lo <= 0xDFFF {
			d.pos += 6
			return (hi-0xD800)<<10 + lo - 0xDC00 + 0x10000, true
		}
	}
	d.repair(InvalidUTF8)
	return utf8.RuneError, true
}

func (d *decoder) hex4(i int) (rune, bool) {
	if i+4 > len(d.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(d.text[i:i+4]), 16, 16)
	return rune(n), err == nil
}

// unclosed ends a string that nothing closes before the brackets at the end of the text, if they
// are exactly those that are open: only its quote was left out then. Brackets that close what the
// string itself opened do not count: there it was cut off.
func (d *decoder) unclosed(s []byte) ([]byte, error) {
	i := len(d.text)
	for k := range d.open {
		for i > 0 && peek.IsSpace(d.text[i-1]) {
			i--
		}
		if i == 0 || d.text[i-1] != d.open[k] {
			return nil, errOpen
		}
		i--
	}
	cut := len(d.text) - i
	if len(d.open) == 0 || cut > len(s) || i > 0 && d.text[i-1] == d.open[len(d.open)-1] {
		return nil, errOpen
	}
	s = s[:len(s)-cut]
	if leavesOpen(s, '{') || leavesOpen(s, '[') {
		return nil, errOpen
	}
	d.repair(MissingQuote)
	d.pos = i
	return d.valid(s), nil
}

func leavesOpen(s []byte, open byte) bool {
	return bytes.Count(s, []byte{open}) > bytes.Count(s, []byte{closer(open)})
}

func (d *decoder) valid(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	d.repair(InvalidUTF8)
	// each invalid byte, not each run of them, as everywhere
	return []byte(string([]rune(string(s))))
}
