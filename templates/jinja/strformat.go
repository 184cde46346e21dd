package jinja

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// strFormat is s.format(*args, **kw).
func strFormat(rt *runtime, s *Str, a *callArgs) Value {
	f := formatter{rt: rt, markup: s.markup, args: a.pos, kw: NewDict()}
	for _, k := range a.kw {
		f.kw.put(k.name, k.value)
	}
	return f.format(s, 2)
}

// strFormatMap is s.format_map(mapping).
func strFormatMap(rt *runtime, s *Str, a *callArgs) Value {
	if len(a.kw) > 0 {
		throw(typeType, "format_map() takes no keyword arguments")
	}
	if len(a.pos) != 1 {
		throw(typeType, "format_map() takes exactly one argument (%d given)", len(a.pos))
	}
	d, ok := a.pos[0].(*Dict)
	if !ok {
		mustDefined(a.pos[0])
		throw(typeType, "'%s' object is not subscriptable", a.pos[0].typeName())
	}
	f := formatter{rt: rt, markup: s.markup, kw: d}
	return f.format(s, 2)
}

type formatter struct {
	rt     *runtime
	markup bool
	args   []Value
	kw     *Dict
	auto   int // next automatic number; -1 once fields were numbered by hand
	manual bool
}

// format replaces the fields of s; depth bounds fields within format specifications.
func (f *formatter) format(s *Str, depth int) *Str {
	if depth < 0 {
		throw(typeValue, "Max string recursion exceeded")
	}
	var b textBuilder
	text := s.text
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case (c == '{' || c == '}') && i+1 < len(text) && text[i+1] == c:
			b.addSlice(s, i, i+1)
			i += 2
		case c == '}':
			throw(typeValue, "Single '}' encountered in format string")
		case c == '{':
			if i+1 >= len(text) {
				throw(typeValue, "Single '{' encountered in format string")
			}
			end := fieldEnd(text, i+1)
			b.add(f.field(s.slice(i+1, end), depth))
			i = end + 1
		default:
			n := strings.IndexAny(text[i:], "{}")
			if n < 0 {
				n = len(text) - i
			}
			b.addSlice(s, i, i+n)
			i += n
		}
		f.rt.spend(1)
		f.rt.fits(len(b.buf))
	}
	f.rt.make(len(b.buf))
	out := b.str()
	out.markup = f.markup
	return out
}

// fieldEnd finds the brace that closes the field whose inside begins at i.
func fieldEnd(text string, i int) int {
	depth := 1
	for ; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		case '[':
			if j := strings.IndexByte(text[i:], ']'); j >= 0 && depth == 1 {
				i += j
			}
		}
	}
	throw(typeValue, "expected '}' before end of string")
	return 0
}

// field formats name!conversion:spec.
func (f *formatter) field(s *Str, depth int) *Str {
	end := nameEnd(s.text)
	v := f.lookup(s.text[:end])
	rest := s.slice(end, len(s.text))
	if strings.HasPrefix(rest.text, "!") {
		if len(rest.text) < 2 {
			throw(typeValue, "end of string while looking for conversion specifier")
		}
		_, n := utf8.DecodeRuneInString(rest.text[1:])
		conv := rest.text[1 : 1+n]
		if rest = rest.slice(1+n, len(rest.text)); rest.text != "" && rest.text[0] != ':' {
			throw(typeValue, "expected ':' after conversion specifier")
		}
		v = f.convert(v, conv)
	}
	spec := emptyStr
	if rest.text != "" {
		spec = f.format(rest.slice(1, len(rest.text)), depth-1)
	}
	out := f.rt.formatValue(v, spec.text)
	if f.markup {
		if s, ok := v.(*Str); ok && s.markup {
			return out
		}
		return f.rt.escape(out.plain())
	}
	return out
}

// nameEnd is where a field's name ends: at ! or : outside brackets.
func nameEnd(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[':
			if j := strings.IndexByte(text[i:], ']'); j >= 0 {
				i += j
			}
		case '!', ':':
			return i
		case '{':
			throw(typeValue, "unexpected '{' in field name")
		}
	}
	return len(text)
}

func (f *formatter) convert(v Value, conv string) Value {
	switch conv {
	case "s":
		return f.rt.str(v)
	case "r":
		return f.rt.repr(v)
	case "a":
		return f.rt.repr(v).mapText(func(s string) string { return string(asciiOnly(s)) })
	}
	throw(typeValue, "Unknown conversion specifier %s", conv)
	return nil
}

// lookup finds a field: an argument, then attributes and items of it.
func (f *formatter) lookup(name string) Value {
	i := strings.IndexAny(name, ".[")
	if i < 0 {
		i = len(name)
	}
	v := f.first(name, name[:i])
	for rest := name[i:]; rest != ""; {
		f.rt.spend(1)
		if rest[0] == '.' {
			n := strings.IndexAny(rest[1:], ".[") + 1
			if n == 0 {
				n = len(rest)
			}
			if n == 1 {
				throw(typeValue, "Empty attribute in format string")
			}
			v = f.rt.getAttr(v, trusted(rest[1:n]))
			rest = rest[n:]
			continue
		}
		n := strings.IndexByte(rest, ']')
		if rest[0] != '[' {
			throw(typeValue, "Only '.' or '[' may follow ']' in format field specifier")
		}
		if n < 0 {
			throw(typeValue, "Missing ']' in format string")
		}
		if n == 1 {
			throw(typeValue, "Empty attribute in format string")
		}
		v = f.rt.getItem(v, fieldKey(rest[1:n]))
		rest = rest[n+1:]
	}
	return v
}

