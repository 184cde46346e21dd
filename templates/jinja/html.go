package jinja

import (
	"html"
	"regexp"
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

func (rt *runtime) markIfEscaping(s *Str) *Str {
	if rt.autoescape {
		return markupOf(s)
	}
	return s
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

// stripTags is Markup.striptags: comments and tags removed, whitespace collapsed, entities resolved.
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

var attrNameRE = regexp.MustCompile(`[\t\n\v\f\r />=]`)

func filterXMLAttr(rt *runtime, a []Value) Value {
	d, ok := a[0].(*Dict)
	if !ok {
		mustDefined(a[0])
		noAttribute(a[0], "items")
	}
	var b textBuilder
	for _, e := range d.entries {
		if e.value == None || isUndefined(e.value) {
			continue
		}
		key, ok := e.key.(*Str)
		if !ok {
			throw(typeType, "expected string or bytes-like object, got '%s'", e.key.typeName())
		}
		if attrNameRE.MatchString(key.text) {
			throw(typeValue, "Invalid character in attribute name: %s", rt.repr(key).text)
		}
		if len(b.buf) > 0 || rt.truth(a[1]) {
			b.write(" ", Trusted)
		}
		b.add(rt.escape(key))
		b.write(`="`, Trusted)
		b.add(rt.escape(e.value))
		b.write(`"`, Trusted)
		rt.fits(len(b.buf))
	}
	return rt.markIfEscaping(b.str())
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

var (
	linkRE = regexp.MustCompile(`(?i)^((https?://|www\.)(([\pL\pN_%-]+\.)+)?([a-z]{2,63}|xn--[\pL\pN_%]{2,59})` +
		`|([\pL\pN_%-]{2,63}\.)+(com|net|int|edu|gov|org|info|mil)` +
		`|(https?://)((([\d]{1,3})(\.[\d]{1,3}){3})|(\[([\da-f]{0,4}:){2}([\da-f]{0,4}:?){1,6}])))(?::[\d]{1,5})?(?:[/?#]\S*)?$`)
	emailRE  = regexp.MustCompile(`^\S+@[\pL\pN_][\pL\pN_.-]*\.[\pL\pN_]+$`)
	schemeRE = regexp.MustCompile(`^([\pL\pN_.+-]{2,}:(/){0,2})$`)
	headRE   = regexp.MustCompile(`^([(<]|&lt;)+`)
	tailRE   = regexp.MustCompile(`([)>.,\n]|&gt;)+$`)
)

// linker makes the links of urlize.
type linker struct {
	attrs   string
	rt      *runtime
	limit   Value // of a link's text in characters, or None
	schemes []string
}

// filterURLize makes links of what looks like one. Its result has one origin: content, if any of the text was.
func filterURLize(rt *runtime, a []Value) Value {
	rels := map[string]bool{"noopener": true}
	if a[4] != None {
		for _, r := range strings.Fields(rt.str(a[4]).text) {
			rels[r] = true
		}
	}
	if rt.truth(a[2]) {
		rels["nofollow"] = true
	}
	l := linker{rt: rt, limit: a[1], attrs: ` rel="` + htmlEscaper.Replace(strings.Join(sortedKeys(rels), " ")) + `"`}
	if rt.truth(a[3]) {
		l.attrs += ` target="` + rt.escape(a[3]).text + `"`
	}
	if a[5] != None {
		for _, s := range rt.list(a[5]) {
			scheme := rt.str(s).text
			if !schemeRE.MatchString(scheme) {
				throw(typeFilterArg, "%s is not a valid URI scheme prefix.", reprText(scheme))
			}
			l.schemes = append(l.schemes, scheme)
		}
	}
	text := rt.escape(a[0]).plain()
	rt.make(8 * len(text.text))
	rt.spend(len(text.text)) // each word is compared with several patterns
	rt.spend(saturate(int64(len(text.text)), int64(len(l.schemes))))
	origin := text.origin
	if text.runs != nil {
		origin = Content
	}
	return rt.markIfEscaping(NewString(l.links(text.text), origin))
}

func (l *linker) links(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end := at + len(text[at:]) - len(strings.TrimLeftFunc(text[at:], isSpace))
		b.WriteString(text[at:end])
		word := text[end:]
		if i := strings.IndexFunc(word, isSpace); i >= 0 {
			word = word[:i]
		}
		b.WriteString(l.word(word))
		at = end + len(word)
	}
	return b.String()
}

// word makes a link of a word, brackets and punctuation around it aside.
func (l *linker) word(word string) string {
	head := headRE.FindString(word)
	middle := word[len(head):]
	tail := tailRE.FindString(middle)
	middle = middle[:len(middle)-len(tail)]
	for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
		opened := strings.Count(middle, pair[0])
		if opened <= strings.Count(middle, pair[1]) {
			continue
		}
		for range min(opened, strings.Count(tail, pair[1])) {
			i := strings.Index(tail, pair[1]) + len(pair[1])
			middle, tail = middle+tail[:i], tail[i:]
		}
	}
	return head + l.link(middle) + tail
}

func (l *linker) link(s string) string {
	switch {
	case linkRE.MatchString(s):
		href := s
		if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
			href = "https://" + s
		}
		return `<a href="` + href + `"` + l.attrs + `>` + l.trim(s) + `</a>`
	case strings.HasPrefix(s, "mailto:") && emailRE.MatchString(s[7:]):
		return `<a href="` + s + `">` + s[7:] + `</a>`
	case strings.Contains(s, "@") && !strings.HasPrefix(s, "www.") && !strings.HasPrefix(s, "@") && !strings.Contains(s, ":") && emailRE.MatchString(s):
		return `<a href="mailto:` + s + `">` + s + `</a>`
	}
	for _, scheme := range l.schemes {
		if s != scheme && strings.HasPrefix(s, scheme) {
			return `<a href="` + s + `"` + l.attrs + `>` + s + `</a>`
		}
	}
	return s
}

// trim shortens a link's text to the limit.
func (l *linker) trim(s string) string {
	text := trusted(s)
	if l.limit == None || !l.rt.compare(relGreater, Int(text.length()), l.limit) {
		return s
	}
	return l.rt.sliceStr(text, None, l.limit, None).(*Str).text + "..."
}
