package scan

import (
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
)

// readTag reads the rest of a tag that holds a name or a key.
func (s *TaggedScanner) readTag(body []byte, final bool) (Status, bool) {
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
			case peek.Yes: // the key's tag is not closed: where its value begins cannot be told
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
func (s *TaggedScanner) reject() Status {
	if len(s.Done) == 0 {
		return Rejected
	}
	s.stop, s.state = s.callAt, afterCall
	return Ended
}

// tagEnds tells whether the tag ends at pos, and how many bytes its end has.
func (s *TaggedScanner) tagEnds(body []byte, final bool) (int, peek.Answer) {
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
		_, a = peek.AnyPrefix(rest, s.Plan.Terminators, final)
	}
	return 0, a
}

func (s *TaggedScanner) tagRead(text string, closing int) (Status, bool) {
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
		s.current = declared.RawCall{Name: name, Fields: args}
		s.headEnd, s.inLines, s.state = s.pos, false, inCall
		return Open, true
	}
	s.field = declared.Field{Key: Attribute(text), Kind: declared.BySchema}
	switch {
	case s.TextAttribute != "" && strings.Contains(text, s.TextAttribute):
		s.field.Kind = declared.AsText
	case s.JsonAttribute != "" && strings.Contains(text, s.JsonAttribute):
		s.field.Kind = declared.AsJSON
	}
	s.state = beforeValue
	if s.Value == "" {
		s.beginValue()
	}
	return Open, true
}
