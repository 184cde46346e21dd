package schema

import (
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string literal; d.at is at its opening quote.
func (d *decoder) text() (string, error) {
	d.at++
	start := d.at
	for d.at < len(d.src) {
		switch c := d.src[d.at]; {
		case c == '"':
			s := d.src[start:d.at]
			d.at++
			if !utf8.Valid(s) {
				return string([]rune(string(s))), nil
			}
			return string(s), nil
		case c == '\\':
			return d.escaped(start)
		case c < 0x20:
			return "", errors.New("control character in a string")
		}
		d.at++
	}
	return "", errors.New("unterminated string")
}

// escaped goes on with text from the first backslash. Broken UTF-8 and lone surrogates become
// U+FFFD, as in encoding/json.
func (d *decoder) escaped(start int) (string, error) {
	out := append([]byte(nil), d.src[start:d.at]...)
	for d.at < len(d.src) {
		c := d.src[d.at]
		switch {
		case c == '"':
			d.at++
			if !utf8.Valid(out) {
				return string([]rune(string(out))), nil
			}
			return string(out), nil
		case c < 0x20:
			return "", errors.New("control character in a string")
		case c != '\\':
			out = append(out, c)
			d.at++
		default:
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", errors.New("unterminated string")
}

var simpleEscapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape sequence; d.at is at its backslash.
func (d *decoder) escape() (rune, error) {
	if d.at+1 >= len(d.src) {
		return 0, errors.New("unterminated string")
	}
	if r, ok := simpleEscapes[d.src[d.at+1]]; ok {
		d.at += 2
		return r, nil
	}
	r, ok := d.hex()
	if !ok {
		return 0, errors.New("malformed escape")
	}
	if utf16.IsSurrogate(r) {
		back := d.at
		if low, ok := d.hex(); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return full, nil
			}
		}
		d.at = back
		return utf8.RuneError, nil
	}
	return r, nil
}

// hex reads \uXXXX.
func (d *decoder) hex() (rune, bool) {
	if d.at+6 > len(d.src) || d.src[d.at] != '\\' || d.src[d.at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(d.src[d.at+2:d.at+6]), 16, 32)
	if err != nil {
		return 0, false
	}
	d.at += 6
	return rune(n), true
}