func fieldKey(s string) Value {
	if n, err := strconv.Atoi(s); err == nil && s[0] >= '0' && s[0] <= '9' {
		return Int(n)
	}
	return trusted(s)
}

// first is the argument that a field begins with. As in Python's string.Formatter, only a field
// that is nothing but a number is numbered by hand, and only an empty one automatically.
func (f *formatter) first(field, name string) Value {
	key := fieldKey(name)
	if field == "" {
		if f.manual {
			throw(typeValue, "cannot switch from manual field specification to automatic field numbering")
		}
		key = Int(f.auto)
		f.auto++
	} else if field == name && isInt(key) {
		if f.auto > 0 {
			throw(typeValue, "cannot switch from manual field specification to automatic field numbering")
		}
		f.manual = true
	}
	if n, ok := asInt(key); ok {
		if n >= int64(len(f.args)) {
			throw(typeIndex, "tuple index out of range")
		}
		return f.args[n]
	}
	v, ok := f.kw.getString(name)
	if !ok {
		throw(typeKey, "%s", reprText(name))
	}
	return v
}

// formatValue is Python's format(v, spec).
func (rt *runtime) formatValue(v Value, text string) *Str {
	if text == "" {
		return rt.softStr(v)
	}
	switch v.(type) {
	case *Str, Int, bigInt, Bool, Float:
	default:
		throw(typeType, "unsupported format string passed to %s.__format__", v.typeName())
	}
	spec := parseSpec(text)
	rt.make(saturate(int64(spec.width), 4) + max(spec.precision, 0))
	if s, ok := v.(*Str); ok {
		return rt.formatStr(s, spec)
	}
	spec = numberAlign(spec)
	if n, ok := asBig(v); ok && strings.IndexByte("\x00bcdnoxX", spec.typ) >= 0 {
		if spec.precision >= 0 {
			throw(typeValue, "Precision not allowed in integer format specifier")
		}
		if spec.plain {
			throw(typeValue, "Negative zero coercion (z) not allowed in integer format specifier")
		}
		if _, isBool := v.(Bool); isBool && spec.typ == 0 {
			spec.typ = 'd'
		}
		if spec.typ == 'c' {
			return rt.align(trusted(string(rune(n.Int64()))), spec, '<')
		}
		return rt.align(trusted(spec.integer(n, spec.typ)), spec, '>')
	}
	if strings.IndexByte("\x00eEfFgGn%", spec.typ) < 0 {
		throw(typeValue, "Unknown format code '%c' for object of type '%s'", spec.typ, v.typeName())
	}
	x, _ := asFloat(v)
	return rt.align(trusted(spec.general(x)), spec, '>')
}

// general formats a float, also without a type: then as repr does, or to the precision with at
// least one decimal.
func (s numberSpec) general(f float64) string {
	switch {
	case s.typ == 'n':
		return s.float(f, 'g')
	case s.typ != 0:
		return s.float(f, s.typ)
	case s.precision >= 0:
		text := s.float(f, 'g')
		if !strings.ContainsAny(text, ".en") {
			text += ".0"
		}
		return text
	}
	text := strings.TrimPrefix(floatRepr(f), "-")
	sign := s.signOf(strings.HasPrefix(floatRepr(f), "-"))
	return sign + s.grouped(text, len(sign), 10)
}

func (rt *runtime) formatStr(s *Str, spec numberSpec) *Str {
	switch {
	case spec.typ != 0 && spec.typ != 's':
		throw(typeValue, "Unknown format code '%c' for object of type 'str'", spec.typ)
	case spec.sign != 0:
		throw(typeValue, "Sign not allowed in string format specifier")
	case spec.plain:
		throw(typeValue, "Negative zero coercion (z) not allowed in string format specifier")
	case spec.alt:
		throw(typeValue, "Alternate form (#) not allowed in string format specifier")
	case spec.align == '=':
		throw(typeValue, "'=' alignment not allowed in string format specifier")
	case spec.group != "":
		throw(typeValue, "Cannot specify '%s' with 's'.", spec.group)
	}
	if spec.precision >= 0 {
		s = rt.sliceStr(s, None, Int(spec.precision), None).(*Str)
	}
	return rt.align(s, spec, '<')
}

func parseSpec(text string) numberSpec {
	s := numberSpec{fill: " ", precision: -1}
	isAlign := func(i int) bool { return i < len(text) && strings.IndexByte("<>=^", text[i]) >= 0 }
	i, filled := 0, false
	if _, n := utf8.DecodeRuneInString(text); isAlign(n) {
		s.fill, s.align, i, filled = text[:n], text[n], n+1, true
	} else if isAlign(0) {
		s.align, i = text[0], 1
	}
	take := func(set string) byte {
		if i < len(text) && strings.IndexByte(set, text[i]) >= 0 {
			i++
			return text[i-1]
		}
		return 0
	}
	s.sign = take("+- ")
	s.plain = take("z") != 0
	s.alt = take("#") != 0
	if s.zero = take("0") != 0; s.zero && !filled {
		s.fill = "0"
	}
	s.width, i = specNumber(text, i)
	if g := take(",_"); g != 0 {
		s.group = string(g)
	}
	if take(".") != 0 {
		from := i
		if s.precision, i = specNumber(text, i); i == from {
			throw(typeValue, "Format specifier missing precision")
		}
	}
	if i < len(text) {
		s.typ = text[i]
		i++
	}
	if i < len(text) {
		throw(typeValue, "Invalid format specifier")
	}
	return s
}

func specNumber(text string, i int) (n, end int) {
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		if n = n*10 + int(text[i]-'0'); n > 1<<31 {
			throw(typeValue, "Too many decimal digits in format string")
		}
	}
	return n, i
}
