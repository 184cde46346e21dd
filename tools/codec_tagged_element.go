package tools

import "bytes"

// Models write an argument as an element of its name, <city>Rome</city>, in place of the family's tags.

// elementAt tells whether an element opens at the start of text that is named as an argument is, and the name.
func (s *taggedScanner) elementAt(text []byte, final bool) (key string, a answer) {
	if text[0] != '<' {
		return "", no
	}
	n := bytes.IndexByte(text[:min(len(text), maxTag)], '>')
	if n < 0 {
		return "", boolean(!final && len(text) < maxTag, unknown)
	}
	key = string(text[1:n])
	return key, boolean(s.tool.schema.Declares(key), yes)
}

// openElement begins the value of an argument behind the tag of its element, at pos.
func (s *taggedScanner) openElement(key string) {
	s.pos += len(key) + len("<>")
	s.field, s.element = field{key: key, kind: bySchema}, "</"+key+">"
	s.from, s.state = s.pos, inValue
}

// valueEnd is what closes the argument that is read.
func (s *taggedScanner) valueEnd() string {
	if s.element != "" {
		return s.element
	}
	return s.argEnd
}
