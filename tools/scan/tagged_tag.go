package scan

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// readTag reads the rest of a tag that holds a name or a key.
func (s *taggedScanner) readTag(body []byte, final bool) (Status, bool) {
	most := peek.MaxTag
	if s.state == inName {
		most = s.Plan.MaxHead
	}
	for ; s.pos < len(body) && s.pos-s.from <= most; s.pos++ {
		n, a := s.tagEnds(body, final)
		if a == peek.Unknown {
			return Open, false
		}
		if a == peek.Yes {
			return s.tagRead(string(body[s.from:s.pos]), n)
		}
		if s.state == inKey && s.Value == "" {
			switch peek.Prefix(body[s.pos:], s.ArgEnd, final) {
			case peek.Unknown:
				return Open, false
			case peek.Yes:
				// the key's tag is not closed: where its value begins cannot be
				// told
				return s.reject(), false
			}
		}
		if s.state == inName && s.NameFirst && s.Plan.Prose(body, s.from, s.pos) {
			return s.reject(), false
		}
	}
	if s.pos-s.from > most {
		return s.reject(), false
	}
	if !final {
		return Open, false
	}
	if s.state == inName && s.NameFirst {
		return s.tagRead(string(body[s.from:]), 0)
	}
	return s.reject(), false
}

// reject ends the region before a call that is none, if others came before it.
func (s *taggedScanner) reject() Status {
	if len(s.done) == 0 {
		return Rejected
	}
	s.stop, s.state = s.callAt, afterCall
	return Ended
}

// tagEnds tells whether the tag ends at pos, and how many bytes its end has.
func (s *taggedScanner) tagEnds(body []byte, final bool) (int, peek.Answer) {
	rest := body[s.pos:]
	if s.state == inKey {
		end := format.TagClose(s.Arg.Close)
		if a := peek.Prefix(rest, end, final); a != peek.No || s.Value == "" {
			return len(end), a
		}
		if a := peek.Prefix(rest, s.Value, final); a != peek.No { // the key is not closed
			return 0, a
		}
		return len(s.ArgEnd), peek.Prefix(rest, s.ArgEnd, final)
	}
	if !s.NameFirst {
		end := format.TagClose(s.Call.Close)
		return len(end), peek.Prefix(rest, end, final)
	}
	if rest[0] == '\n' && s.pos > s.from {
		return 0, peek.Yes
	}
	t, a := peek.AnyPrefix(rest, []string{s.Arg.Open, s.NameEnd}, final)
	if a == peek.Yes && t == s.NameEnd {
		return len(t), peek.Yes
	}
	if a == peek.No {
		a = s.Plan.Terminators.Tag(rest, final)
	}
	return 0, a
}

func (s *taggedScanner) tagRead(text string, closing int) (Status, bool) {
	s.pos += closing
	if s.state == inName {
		name, args := pythonTag(text)
		if s.Named != "" && text == "" {
			name = s.Named
		}
		m, ok := s.Plan.Resolve(name)
		if !ok {
			return s.reject(), false
		}
		s.tool = &s.Plan.Tools[m.Tool]
		args = slices.DeleteFunc(args, func(f declared.Field) bool { return f.Kind == declared.BySchema && !s.tool.Schema.Declares(f.Key) })
		s.current = declared.RawCall{Name: name, Fields: args, Untyped: s.nested}
		s.state = inCall
		return Open, true
	}
	s.field = declared.Field{Key: s.keyIn(text), Kind: declared.BySchema}
	switch {
	case s.TextAttribute != "" && strings.Contains(text, s.TextAttribute):
		s.field.Kind = declared.AsText
	case s.JSONAttribute != "" && strings.Contains(text, s.JSONAttribute):
		s.field.Kind = declared.AsJSON
	}
	s.state = beforeValue
	if s.Value == "" {
		s.beginValue()
	}
	return Open, true
}

// Models write arguments otherwise than in the family's tags: each as an element of its name,
// <city>Rome</city>, all in one object, or as in Python in the tag of the call.

// attributes are a name and attributes behind it, attribute is one of them.
var (
	attributes = regexp.MustCompile(`(?s)^(\S+?["']?)((?:\s+[^\s="']+=(?:"[^"]*"|'[^']*'))+)$`)
	attribute  = regexp.MustCompile(`(?s)([^\s="']+)=(?:"([^"]*)"|'([^']*)')`)
)

// pythonTag is the name that a tag holds, with its arguments if they stand in it: as in Python,
// <function=f(a=1)>, or as attributes.
func pythonTag(text string) (name string, args []declared.Field) {
	text = strings.TrimSpace(text)
	args = []declared.Field{}
	if m := attributes.FindStringSubmatch(text); m != nil {
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			args = append(args, declared.Field{Key: a[1], Value: a[2] + a[3], Kind: declared.BySchema})
		}
		return Attribute(m[1]), args
	}
	i := strings.IndexByte(text, '(')
	if i <= 0 || !strings.HasSuffix(text, ")") {
		return Attribute(text), args
	}
	d, err := lenient.DecodeArguments([]byte(text[i:]), lenient.Rules{Python: true})
	if err != nil || d.End != len(text)-i {
		return text, args // the name of no tool
	}
	for _, e := range ordered.Members(d.JSON) {
		args = append(args, declared.Field{Key: e.Key, Value: string(e.Value), Kind: declared.AsJSON})
	}
	return Attribute(text[:i]), args
}

