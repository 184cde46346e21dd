package jinja

import (
	"strings"
	"unicode/utf8"
)

// percent is s % args.
func (rt *runtime) percent(s *Str, args Value) *Str {
	p := percenter{rt: rt, s: s}
	switch a := args.(type) {
	case *Tuple:
		p.args = a.items
	case *groupTuple:
		p.args = a.items
	case *Dict:
		p.mapping, p.args = a, []Value{a}
	default:
		p.args = []Value{args}
	}
	p.run()
	if p.used < len(p.args) && !hasItems(args) {
		throw(typeType, "not all arguments converted during string formatting")
	}
	rt.make(len(p.b.buf))
	out := p.b.str()
	out.markup = s.markup
	return out
}

// hasItems reports what Python takes for a mapping here, which need not be used up.
func hasItems(v Value) bool {
	switch v.(type) {
	case *Dict, *List, *rangeValue, *undefined:
		return true
	}
	return false
}

type percenter struct {
	rt      *runtime
	s       *Str
	b       textBuilder
	i       int // in s.text
	args    []Value
	used    int
	mapping *Dict
}

func (p *percenter) run() {
	text := p.s.text
	for p.i < len(text) {
		n := strings.IndexByte(text[p.i:], '%')
		if n < 0 {
			n = len(text) - p.i
		}
		p.b.addSlice(p.s, p.i, p.i+n)
		p.i += n
		if p.i < len(text) {
			p.conversion()
			p.rt.spend(1)
			p.rt.fits(len(p.b.buf))
		}
	}
}

// peek returns the byte at the current place.
func (p *percenter) peek() byte {
	if p.i >= len(p.s.text) {
		throw(typeValue, "incomplete format")
	}
	return p.s.text[p.i]
}

// conversion formats one %…; the current byte is its percent sign.
func (p *percenter) conversion() {
	start := p.i
	p.i++
	var value Value
	if p.peek() == '(' {
		value = p.named()
	}
	spec := numberSpec{precision: -1, fill: " "}
	for ; strings.IndexByte("-+ #0", p.peek()) >= 0; p.i++ {
		switch c := p.peek(); c {
		case '-':
			spec.align = '<'
		case '+':
			spec.sign = '+'
		case ' ':
			if spec.sign == 0 {
				spec.sign = ' '
			}
		case '#':
			spec.alt = true
		case '0':
			spec.zero = true
		}
	}
	spec.width = p.size(&spec)
	if p.peek() == '.' {
		p.i++
		spec.precision = max(p.size(nil), 0)
	}
	if strings.IndexByte("hlL", p.peek()) >= 0 {
		p.i++
	}
	c, n := utf8.DecodeRuneInString(p.s.text[p.i:])
	p.peek()
	at := p.i
	p.i += n
	if c == '%' {
		p.b.write("%", p.s.originAt(start))
		return
	}
	if value == nil {
		value = p.next()
	}
	p.rt.make(spec.width + max(spec.precision, 0))
	p.format(spec, c, value, at)
}

// next is the next argument.
func (p *percenter) next() Value {
	if p.used >= len(p.args) {
		throw(typeType, "not enough arguments for format string")
	}
	p.used++
	return p.args[p.used-1]
}

// named looks up %(key).
func (p *percenter) named() Value {
	if p.mapping == nil {
		if len(p.args) == 1 {
			mustDefined(p.args[0])
		}
		throw(typeType, "format requires a mapping")
	}
	depth, start := 1, p.i+1
	for depth > 0 {
		if p.i++; p.i >= len(p.s.text) {
			throw(typeValue, "incomplete format key")
		}
		switch p.s.text[p.i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	key := p.s.slice(start, p.i)
	p.i++
	v, ok := p.mapping.get(key)
	if !ok {
		throw(typeKey, "%s", reprText(key.text))
	}
	return v
}

// size reads a width or precision; a negative width from an argument means left alignment.
func (p *percenter) size(spec *numberSpec) int {
	if p.peek() == '*' {
		p.i++
		v := p.next()
		n, ok := asInt(v)
		if !ok {
			throw(typeType, "* wants int")
		}
		if n < 0 && spec != nil {
			spec.align, n = '<', -n
		}
		return int(min(n, 1<<40))
	}
	n := 0
	for ; p.peek() >= '0' && p.peek() <= '9'; p.i++ {
		n = n*10 + int(p.peek()-'0')
		if n > 1<<31 {
			throw(typeValue, "width too big")
		}
	}
	return n
}

func (p *percenter) format(spec numberSpec, c rune, v Value, at int) {
	switch c {
	case 's', 'r', 'a':
		s := p.text(c, v)
		spec.zero = false
		if spec.precision >= 0 {
			s = p.rt.sliceStr(s, None, Int(spec.precision), None).(*Str)
		}
		p.b.add(p.rt.align(s, spec, '>'))
	case 'c':
		p.b.add(p.rt.align(p.char(v), spec, '>'))
	case 'd', 'i', 'u', 'o', 'x', 'X':
		p.b.add(p.rt.align(trusted(p.integer(spec, c, v)), numberAlign(spec), '>'))
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, ok := asFloat(v)
		if !ok {
			mustDefined(v)
			throw(typeType, "must be real number, not %s", v.typeName())
		}
		p.rt.expand(f, max(spec.precision, 0))
		p.b.add(p.rt.align(trusted(spec.float(f, byte(c))), numberAlign(spec), '>'))
	default:
		throw(typeValue, "unsupported format character '%c' (0x%x) at index %d", c, c, utf8.RuneCountInString(p.s.text[:at]))
	}
}

func (p *percenter) text(c rune, v Value) *Str {
	switch {
	case c == 'a':
		return p.rt.mapStr(p.rt.repr(v), func(s string) string { return string(asciiOnly(s)) })
	case c == 'r':
		v = p.rt.repr(v)
	}
	if p.s.markup {
		return p.rt.escape(v)
	}
	return p.rt.str(v)
}

func (p *percenter) char(v Value) *Str {
	if s, ok := v.(*Str); ok && s.length() == 1 {
		return s
	}
	n, ok := asInt(v)
	if !ok {
		throw(typeType, "%s", "%c requires int or char")
	}
	if n < 0 || n > utf8.MaxRune {
		throw(typeOverflow, "%s", "%c arg not in range(0x110000)")
	}
	return trusted(string(rune(n)))
}

func (p *percenter) integer(spec numberSpec, c rune, v Value) string {
	n, ok := asBig(v)
	if f, isFloat := v.(Float); isFloat && strings.ContainsRune("diu", c) {
		n, ok = bigFromFloat(float64(f)), true
	}
	if !ok {
		if strings.ContainsRune("diu", c) {
			mustDefined(v)
			throw(typeType, "%%%c format: a real number is required, not %s", c, v.typeName())
		}
		throw(typeType, "%%%c format: an integer is required, not %s", c, v.typeName())
	}
	return spec.integer(n, byte(c))
}
