package scan

import (
	"regexp"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
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

// Models also write all arguments in one object, or in the tag of the call as in Python. Elements
// of the arguments' names are in tagged_element.go.

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
