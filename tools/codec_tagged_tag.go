package tools

import (
	"strings"
)

// maxTag bounds a name or a key with its attributes.
const maxTag = 1024

// readTag reads the rest of a tag that holds a name or a key.
func (s *taggedScanner) readTag(body []byte, final bool) (status, bool) {
	most := maxTag
	if s.state == inName {
		most = s.plan.maxHead
	}
	for ; s.pos < len(body) && s.pos-s.from <= most; s.pos++ {
		n, a := s.tagEnds(body, final)
		if a == unknown {
			return open, false
		}
		if a == yes {
			return s.tagRead(string(body[s.from:s.pos]), n)
		}
		if s.state == inKey && s.value == "" {
			switch hasPrefix(body[s.pos:], s.argEnd, final) {
			case unknown:
				return open, false
			case yes: // the key's tag is not closed: where its value begins cannot be told
				return s.reject(), false
			}
		}
		if s.state == inName && s.nameFirst && s.plan.prose(body, s.from, s.pos) {
			return s.reject(), false
		}
	}
	if s.pos-s.from > most {
		return s.reject(), false
	}
	if !final {
		return open, false
	}
	if s.state == inName && s.nameFirst {
		return s.tagRead(string(body[s.from:]), 0)
	}
	return s.reject(), false
}

// reject ends the region before a call that is none, if others came before it.
func (s *taggedScanner) reject() status {
	if len(s.done) == 0 {
		return rejected
	}
	s.stop, s.state = s.callAt, afterCall
	return ended
}

// tagEnds tells whether the tag ends at pos, and how many bytes its end has.
func (s *taggedScanner) tagEnds(body []byte, final bool) (int, answer) {
	rest := body[s.pos:]
	if s.state == inKey {
		end := tagClose(s.arg.close)
		if a := hasPrefix(rest, end, final); a != no || s.value == "" {
			return len(end), a
		}
		if a := hasPrefix(rest, s.value, final); a != no { // the key is not closed
			return 0, a
		}
		return len(s.argEnd), hasPrefix(rest, s.argEnd, final)
	}
	if !s.nameFirst {
		end := tagClose(s.call.close)
		return len(end), hasPrefix(rest, end, final)
	}
	if rest[0] == '\n' && s.pos > s.from {
		return 0, yes
	}
	t, a := anyPrefix(rest, []string{s.arg.open, s.nameEnd}, final)
	if a == yes && t == s.nameEnd {
		return len(t), yes
	}
	if a == no {
		_, a = anyPrefix(rest, s.plan.terminators, final)
	}
	return 0, a
}

func (s *taggedScanner) tagRead(text string, closing int) (status, bool) {
	s.pos += closing
	if s.state == inName {
		name, args := pythonTag(text)
		if s.named != "" && text == "" {
			name = s.named
		}
		m, ok := s.plan.resolve(name)
		if !ok {
			return s.reject(), false
		}
		s.tool = &s.plan.tools[m.tool]
		s.current = rawCall{name: name, fields: args}
		s.headEnd, s.inLines, s.state = s.pos, false, inCall
		return open, true
	}
	s.field = field{key: attribute(text), kind: bySchema}
	switch {
	case s.textAttribute != "" && strings.Contains(text, s.textAttribute):
		s.field.kind = asText
	case s.jsonAttribute != "" && strings.Contains(text, s.jsonAttribute):
		s.field.kind = asJSON
	}
	s.state = beforeValue
	if s.value == "" {
		s.beginValue()
	}
	return open, true
}
