package scan

import (
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// Models write arguments otherwise than in the family's tags: each as an element of its name, <city>Rome</city>, all in one object, or as in
// Python in the tag of the call.

// pythonTag is the name that a tag holds, with its arguments if they stand in it as in Python: <function=f(a=1)>.
func pythonTag(text string) (name string, args []declared.Field) {
	text = strings.TrimSpace(text)
	args = []declared.Field{}
	i := strings.IndexByte(text, '(')
	if i <= 0 || !strings.HasSuffix(text, ")") {
		return Attribute(text), args
	}
	d, err := lenient.DecodeArguments([]byte(text[i:]), lenient.Rules{Python: true})
	if err != nil || d.End != len(text)-i {
		return text, args // the name of no tool
	}
	for _, e := range declared.Members(d.JSON) {
		args = append(args, declared.Field{Key: e.Key, Value: string(e.Value), Kind: declared.AsJSON})
	}
	return Attribute(text[:i]), args
}

// elementAt tells whether an element opens at the start of text that is named as an argument is, and the name.
func (s *TaggedScanner) elementAt(text []byte, final bool) (key string, a peek.Answer) {
	if text[0] != '<' {
		return "", peek.No
	}
	n := 1
	for n < len(text) && n <= turn.MaxName && peek.NameByte(text[n]) {
		n++
	}
	if n == len(text) {
		return "", peek.Boolean(!final, peek.Unknown)
	}
	key = string(text[1:n])
	return key, peek.Boolean(text[n] == '>' && s.tool.Schema.Declares(key), peek.Yes)
}

// openElement begins the value of an argument behind the tag of its element, at pos.
func (s *TaggedScanner) openElement(key string) {
	s.pos += len(key) + len("<>")
	s.field, s.element = declared.Field{Key: key, Kind: declared.BySchema}, "</"+key+">"
	s.beginValue()
}

// valueEnd is what closes the argument that is read.
func (s *TaggedScanner) valueEnd() string {
	if s.element != "" {
		return s.element
	}
	return s.ArgEnd
}

// readJSON reads on in the object that stands in place of the arguments.
func (s *TaggedScanner) readJSON(body []byte, final bool) (Status, bool) {
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
func ElementTags(tool string) taggedCodec {
	return taggedCodec{format.Tagged{Named: tool, Call: format.Pair("<"+tool, ">"), CallEnd: "</" + tool + ">", Lines: true}}
}
