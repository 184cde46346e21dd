package scan

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// readValue reads an argument's text to its end. Text may hold anything, tags of the format among
// it: a closing tag counts if what follows is a next argument or the end of the call
// (tagged_end.go). A closing tag may also be missing before one of those.
func (s *taggedScanner) readValue(body []byte, final bool) (Status, bool) {
	if s.CDATA && !s.passed {
		if s.passed = s.passCDATA(body, final); !s.passed {
			return Open, false
		}
	}
	if !s.passJSON(body, final) {
		return Open, false
	}
	for s.pos < len(body) {
		i := s.stops.Index(body[s.pos:])
		if i < 0 {
			s.pos = len(body)
			break
		}
		at := s.pos + i
		next, a := s.valueEnds(body, at, final)
		switch a {
		case peek.Unknown:
			s.pos = at
			return Open, false
		case peek.Yes:
			s.closeValue(body, at, next)
			return Open, true
		}
		s.inner.pass(body, s.last, at, at+s.lastSize)
		s.pos = at + 1
	}
	if !final {
		return Open, false
	}
	if at, next := s.onlyEnd(body); next > 0 {
		s.closeValue(body, at, next)
		return Open, true
	}
	s.stop = len(body)
	return Ended, false
}

// onlyEnd is the tag that closes the value of a call if what opens calls in it has no end there,
// and where that tag ends: the only one behind which the call goes on or ends as its tool demands.
// The text must end as calls do.
func (s *taggedScanner) onlyEnd(body []byte) (at, next int) {
	open := s.inner.depth > 0
	if s.inner == (nesting{}) || !peek.EndsWithTag(bytes.TrimSpace(body), s.closing) {
		return 0, 0
	}
	s.inner, s.ahead, s.last = nesting{}, outlook{}, valueEnd
	for i := s.from; i < len(body); i++ {
		n := s.stops.Index(body[i:])
		if n < 0 {
			break
		}
		i += n
		t, size, _ := s.tagAt(body, i, true)
		if t != valueEnd || s.goesOn(body, i+size, true) != peek.Yes {
			continue
		}
		if _, a := s.nextArgument(body, i+size, true); a != peek.Yes && (!open || !s.complete()) {
			continue
		}
		if next > 0 {
			return 0, 0
		}
		at, next = i, i+size
	}
	return at, next
}

// complete tells whether no argument is missing that the tool demands.
func (s *taggedScanner) complete() bool {
	return !slices.ContainsFunc(s.tool.Members, func(p declared.Property) bool { return p.Required && !s.given(p.Key) })
}

// passCDATA moves behind a CDATA section at the value's start, inside of which nothing ends the
// value. It says whether what the value starts with is known.
func (s *taggedScanner) passCDATA(body []byte, final bool) bool {
	switch peek.Prefix(body[s.from:], format.CDATAOpen, final) {
	case peek.No:
		return true
	case peek.Unknown:
		return false
	}
	from := max(s.pos, s.from+len(format.CDATAOpen))
	i := bytes.Index(body[from:], []byte(format.CDATAClose))
	switch {
	case i >= 0:
		s.pos = from + i + len(format.CDATAClose)
	case !final:
		s.pos = max(from, len(body)-len(format.CDATAClose)+1)
	}
	return i >= 0 || final
}

// passJSON moves behind a list or an object at the value's start, where the schema takes nothing
// else: tags in its strings end nothing. It says whether what the value starts with is known.
// Where brackets are open at a tag, or strings for too long, it starts with neither.
func (s *taggedScanner) passJSON(body []byte, final bool) bool {
	if s.unstructured {
		return true
	}
	i := peek.SkipSpace(body, s.from)
	switch {
	case i == len(body) && !final && i-s.from <= peek.MaxGap:
		return false
	case i == len(body) || body[i] != '{' && body[i] != '[' || !s.tool.Schema.TakesOnlyContainers(s.field.Key):
		s.unstructured = true
		return true
	}
	if s.json.Reached() <= s.from {
		s.json = lenient.Scanner{Rules: lenient.Rules{Terminators: peek.NewTexts([]string{s.valueEnd()})}}
		s.json.Reset(i)
	}
	switch st := s.json.Step(body, final); {
	case st == lenient.Open && !final && s.json.Reached()-i <= MaxBare:
		return false
	case st == lenient.Complete && !s.json.Ambiguous:
		s.pos = s.json.End
	}
	s.unstructured = true
	return true
}

