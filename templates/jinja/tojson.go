package jinja

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// jsonStyle is how tojson writes, by json.dumps' arguments.
type jsonStyle struct {
	ascii    bool
	sortKeys bool
	item     *Str // between items
	key      *Str // between key and value
	indent   *Str // of one level; nil for all on one line
}

var (
	commaSpace = trusted(", ")
	comma      = trusted(",")
	colonSpace = trusted(": ")
)

// filterToJSON is Hugging Face's tojson: json.dumps without ASCII or HTML escapes.
func filterToJSON(rt *runtime, a []Value) Value {
	if s, ok := rt.remember("tojson", nil, &callArgs{pos: a}, func() *Str { return toJSON(rt, a) }); ok {
		rt.scan(s)
		return s
	}
	return toJSON(rt, a)
}

func toJSON(rt *runtime, a []Value) *Str {
	style := jsonStyle{ascii: truthy(a[1]), sortKeys: truthy(a[4]), item: commaSpace, key: colonSpace}
	style.setIndent(rt, a[2])
	if a[3] != None {
		style.setSeparators(rt, a[3])
	}
	p := printer{rt: rt}
	p.json(a[0], &style, 0)
	rt.spend(len(p.buf) / bytesPerStep)
	return p.str()
}

func (s *jsonStyle) setIndent(rt *runtime, v Value) {
	if v == None {
		return
	}
	s.item = comma
	if text, ok := v.(*Str); ok {
		s.indent = text
	} else {
		s.indent = rt.fill(trusted(" "), wantInt(v))
	}
}

func (s *jsonStyle) setSeparators(rt *runtime, v Value) {
	parts := rt.items(v)
	if len(parts) != 2 {
		wrongCount(2, len(parts))
	}
	s.item, s.key = wantStr(parts[0]), wantStr(parts[1])
}

func (p *printer) json(v Value, style *jsonStyle, level int) {
	p.grow()
	p.rt.scan(v)
	switch v := v.(type) {
	case *Str:
		p.jsonStr(v, style.ascii)
	case noneValue, Bool, Int, bigInt, Float:
		p.neutral(jsonScalar(v))
	case *Dict:
		p.jsonDict(v, style, level)
	default:
		l, ok := v.(*List)
		if !ok || !l.ordinary() {
			throw(typeType, "Object of type %s is not JSON serializable", v.typeName())
		}
		p.jsonList(l.items, style, level)
	}
}

func jsonScalar(v Value) string {
	switch text := scalar(v); text {
	case "None":
		return "null"
	case "True", "False", "nan":
		return map[string]string{"True": "true", "False": "false", "nan": "NaN"}[text]
	default:
		return strings.Replace(text, "inf", "Infinity", 1)
	}
}

// line begins a line of an indented text.
func (p *printer) line(style *jsonStyle, level int) {
	if style.indent == nil {
		return
	}
	p.neutral("\n")
	for range level {
		p.grow()
		p.neutral(style.indent.text)
	}
}

func (p *printer) jsonList(list []Value, style *jsonStyle, level int) {
	if len(list) == 0 {
		p.neutral("[]")
		return
	}
	p.neutral("[")
	p.nested(func() {
		for i, it := range list {
			p.separate(style, i)
			p.line(style, level+1)
			p.json(it, style, level+1)
		}
	})
	p.line(style, level)
	p.neutral("]")
}

// separate writes the separator before the item at i.
func (p *printer) separate(style *jsonStyle, i int) {
	switch {
	case i == 0:
	case style.item == comma || style.item == commaSpace:
		p.neutral(style.item.text)
	default:
		p.add(style.item)
	}
}

func (p *printer) jsonDict(d *Dict, style *jsonStyle, level int) {
	if d.Len() == 0 {
		p.neutral("{}")
		return
	}
	entries := d.entries
	if style.sortKeys {
		entries = append([]entry{}, entries...)
		sort.SliceStable(entries, func(i, j int) bool {
			c, ordered := p.rt.order(relLess, entries[i].key, entries[j].key)
			return ordered && c < 0
		})
	}
	p.neutral("{")
	p.nested(func() {
		for i, e := range entries {
			p.separate(style, i)
			p.line(style, level+1)
			p.jsonKey(e.key, style.ascii)
			if style.key == colonSpace {
				p.neutral(style.key.text)
			} else {
				p.add(style.key)
			}
			p.json(e.value, style, level+1)
		}
	})
	p.line(style, level)
	p.neutral("}")
}

func (p *printer) jsonKey(k Value, ascii bool) {
	p.rt.scan(k)
	switch k := k.(type) {
	case *Str:
		p.jsonStr(k, ascii)
	case noneValue, Bool, Int, bigInt, Float:
		p.neutral(`"` + jsonScalar(k) + `"`)
	default:
		throw(typeType, "keys must be str, int, float, bool or None, not %s", k.typeName())
	}
}

// jsonStr writes a quoted string. Quotes and escapes get the origin (client or template) of the
// text they enclose.
func (p *printer) jsonStr(s *Str, ascii bool) {
	p.turn(s.originAt(0))
	p.buf = append(p.buf, '"')
	if s.runs == nil {
		p.buf = appendJSON(p.buf, s.text, ascii)
	} else {
		s.eachRun(0, len(s.text), func(i, j int, o Origin) {
			p.turn(o)
			p.buf = appendJSON(p.buf, s.text[i:j], ascii)
		})
	}
	p.buf = append(p.buf, '"')
}

var jsonEscapes = [128]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}

// appendJSON appends text with the escapes of json.dumps.
func appendJSON(buf []byte, text string, ascii bool) []byte {
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && (c < 0x7f || !ascii) {
			i++
			continue
		}
		buf = append(buf, text[from:i]...)
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case c < 0x80 && jsonEscapes[c] != "":
			buf = append(buf, jsonEscapes[c]...)
		case r >= 0x10000:
			r -= 0x10000
			buf = fmt.Appendf(buf, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			buf = fmt.Appendf(buf, `\u%04x`, r)
		}
		i += n
		from = i
	}
	return append(buf, text[from:]...)
}
