package tools

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/lenient"
)

// maxGap bounds the white space between the end of a value and the tag that proves it.
const maxGap = 256

const (
	cdataOpen  = "<![CDATA["
	cdataClose = "]]>"
)

// readValue reads an argument's text to its end. Text may hold anything, tags of the format among it: a closing tag counts
// if what follows is a next argument or the end of the call (codec_tagged_end.go). A closing tag may also be missing before one of
// those.
func (s *taggedScanner) readValue(body []byte, final bool) (status, bool) {
	if s.cdata && !s.passed {
		if s.passed = s.passCDATA(body, final); !s.passed {
			return open, false
		}
	}
	if !s.passJSON(body, final) {
		return open, false
	}
	for s.pos < len(body) {
		i := bytes.IndexAny(body[s.pos:], "<[\n")
		if i < 0 {
			s.pos = len(body)
			break
		}
		at := s.pos + i
		next, a := s.valueEnds(body, at, final)
		switch a {
		case unknown:
			s.pos = at
			return open, false
		case yes:
			s.closeValue(body, at, next)
			return open, true
		}
		s.inner.pass(body, s.last, at, at+s.lastSize)
		s.pos = at + 1
	}
	if !final {
		return open, false
	}
	s.stop = len(body)
	return ended, false
}

// passCDATA moves behind a CDATA section at the value's start, inside of which nothing ends the value. It says whether what
// the value starts with is known.
func (s *taggedScanner) passCDATA(body []byte, final bool) bool {
	switch hasPrefix(body[s.from:], cdataOpen, final) {
	case no:
		return true
	case unknown:
		return false
	}
	from := max(s.pos, s.from+len(cdataOpen))
	i := bytes.Index(body[from:], []byte(cdataClose))
	switch {
	case i >= 0:
		s.pos = from + i + len(cdataClose)
	case !final:
		s.pos = max(from, len(body)-len(cdataClose)+1)
	}
	return i >= 0 || final
}

// passJSON moves behind a list or an object at the value's start, where the schema takes nothing else: tags in its strings end nothing. It
// says whether what the value starts with is known. Where brackets are open at a tag, or strings for too long, it starts with neither.
func (s *taggedScanner) passJSON(body []byte, final bool) bool {
	if s.unstructured {
		return true
	}
	i := skipSpace(body, s.from)
	switch {
	case i == len(body) && !final && i-s.from <= maxGap:
		return false
	case i == len(body) || body[i] != '{' && body[i] != '[' || !s.tool.schema.TakesOnlyContainers(s.field.key):
		s.unstructured = true
		return true
	}
	if s.json.Reached() <= s.from {
		s.json = lenient.Scanner{Rules: lenient.Rules{Terminators: []string{s.valueEnd()}}}
		s.json.Reset(i)
	}
	switch st := s.json.Step(body, final); {
	case st == lenient.Open && !final && s.json.Reached()-i <= maxBare:
		return false
	case st == lenient.Complete && !s.json.Torn:
		s.pos = s.json.End
	}
	s.unstructured = true
	return true
}

// valueEnds tells whether the value ends at offset i, and where reading goes on.
func (s *taggedScanner) valueEnds(body []byte, i int, final bool) (next int, a answer) {
	s.last = noTag
	if body[i] != '\n' {
		tag, n, a := s.tagAt(body, i, final)
		s.last, s.lastSize = tag, n
		switch {
		case a == unknown:
			return 0, unknown
		case tag == valueEnd:
			return i + n, s.goesOn(body, i+n, final)
		case tag == callEnd: // the argument's own end is missing
			return i, s.over(body, i, final)
		}
		if s.lines {
			return 0, no
		}
	}
	if s.inner.depth > 0 {
		return 0, no
	}
	return s.nextArgument(body, i, final)
}

// goesOn tells whether the call goes on or ends at offset i, as it does behind an argument.
func (s *taggedScanner) goesOn(body []byte, i int, final bool) answer {
	j := skipSpace(body, i)
	switch {
	case s.inner.depth > 0: // the argument is one of a call inside the value
		return no
	case j-i > maxGap || j == len(body) && final:
		return yes
	case j == len(body):
		return unknown
	}
	if s.value != "" { // a key may be closed twice
		switch hasPrefix(body[j:], s.arg.close, final) {
		case yes:
			return s.goesOn(body, j+len(s.arg.close), final)
		case unknown:
			return unknown
		}
	}
	if s.element != "" {
		if _, a := s.elementAt(body[j:], final); a != no {
			return a
		}
	}
	switch t, a := anyPrefix(body[j:], s.follow, final); {
	case a == yes && slices.Contains(s.closing, t):
		return s.over(body, j, final)
	case a != no:
		return a
	}
	asKey := s.value != "" && bytes.HasSuffix(body[:i], []byte(s.arg.close))
	if _, a := anyPrefix(body[j:], s.plan.terminators, final); a != no && !asKey {
		return a
	}
	_, a := s.unopenedKey(body[j:], final)
	return a
}