// valueEnds tells whether the value ends at offset i, and where reading goes on.
func (s *taggedScanner) valueEnds(body []byte, i int, final bool) (next int, a peek.Answer) {
	s.last = noTag
	if s.nested {
		return s.nestedEnds(body, i, final)
	}
	if body[i] != '\n' {
		tag, n, a := s.tagAt(body, i, final)
		s.last, s.lastSize = tag, n
		switch {
		case a == peek.Unknown:
			return 0, peek.Unknown
		case tag == valueEnd:
			return i + n, s.goesOn(body, i+n, final)
		case tag == callEnd: // the argument's own end is missing
			return i, s.over(body, i, final)
		}
		if s.Lines {
			return 0, peek.No
		}
	}
	if s.inner.depth > 0 {
		return 0, peek.No
	}
	return s.nextArgument(body, i, final)
}

// goesOn tells whether the call goes on or ends at offset i, as it does behind an argument.
func (s *taggedScanner) goesOn(body []byte, i int, final bool) peek.Answer {
	j := peek.SkipSpace(body, i)
	switch s.doubled(body[j:], final) {
	case peek.Yes:
		j += len(s.noise)
	case peek.Unknown:
		return peek.Unknown
	}
	switch {
	case s.inner.depth > 0: // the argument is one of a call inside the value
		return peek.No
	case j-i > peek.MaxGap || j == len(body) && final:
		return peek.Yes
	case j == len(body):
		return peek.Unknown
	}
	if s.Value != "" { // a key may be closed twice
		switch peek.Prefix(body[j:], s.Arg.Close, final) {
		case peek.Yes:
			return s.goesOn(body, j+len(s.Arg.Close), final)
		case peek.Unknown:
			return peek.Unknown
		}
	}
	if s.nested {
		if _, a := s.elementNext(body, j, final); a != peek.No {
			return a
		}
	}
	if s.element != "" && (!s.nested || s.field.Tree.Noise == "" || bytes.HasSuffix(body[:i], []byte(s.element))) {
		if _, a := s.elementAt(body[j:], final); a != peek.No {
			return a
		}
	}
	switch t, a := s.tagOf(s.follow, body, j, final); {
	case a == peek.Yes && !slices.Contains(s.argOpens, t):
		return s.over(body, j, final)
	case a != peek.No:
		return a
	}
	if _, a := peek.CutOff(body[j:], s.closing, &s.Plan.TurnEnds, final); a != peek.No {
		return a
	}
	if asKey := s.Value != "" && bytes.HasSuffix(body[:i], []byte(s.Arg.Close)); !asKey {
		switch s.Plan.Terminators.Tag(body[j:], final) {
		case peek.Yes:
			return s.endsBefore(body, i, j, final)
		case peek.Unknown:
			return peek.Unknown
		}
	}
	_, a := s.unopenedKey(body[j:], final)
	return a
}

// unopenedKey tells whether the key of an argument that has not come yet stands at the start of
// text, with the end of its tag but not the beginning, and how long it is.
func (s *taggedScanner) unopenedKey(text []byte, final bool) (n int, a peek.Answer) {
	if s.element != "" {
		return 0, peek.No
	}
	for n < len(text) && n <= turn.MaxName && peek.NameByte(text[n]) {
		n++
	}
	switch {
	case n == len(text) && !final && n <= turn.MaxName:
		return 0, peek.Unknown
	case n == 0 || !s.tool.Schema.Declares(string(text[:n])) || s.given(string(text[:n])):
		return 0, peek.No
	}
	end := format.TagClose(s.Arg.Close)
	if n < len(text) && text[n] == '"' { // of the attribute, others may follow on its line
		room := text[n:min(len(text), n+peek.MaxTag)]
		line, _, broken := bytes.Cut(room, []byte("\n"))
		i := bytes.Index(line, []byte(end))
		if i < 0 {
			return 0, peek.Boolean(!final && len(room) < peek.MaxTag && !broken, peek.Unknown)
		}
		n += i
	}
	return n, peek.Prefix(text[n:], end, final)
}

// given tells whether an argument has come.
func (s *taggedScanner) given(key string) bool {
	return key == s.field.Key || slices.ContainsFunc(s.current.Fields, func(f declared.Field) bool { return f.Key == key })
}