// elementAt tells whether an element opens at the start of text that is named as an argument is,
// and the name.
func (s *taggedScanner) elementAt(text []byte, final bool) (key string, a peek.Answer) {
	if text[0] != '<' {
		return "", peek.No
	}
	name, _, whole := bytes.Cut(text[1:min(len(text), turn.MaxName+len("<>"))], []byte(">"))
	key = string(name)
	if whole {
		return key, peek.Boolean(s.tool.Schema.Declares(key), peek.Yes)
	}
	return "", peek.Boolean(!final && s.tool.Schema.Begins(key), peek.Unknown)
}

// openElement begins the value of an argument behind the tag of its element, at pos.
func (s *taggedScanner) openElement(key string) {
	s.pos += len(key) + len("<>")
	s.field, s.element = declared.Field{Key: key, Kind: declared.BySchema}, "</"+key+">"
	s.beginValue()
}

var errNoElement = errors.New("something else stands between its arguments")

// nestedWithin reads what stands between the elements of a nested call.
func (s *taggedScanner) nestedWithin(rest []byte, final bool) (Status, bool) {
	tags := declared.Elements{Noise: s.noise}
	if rest[0] == '<' {
		tags.Noise = ""
	}
	key, n, a := tags.Tag(rest, final)
	switch a {
	case peek.Yes:
		s.pos += n
		s.field, s.element = declared.Field{Key: key, Tree: &tags}, tags.Noise+"</"+key+">"
		s.beginValue()
	case peek.No:
		s.current.Err = errNoElement
		s.pos++
	}
	return Open, a != peek.Unknown
}

// nestedEnds: does the open element end at i? Only its own closing tag counts; nested elements
// of the same name are skipped.
func (s *taggedScanner) nestedEnds(body []byte, i int, final bool) (next int, a peek.Answer) {
	n, a := s.endAt(body, i, final)
	switch {
	case a == peek.Unknown:
		return 0, a
	case a == peek.Yes && s.inner.depth == 0:
		s.last = valueEnd
		return i + n, s.goesOn(body, i+n, final)
	case a == peek.Yes:
		s.inner.depth--
		return 0, peek.No
	}
	open := s.field.Tree.Noise + "<" + s.field.Key + ">"
	if a = peek.Prefix(body[i:], open, final); a == peek.Yes && !s.spelt(s.field.Tree.Noise, i) {
		s.inner.depth++
	}
	return 0, peek.Boolean(a == peek.Unknown, a)
}

// doubled tells whether text begins with the noise before a tag twice.
func (s *taggedScanner) doubled(text []byte, final bool) peek.Answer {
	if s.noise == "" || len(text) == 0 || text[0] != s.noise[0] {
		return peek.No
	}
	return peek.Prefix(text, s.noise+s.noise, final)
}

// noiseIn takes off a value what is left of the noise before its end, where that is a token. Where
// it is text, nobody can tell whose it is; so it is with a part of it.
func (s *taggedScanner) noiseIn(v string, i int, bare bool) string {
	for s.IsSymbol != nil && strings.HasSuffix(v, s.noise) && s.IsSymbol(i-len(s.noise)) {
		v, i = strings.TrimSuffix(v, s.noise), i-len(s.noise)
	}
	for k := range len(s.noise) - 1 {
		part := bare && s.IsSymbol == nil && (strings.HasSuffix(v, s.noise[:k+2]) || strings.HasSuffix(v, s.noise[k:]))
		s.ambiguous = s.ambiguous || part
	}
	s.ambiguous = s.ambiguous || s.IsSymbol == nil && strings.HasSuffix(v, s.noise)
	return v
}

// valueEnd is what closes the argument that is read.
func (s *taggedScanner) valueEnd() string {
	if s.element != "" {
		return s.element
	}
	return s.ArgEnd
}

// readJSON reads on in the object that stands in place of the arguments.
func (s *taggedScanner) readJSON(body []byte, final bool) (Status, bool) {
	switch s.json.Step(body, final) {
	case lenient.Open:
		if final {
			s.stop = len(body)
			s.current.Fields, s.current.Args = nil, body[s.from:]
			s.finishCall(body, len(body))
			return Ended, false
		}
		return Open, false
	case lenient.Rejected:
		return s.reject(), false
	}
	s.pos = s.json.End
	s.current.Fields, s.current.Args = nil, body[s.from:s.pos]
	s.state = inCall
	return Open, true
}

// ElementTags are the tags of a tool's calls.
func ElementTags(tool string) taggedReader {
	return taggedReader{Tagged: format.Tagged{Named: tool, Call: format.Pair("<"+tool, ">"), CallEnd: "</" + tool + ">", Lines: true}}
}
