package lenient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenon/tools/peek"
)

// literals are the bare words that have one meaning.
var literals = map[string]string{
	"true": "true", "false": "false", "null": "null",
	"True": "true", "False": "false", "None": "null",
	"TRUE": "true", "FALSE": "false", "undefined": "null",
}

var (
	jsonNumber  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	looseNumber = regexp.MustCompile(`^[+-]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	numberParts = regexp.MustCompile(`^([+-]?)0*([0-9]*?)(\.[0-9]*)?([eE].*)?$`)
	hexNumber   = regexp.MustCompile(`^[+-]?0[xX][0-9a-fA-F]{1,15}$`)
	bareWord    = regexp.MustCompile(`^[\pL_][\pL\pN_. -]*$`)
)

// word reads a number, a literal or a bare word up to the next separator.
func (d *decoder) word(p place) error {
	start := d.pos
	for d.pos < len(d.text) && !endsWord(d.text, d.pos, p) {
		d.pos++
	}
	w := string(bytes.TrimSpace(d.text[start:d.pos]))
	if l, ok := literals[w]; ok {
		if l != w {
			d.repair(PythonLiteral)
		}
		d.out.WriteString(l)
		return nil
	}
	if n, ok := Number(w); ok {
		d.number(w, n)
		return nil
	}
	if !bareWord.MatchString(w) {
		return errValue
	}
	d.repair(BareWord)
	writeString(&d.out, []byte(w))
	return nil
}

// number writes w, which JSON spells n. Leading zeros, a plus and a base may be what a string is
// wanted for, a telephone number or a colour: they stay, in a string, of which a schema makes a
// number where it wants one.
func (d *decoder) number(w, n string) {
	if n != w {
		d.repair(NumberStyle)
	}
	if zeros := strings.TrimLeft(w, "+-"); w[0] == '+' || len(zeros) > 1 && zeros[0] == '0' && zeros[1] != '.' && n != w {
		writeString(&d.out, []byte(w))
		return
	}
	d.out.WriteString(n)
}

func endsWord(text []byte, i int, p place) bool {
	switch c := text[i]; c {
	case ',', '}', ']', ')', '\n', '"', '{', '[', '(':
		return true
	case '/':
		return i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*')
	case '#':
		return i > 0 && peek.IsSpace(text[i-1])
	case ' ', '\t':
		return p.in == 0
	}
	return false
}

// Number spells w as JSON does, if it is a number.
func Number(w string) (string, bool) {
	switch {
	case jsonNumber.MatchString(w):
		return w, true
	case hexNumber.MatchString(w):
		n, err := strconv.ParseInt(w, 0, 64)
		return strconv.FormatInt(n, 10), err == nil
	case !looseNumber.MatchString(w):
		return "", false
	}
	parts := numberParts.FindStringSubmatch(strings.ReplaceAll(w, "_", ""))
	sign, whole, fraction, exponent := strings.Trim(parts[1], "+"), parts[2], parts[3], parts[4]
	w = sign + cmp.Or(whole, "0") + strings.TrimSuffix(fraction, ".") + exponent
	return w, jsonNumber.MatchString(w)
}

// skip passes white space and comments.
func (d *decoder) skip() error {
	for d.pos < len(d.text) {
		rest := d.text[d.pos:]
		switch {
		case peek.IsSpace(rest[0]):
			d.pos++
			continue
		case bytes.HasPrefix(rest, []byte("//")), rest[0] == '#':
			d.until("\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			d.until("*/")
		default:
			return nil
		}
		d.repair(Comment)
	}
	return nil
}

func (d *decoder) until(end string) {
	i := bytes.Index(d.text[d.pos:], []byte(end))
	if i < 0 {
		d.pos = len(d.text)
		return
	}
	d.pos += i + len(end)
}

// strict reads a value that is JSON, in which an object may have a key twice.
func strict(text []byte) (Decoded, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil || !utf8.Valid(raw) {
		return Decoded{}, false
	}
	return Decoded{JSON: raw, End: int(dec.InputOffset())}, true
}

// writeString writes s, which is valid UTF-8, as a JSON string that escapes only what it must.
func writeString(out *bytes.Buffer, s []byte) {
	out.Write(AppendString(out.AvailableBuffer(), string(s)))
}

// AppendString appends s as a JSON string that escapes only what JSON demands.
func AppendString(b []byte, s string) []byte {
	return append(AppendEscaped(append(b, '"'), []byte(s)), '"')
}

// AppendEscaped appends text as it stands inside a JSON string.
func AppendEscaped(b, s []byte) []byte {
	const hex = "0123456789abcdef"
	for len(s) > 0 {
		n := 0
		// most of a text
		for n < len(s) && s[n] >= ' ' && s[n] < utf8.RuneSelf && s[n] != '"' && s[n] != '\\' {
			n++
		}
		b, s = append(b, s[:n]...), s[n:]
		if len(s) == 0 {
			break
		}
		r, size := utf8.DecodeRune(s) // U+FFFD for what is no UTF-8
		s = s[size:]
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