// unopenedKey tells whether the key of an argument that has not come yet stands at the start of text, with the end of its tag but not the
// beginning, and how long it is.
func (s *taggedScanner) unopenedKey(text []byte, final bool) (n int, a answer) {
	if s.element != "" {
		return 0, no
	}
	for n < len(text) && n <= maxName && nameByte(text[n]) {
		n++
	}
	switch {
	case n == len(text) && !final && n <= maxName:
		return 0, unknown
	case n == 0 || !s.tool.schema.Declares(string(text[:n])) || s.given(string(text[:n])):
		return 0, no
	}
	end := tagClose(s.arg.close)
	if n < len(text) && text[n] == '"' { // of the attribute, others may follow
		room := text[n:min(len(text), n+maxTag)]
		i := strings.Index(string(room), end)
		if i < 0 {
			return 0, boolean(!final && len(room) < maxTag && bytes.IndexByte(room, '\n') < 0, unknown)
		}
		n += i
	}
	return n, hasPrefix(text[n:], end, final)
}

// given tells whether an argument has come.
func (s *taggedScanner) given(key string) bool {
	return key == s.field.key || slices.ContainsFunc(s.current.fields, func(f field) bool { return f.key == key })
}

// nextArgument tells whether the tag of a declared argument that has not come yet stands on the line that begins at
// offset i: the value before it was not closed then.
func (s *taggedScanner) nextArgument(body []byte, i int, final bool) (int, answer) {
	j := skipSpace(body, i)
	if j == len(body) || j-i > maxGap {
		return i, boolean(!final && j-i <= maxGap, unknown)
	}
	tag, a := anyPrefix(body[j:], s.argOpens, final)
	if a != yes {
		return i, a
	}
	k := j + len(tag)
	end := bytes.Index(body[k:min(len(body), k+maxTag)], []byte(tagClose(s.arg.close)))
	if end < 0 {
		return i, boolean(!final && len(body) < k+maxTag, unknown)
	}
	key := attribute(string(body[k : k+end]))
	return i, boolean(s.tool.schema.Declares(key) && !s.given(key), yes)
}

// closeValue takes the value up to offset i; reading goes on at next.
func (s *taggedScanner) closeValue(body []byte, i, next int) {
	v := string(body[s.from:i])
	if t, ok := strings.CutPrefix(strings.TrimSpace(v), cdataOpen); s.cdata && ok && strings.HasSuffix(t, cdataClose) {
		v, s.field.kind = strings.TrimSuffix(t, cdataClose), asText
		if !s.tool.schema.OnlyString(s.field.key) {
			s.field.kind = bySchema
		}
	} else if s.lines {
		ending := "\n"
		if strings.HasPrefix(v, "\r\n") {
			ending = "\r\n"
		}
		v = strings.TrimSuffix(strings.TrimPrefix(v, ending), ending)
	} else if next == i && body[i] != '\n' {
		v = strings.TrimSuffix(strings.TrimSuffix(v, "\n"), "\r") // the line break is the missing end's
	}
	if next == i {
		v = s.withoutEnd(v)
		s.torn = s.torn || strings.Contains(v, s.valueEnd()) // one of which this may be the rest
	}
	s.field.value = v
	s.current.fields = append(s.current.fields, s.field)
	s.pos, s.state, s.passed, s.inner, s.element = next, inCall, false, nesting{}, ""
	s.unstructured = false
}

// withoutEnd is a value whose end is missing, without a tag that may be it, written as others write it.
func (s *taggedScanner) withoutEnd(v string) string {
	word := strings.Trim(s.valueEnd(), "</>")
	if i := strings.LastIndexAny(word, "｜|:"); i >= 0 {
		word = strings.TrimLeft(word[i:], "｜|:")
	}
	v = strings.TrimSuffix(v, "</"+word+">")
	for end := s.valueEnd(); len(end) > len("</"); end = end[:len(end)-1] {
		if cut, ok := strings.CutSuffix(v, end); ok {
			return cut
		}
	}
	return v
}

// spelt is the codec with its bars as an opener has them.
func (c taggedCodec) spelt(opener string) taggedCodec {
	if strings.Contains(opener, "｜") || !strings.Contains(opener, "|") {
		return c
	}
	for _, t := range []*string{&c.call.open, &c.callEnd, &c.arg.open, &c.argEnd} {
		*t = strings.ReplaceAll(*t, "｜", "|")
	}
	return c
}

// tagOpens are the ways in which a tag may begin that has a name or a key in it: <function= is written <function name= too.
func tagOpens(start string) []string {
	all := []string{tagOpen(start)}
	if a := attributeTag(start); a != "" {
		all = append(all, a)
	}
	return all
}

// attributeTag is a tag's start of which the name is the value, with the name as an attribute; "" if that is how it is.
func attributeTag(start string) string {
	tag, ok := strings.CutSuffix(start, "=")
	if !ok || strings.Contains(tag, " ") {
		return ""
	}
	return tag + " name="
}

// tagOpen is a tag's start without the quote that may open an attribute: models leave it out or write another.
func tagOpen(start string) string { return strings.TrimSuffix(start, `"`) }

// tagClose is a tag's end without the quote that may close an attribute.
func tagClose(end string) string {
	if end == "" {
		return "\n"
	}
	return strings.TrimPrefix(end, `"`)
}

// attribute is a name or key without quotes and without the attributes behind it.
func attribute(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "name="), "=")
	text = strings.TrimLeft(text, "\"'")
	if i := strings.IndexAny(text, "\"'\n"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}
