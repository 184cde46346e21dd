package tools

import (
	"strings"

	"tenon/tools/lenient"
)

// Models write arguments otherwise than in the family's tags: each as an element of its name, <city>Rome</city>, all in one object, or as in
// Python in the tag of the call.

// pythonTag is the name that a tag holds, with its arguments if they stand in it as in Python: <function=f(a=1)>.
func pythonTag(text string) (name string, args []field) {
	text = strings.TrimSpace(text)
	args = []field{}
	i := strings.IndexByte(text, '(')
	if i <= 0 || !strings.HasSuffix(text, ")") {
		return attribute(text), args
	}
	d, err := lenient.DecodeArguments([]byte(text[i:]), lenient.Rules{Python: true})
	if err != nil || d.End != len(text)-i {
		return text, args // the name of no tool
	}
	for _, e := range members(d.JSON) {
		args = append(args, field{key: e.key, value: string(e.value), kind: asJSON})
	}
	return attribute(text[:i]), args
}

// elementAt tells whether an element opens at the start of text that is named as an argument is, and the name.
func (s *taggedScanner) elementAt(text []byte, final bool) (key string, a answer) {
	if text[0] != '<' {
		return "", no
	}
	n := 1
	for n < len(text) && n <= maxName && nameByte(text[n]) {
		n++
	}
	if n == len(text) {
		return "", boolean(!final, unknown)
	}
	key = string(text[1:n])
	return key, boolean(text[n] == '>' && s.tool.schema.Declares(key), yes)
}

// openElement begins the value of an argument behind the tag of its element, at pos.
func (s *taggedScanner) openElement(key string) {
	s.pos += len(key) + len("<>")
	s.field, s.element = field{key: key, kind: bySchema}, "</"+key+">"
	s.beginValue()
}

// valueEnd is what closes the argument that is read.
func (s *taggedScanner) valueEnd() string {
	if s.element != "" {
		return s.element
	}
	return s.argEnd
}

// readJSON reads on in the object that stands in place of the arguments.
func (s *taggedScanner) readJSON(body []byte, final bool) (status, bool) {
	switch s.json.Step(body, final) {
	case lenient.Open:
		if final {
			s.stop = len(body)
			s.current.fields, s.current.args = nil, body[s.from:]
			s.finishCall(body, len(body))
			return ended, false
		}
		return open, false
	case lenient.Rejected:
		return s.reject(), false
	}
	s.pos = s.json.End
	s.current.fields, s.current.args = nil, body[s.from:s.pos]
	s.state = inCall
	return open, true
}
