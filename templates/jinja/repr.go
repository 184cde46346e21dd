package jinja

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain is the string without the mark that it is already escaped.
func (s *Str) plain() *Str {
	if !s.markup {
		return s
	}
	c := *s
	c.markup = false
	return &c
}

// str is Python's str(v).
func (rt *runtime) str(v Value) *Str {
	switch v := v.(type) {
	case *Str:
		return v.plain()
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
	rt       *runtime
	depth    int
	open     []Value // namespaces being printed
	sortKeys bool    // of dicts
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
	case noneValue:
		p.neutral("None")
	case Bool:
		if v {
			p.neutral("True")
		} else {
			p.neutral("False")
		}
	case Int:
		p.neutral(v.text())
	case bigInt:
		p.neutral(v.text())
	case Float:
		p.neutral(v.text())
	case *Str:
		p.reprStr(v)
	case *List:
		p.sequence("[", v.items, "]")
	case *groupTuple: // whose items pprint does not look into
		plain := printer{rt: p.rt}
		plain.repr(&v.Tuple)
		p.add(plain.str())
	case *Tuple:
		list, _ := items(v)
		if len(list) == 1 {
			p.sequence("(", list, ",)")
		} else {
			p.sequence("(", list, ")")
		}
	case *Dict:
		p.dict(v)
	case *undefined:
		p.neutral("Undefined")
	default:
		p.object(v)
	}
}

func (p *printer) sequence(open string, list []Value, end string) {
	p.neutral(open)
	p.nested(func() {
		for i, it := range list {
			if i > 0 {
				p.neutral(", ")
			}
			p.repr(it)
		}
	})
	p.neutral(end)
}

func (p *printer) dict(d *Dict) {
	entries := d.entries
	if p.sortKeys {
		entries = p.rt.sortedEntries(d)
	}
	p.neutral("{")
	p.nested(func() {
		for i, e := range entries {
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

func (p *printer) object(v Value) {
	switch v := v.(type) {
	case *rangeValue:
		p.neutral(fmt.Sprintf("range(%d, %d", v.start, v.stop))
		if v.step != 1 {
			p.neutral(fmt.Sprintf(", %d", v.step))
		}
		p.neutral(")")
	case *dictView:
		p.neutral(v.typeName() + "(")
		p.sequence("[", p.rt.list(v), "]")
		p.neutral(")")
	case *namespace:
		p.neutral("<Namespace ")
		p.namespace(v)
		p.neutral(">")
	case *loopValue:
		p.neutral(fmt.Sprintf("<LoopContext %d/%d>", v.index0+1, v.count()))
	default:
		p.neutral(describe(v))
	}
}

// namespace prints a namespace's dict; one that holds itself is cut short, as Python does.
func (p *printer) namespace(n *namespace) {
	for _, o := range p.open {
		if o == Value(n) {
			p.neutral("{...}")
			return
		}
	}
	p.open = append(p.open, n)
	p.dict(n.attrs)
	p.open = p.open[:len(p.open)-1]
}

// reprStr writes a quoted string; quotes and escapes are of the origin of what they enclose.
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
	for i, r := range text {
		switch {
		case r == '\n':
			buf = append(buf, `\n`...)
		case r == '\t':
			buf = append(buf, `\t`...)
		case r == '\r':
			buf = append(buf, `\r`...)
		case r == '\\' || r == rune(quote):
			buf = append(buf, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			buf = append(buf, byte(r))
		case unicode.IsPrint(r):
			_, n := utf8.DecodeRuneInString(text[i:])
			buf = append(buf, text[i:i+n]...)
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

// sortedEntries sorts a dict by its keys; keys that do not compare are sorted by type.
func (rt *runtime) sortedEntries(d *Dict) []entry {
	entries := append([]entry{}, d.entries...)
	sort.SliceStable(entries, func(i, j int) bool {
		a, b := entries[i].key, entries[j].key
		var c int
		var ordered bool
		if attempt(func() { c, ordered = rt.order(relLess, a, b) }) != nil {
			return a.typeName() < b.typeName()
		}
		return ordered && c < 0
	})
	return entries
}
