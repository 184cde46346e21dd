package jinja

import (
	"html"
	"strings"
)

// markupOf marks a string as already escaped.
func markupOf(s *Str) *Str {
	if s.markup {
		return s
	}
	c := *s
	c.markup = true
	return &c
}

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// escape is markupsafe.escape: text made safe for HTML, unless it is already.
func (rt *runtime) escape(v Value) *Str {
	if s, ok := v.(*Str); ok && s.markup {
		return s
	}
	s := rt.str(v)
	rt.make(6 * len(s.text))
	return markupOf(s.mapText(htmlEscaper.Replace))
}

func unescapeHTML(s string) string { return html.UnescapeString(s) }

// stripTags is Markup.striptags: comments and tags removed, whitespace collapsed, entities
// resolved.
func (rt *runtime) stripTags(s *Str) *Str {
	s = s.plain()
	rt.fits(len(s.text))
	rt.spend(1 + len(s.text)) // it is read and copied over and over
	s = cutBetween(s, "<!--", "-->")
	s = cutBetween(s, "<", ">")
	return joinStrs(trusted(" "), splitSpace(s, -1)).mapText(unescapeHTML)
}

// cutBetween removes everything from open to the next end, as often as both are found.
func cutBetween(s *Str, open, end string) *Str {
	var b textBuilder
	at := 0
	for {
		i := strings.Index(s.text[at:], open)
		if i < 0 {
			break
		}
		j := strings.Index(s.text[at+i:], end)
		if j < 0 {
			break
		}
		b.addSlice(s, at, at+i)
		at += i + j + len(end)
	}
	b.addSlice(s, at, len(s.text))
	return b.str()
}

func filterURLEncode(rt *runtime, a []Value) Value {
	_, isStr := a[0].(*Str)
	if isStr || !iterable(a[0]) {
		return rt.quote(a[0], false)
	}
	v := a[0]
	if d, ok := v.(*Dict); ok {
		v = &dictView{"items", d}
	}
	var parts []*Str
	for _, it := range rt.list(v) {
		if !iterable(it) {
			throw(typeType, "cannot unpack non-iterable %s object", it.typeName())
		}
		pair := rt.list(it)
		if len(pair) != 2 {
			wrongCount(2, len(pair))
		}
		parts = append(parts, joinStrs(trusted("="), []*Str{rt.quote(pair[0], true), rt.quote(pair[1], true)}))
	}
	return joinStrs(trusted("&"), parts)
}

// quote percent-encodes as urllib does; a query's spaces become plus signs.
func (rt *runtime) quote(v Value, query bool) *Str {
	s := rt.str(v)
	rt.make(3 * len(s.text))
	return s.mapText(func(text string) string {
		var b strings.Builder
		for i := range len(text) {
			c := text[i]
			switch {
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.-~", c) >= 0, c == '/' && !query:
				b.WriteByte(c)
			case c == ' ' && query:
				b.WriteByte('+')
			default:
				b.WriteByte('%')
				b.WriteByte("0123456789ABCDEF"[c>>4])
				b.WriteByte("0123456789ABCDEF"[c&15])
			}
		}
		return b.String()
	})
}
