package gbnf

import (
	"strings"
	"unicode/utf8"

	"tenon/grammar/lex/ecma"
)

const maxRune = utf8.MaxRune

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// name reads a rule's name; it is empty where none stands.
func (r *reader) name() string {
	at := r.pos
	for r.pos < len(r.src) && isNameByte(r.src[r.pos]) {
		r.pos++
	}
	return r.src[at:r.pos]
}

func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.src[r.pos:], s) {
		return false
	}
	r.pos += len(s)
	return true
}

// space skips blanks and comments, newlines only where they do not end a rule.
func (r *reader) space(newlines bool) {
	for r.pos < len(r.src) {
		switch c := r.src[r.pos]; {
		case c == '#':
			n := strings.IndexAny(r.src[r.pos:], "\r\n")
			if n < 0 {
				n = len(r.src) - r.pos
			}
			r.pos += n
		case c == ' ', c == '\t', newlines && (c == '\r' || c == '\n'):
			r.pos++
		default:
			return
		}
	}
}

func (r *reader) newline() bool {
	return r.take("\r\n") || r.take("\n") || r.take("\r")
}

// quoted reads a literal in double quotes.
func (r *reader) quoted() (string, error) {
	at := r.pos
	r.pos++
	var b strings.Builder
	for {
		if r.pos >= len(r.src) {
			return "", r.errorf(at, "the literal has no closing quote")
		}
		switch c := r.src[r.pos]; c {
		case '"':
			r.pos++
			return b.String(), nil
		case '\\':
			x, err := r.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(x)
		default:
			b.WriteByte(c)
			r.pos++
		}
	}
}

// simpleEscapes are those of llama.cpp and of JSON, so that a JSON string is a literal too.
var simpleEscapes = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', '\\': '\\', '"': '"', '[': '[', ']': ']', '/': '/', '-': '-', '^': '^'}

// escape reads \n, \x41, \u00e4, \U0001F600 and the like. Code points, not bytes, are what \x
// names, as in llama.cpp. A pair of surrogates is one code point.
func (r *reader) escape() (rune, error) {
	at := r.pos
	r.pos++
	if r.pos >= len(r.src) {
		return 0, r.errorf(at, "the text ends in an escape")
	}
	c := r.src[r.pos]
	r.pos++
	if x, ok := simpleEscapes[c]; ok {
		return x, nil
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	if digits == 0 {
		return 0, r.errorf(at, "unknown escape \\%c", c)
	}
	x, ok := r.hex(digits)
	if ok && x >= 0xD800 && x < 0xDC00 && r.take("\\u") {
		var low rune
		low, ok = r.hex(4)
		ok = ok && low >= 0xDC00 && low < 0xE000
		x = 0x10000 + (x-0xD800)<<10 + (low - 0xDC00)
	}
	if !ok || !utf8.ValidRune(x) {
		return 0, r.errorf(at, "the escape does not name a code point")
	}
	return x, nil
}

func (r *reader) hex(digits int) (rune, bool) {
	if r.pos+digits > len(r.src) {
		return 0, false
	}
	var x rune
	for _, c := range []byte(r.src[r.pos : r.pos+digits]) {
		switch {
		case c >= '0' && c <= '9':
			x = x<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			x = x<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			x = x<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	r.pos += digits
	return x, true
}

// class reads [a-z_] or [^"\\].
func (r *reader) class() (*Node, error) {
	at := r.pos
	r.pos++
	not := r.take("^")
	var ranges ecma.Set
	for {
		if r.pos >= len(r.src) {
			return nil, r.errorf(at, "the class has no closing bracket")
		}
		if r.take("]") {
			break
		}
		lo, err := r.classRune()
		if err != nil {
			return nil, err
		}
		hi := lo
		if r.pos+1 < len(r.src) && r.src[r.pos] == '-' && r.src[r.pos+1] != ']' {
			r.pos++
			if hi, err = r.classRune(); err != nil {
				return nil, err
			}
		}
		if hi < lo {
			return nil, r.errorf(at, "the class holds a range whose end is below its start")
		}
		ranges = append(ranges, ecma.Range{Lo: lo, Hi: hi})
	}
	ranges = ecma.NewSet(ranges...)
	if not {
		ranges = ecma.Set(ranges).Complement()
	}
	if len(ranges) == 0 {
		return nil, r.errorf(at, "the class matches nothing")
	}
	return &Node{Op: Class, Ranges: ranges}, nil
}

func (r *reader) classRune() (rune, error) {
	if r.src[r.pos] == '\\' {
		return r.escape()
	}
	x, n := utf8.DecodeRuneInString(r.src[r.pos:])
	if x == utf8.RuneError && n == 1 {
		return 0, r.errorf(r.pos, "the text is not valid UTF-8")
	}
	r.pos += n
	return x, nil
}
