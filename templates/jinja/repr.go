package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// str is Python's str(v).
func (rt *runtime) str(v Value) *Str {
	switch v := v.(type) {
	case *Str:
		return v
	case *undefined:
		return emptyStr
	}
	return rt.repr(v)
}

// repr is Python's repr(v).
func (rt *runtime) repr(v Value) *Str {
	p := printer{rt: rt}
	p.repr(v)
	return p.str()
}

// reprText is the repr of a Go string.
func reprText(s string) string { return plainRepr(trusted(s)) }

// plainRepr is repr for error messages.
func plainRepr(v Value) string {
	rt := &runtime{limits: Limits{}.withDefaults(), steps: defaultSteps}
	return rt.repr(v).text
}

// printer writes values as Python or as JSON.
type printer struct {
	textBuilder
	rt    *runtime
	depth int
}

// grow counts what was written since the last call.
func (p *printer) grow() {
	p.rt.spend(1)
	p.rt.fits(len(p.buf))
}

// nested runs f one level deeper.
func (p *printer) nested(f func()) {
	if p.depth++; p.depth > 2*maxDepth {
		throw(typeRecursion, "maximum recursion depth exceeded while getting the repr of an object")
	}
	f()
	p.depth--
}

func (p *printer) repr(v Value) {
	p.grow()
	p.rt.scan(v)
	switch v := v.(type) {
	case noneValue, Bool, Int, bigInt, Float:
		p.neutral(scalar(v))
	case *Str:
		p.reprStr(v)
	case *List:
		p.sequence(v)
	case *Dict:
		p.dict(v)
	case *undefined:
		p.neutral("Undefined")
	case *rangeValue:
		p.neutral(fmt.Sprintf("range(%d, %d", v.start, v.stop))
		if v.step != 1 {
			p.neutral(fmt.Sprintf(", %d", v.step))
		}
		p.neutral(")")
	case *namespace:
		p.neutral("<Namespace ")
		p.dict(v.attrs)
		p.neutral(">")
	case *macro:
		p.neutral("<Macro " + reprText(v.def.name) + ">")
	default:
		p.neutral("<" + v.typeName() + " object>")
	}
}

// scalar is Python's text of what is neither text nor container.
func scalar(v Value) string {
	switch v := v.(type) {
	case Bool:
		if v {
			return "True"
		}
		return "False"
	case Int:
		return strconv.FormatInt(int64(v), 10)
	case bigInt:
		return string(v)
	case Float:
		return v.text()
	}
	return "None"
}

var listBrackets = [...][2]string{
	isList: {"[", "]"}, isTuple: {"(", ")"}, isKeys: {"dict_keys([", "])"}, isValues: {"dict_values([", "])"}, isItems: {"dict_items([", "])"},
}

func (p *printer) sequence(l *List) {
	p.neutral(listBrackets[l.kind][0])
	p.nested(func() {
		for i, it := range l.items {
			if i > 0 {
				p.neutral(", ")
			}
			p.repr(it)
		}
	})
	if l.kind == isTuple && len(l.items) == 1 {
		p.neutral(",")
	}
	p.neutral(listBrackets[l.kind][1])
}

func (p *printer) dict(d *Dict) {
	p.neutral("{")
	p.nested(func() {
		for i, e := range d.entries {
			if i > 0 {
				p.neutral(", ")
			}
			p.repr(e.key)
			p.neutral(": ")
			p.repr(e.value)
		}
	})
	p.neutral("}")
}

// reprStr writes a quoted string. Quotes and escapes get the origin (client or template) of the
// text they enclose.
func (p *printer) reprStr(s *Str) {
	if s.markup {
		p.neutral("Markup(")
		defer p.neutral(")")
	}
	quote := byte('\'')
	if strings.Contains(s.text, "'") && !strings.Contains(s.text, `"`) {
		quote = '"'
	}
	p.write(string(quote), s.originAt(0))
	s.eachRun(0, len(s.text), func(i, j int, o Origin) {
		p.turn(o)
		p.buf = appendRepr(p.buf, s.text[i:j], quote)
	})
	p.buf = append(p.buf, quote)
}

// appendRepr appends text with Python's escapes.
func appendRepr(buf []byte, text string, quote byte) []byte {
	for _, r := range text {
		switch {
		case r == '\n':
			buf = append(buf, `\n`...)
		case r == '\t':
			buf = append(buf, `\t`...)
		case r == '\r':
			buf = append(buf, `\r`...)
		case r == '\\' || r == rune(quote):
			buf = append(buf, '\\', byte(r))
		case unicode.IsPrint(r):
			buf = utf8.AppendRune(buf, r)
		case r < 0x100:
			buf = fmt.Appendf(buf, `\x%02x`, r)
		case r < 0x10000:
			buf = fmt.Appendf(buf, `\u%04x`, r)
		default:
			buf = fmt.Appendf(buf, `\U%08x`, r)
		}
	}
	return buf
}
