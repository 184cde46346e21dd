package scan

import (
	"bytes"
	"errors"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/turn"
)

// An argument may be an element of its own name, <city>Rome</city>: so models write it in other
// families' calls, and so it is in the nested format.

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

// noiseIn takes the noise off a value's end, where the noise is a token. Where it is text, it may
// belong to the value: the call is ambiguous then. So it is with a part of the noise.
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

// ElementTags are the tags of a tool's calls.
func ElementTags(tool string) taggedReader {
	return taggedReader{Tagged: format.Tagged{Named: tool, Call: format.Pair("<"+tool, ">"), CallEnd: "</" + tool + ">", Lines: true}}
}