// nextArgument tells whether the tag of a declared argument that has not come yet stands on the
// line that begins at offset i: the value before it was not closed then.
func (s *taggedScanner) nextArgument(body []byte, i int, final bool) (int, peek.Answer) {
	j := peek.SkipSpace(body, i)
	if j == len(body) || j-i > peek.MaxGap {
		return i, peek.Boolean(!final && j-i <= peek.MaxGap, peek.Unknown)
	}
	if s.nested {
		key, a := s.elementNext(body, j, final)
		return i, peek.Boolean(a == peek.Unknown || s.tool.Schema.Declares(key) && !s.given(key), a)
	}
	tag, a := s.tagOf(s.argOpens, body, j, final)
	if a != peek.Yes {
		return i, a
	}
	k := j + len(tag)
	end := bytes.Index(body[k:min(len(body), k+peek.MaxTag)], []byte(format.TagClose(s.Arg.Close)))
	if end < 0 {
		return i, peek.Boolean(!final && len(body) < k+peek.MaxTag, peek.Unknown)
	}
	key := s.keyIn(string(body[k : k+end]))
	return i, peek.Boolean(s.tool.Schema.Declares(key) && !s.given(key), peek.Yes)
}

// closeValue takes the value up to offset i; reading goes on at next.
func (s *taggedScanner) closeValue(body []byte, i, next int) {
	v := string(body[s.from:i])
	if t, ok := strings.CutPrefix(strings.TrimSpace(v), format.CDATAOpen); s.CDATA && ok && strings.HasSuffix(t, format.CDATAClose) {
		v, s.field.Kind = strings.TrimSuffix(t, format.CDATAClose), declared.AsText
		if !s.tool.Schema.OnlyString(s.field.Key) {
			s.field.Kind = declared.BySchema
		}
	} else if s.Lines {
		ending := "\n"
		if strings.HasPrefix(v, "\r\n") {
			ending = "\r\n"
		}
		v = strings.TrimSuffix(strings.TrimPrefix(v, ending), ending)
	} else if next == i && body[i] != '\n' {
		// the line break is the missing end's
		v = strings.TrimSuffix(strings.TrimSuffix(v, "\n"), "\r")
	}
	if s.noise != "" {
		v = s.noiseIn(v, i, !bytes.HasPrefix(body[i:], []byte(s.noise)))
		if strings.Contains(v, s.noise) {
			s.field.Tree.Noise = s.noise
		}
	}
	if next == i {
		v = s.withoutEnd(v)
		// one of which this may be the rest
		s.ambiguous = s.ambiguous || strings.Contains(v, s.valueEnd())
	}
	s.field.Value = v
	s.current.Fields = append(s.current.Fields, s.field)
	s.pos, s.state, s.passed, s.inner, s.element = next, inCall, false, nesting{}, ""
	s.unstructured = false
}

// withoutEnd is a value whose end is missing, without a tag that may be it, written as others
// write it.
func (s *taggedScanner) withoutEnd(v string) string {
	word := strings.Trim(s.valueEnd(), "</>")
	if i := strings.LastIndexAny(word, "｜|:"); i >= 0 {
		word = strings.TrimLeft(word[i:], "｜|:")
	}
	if cut, ok := s.withoutTag(v, word); ok {
		return cut
	}
	for end := s.valueEnd(); len(end) > len("</"); end = end[:len(end)-1] {
		if cut, ok := strings.CutSuffix(v, end); ok {
			return cut
		}
	}
	return v
}

// lastTag is a closing tag at the end of a value, perhaps with a space in it.
var lastTag = regexp.MustCompile(`\s?<\s?/\s?([^<>/\s]+)>\s*$`)

// withoutTag takes off a value the closing tag at its end that was written in the place of its
// own, whose name is word. That is one of the same name, of a longer or a shorter form of it, or
// of the argument's name. A tag that the value itself has opened stays.
func (s *taggedScanner) withoutTag(v, word string) (string, bool) {
	m := lastTag.FindStringSubmatchIndex(v)
	if m == nil {
		return v, false
	}
	name := v[m[2]:m[3]]
	like := strings.Contains(name, word) || len(name) > 2 && strings.Contains(word, name) || name == s.field.Key
	if !like || strings.Contains(v[:m[0]], "<"+name) {
		return v, false
	}
	if strings.TrimSpace(v[m[0]:]) != "</"+word+">" { // less its namespace, as many write
		s.current.Repairs = append(s.current.Repairs, "closing-tag")
	}
	return v[:m[0]], true
}

// keyIn is the key that a tag holds. One that the schema declares may have quotes in it.
func (s *taggedScanner) keyIn(text string) string {
	if key := strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`); s.tool.Schema.Declares(key) {
		return key
	}
	return Attribute(text)
}

// Attribute is a name or key without quotes and without the attributes behind it.
func Attribute(text string) string {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "name="), "=")
	text = strings.TrimLeft(text, "\"'")
	if i := strings.IndexAny(text, "\"'\n"); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}
