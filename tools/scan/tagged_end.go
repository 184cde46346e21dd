package scan

import (
	"bytes"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// A value may hold whole calls and parts of calls: a file about the format, a script that writes
// one. Each tag that may close the call is a candidate for its end. Tags match as brackets do, so
// what closes a call inside the value closes that one. Of the rest, a candidate is the end if
// nothing but the turn's end or another call stands behind it, if the value is none that goes on
// so, or if its closing tag is a symbol: text spells its tags. Before any other text it is the end
// only if no candidate follows that closes the call once more, up to the next call or the turn's
// end, or for MaxBare bytes. A call that has lost its end never leaves with what a guess at it
// gives: the text behind the call waits for that.

// tag is what a tag of the format does where a value is read.
type tag uint8

const (
	noTag    tag = iota
	callOpen     // opens a call: an argument or the call's end stands behind its name
	valueEnd     // closes an argument
	callEnd      // closes a call
)

// tagAt tells which tag stands at offset i, and how long it is.
func (s *TaggedScanner) tagAt(body []byte, i int, final bool) (tag, int, peek.Answer) {
	end := s.valueEnd()
	if a := peek.Prefix(body[i:], end, final); a != peek.No && !s.spelt(end, i) {
		return valueEnd, len(end), a
	}
	if n, a := peek.Broken(body[i:], end, final); a != peek.No {
		if _, token := s.Plan.Dialect.Token(end); !token || s.IsSymbol == nil { // which has no space
			return valueEnd, n, a
		}
	}
	if s.Value != "" && s.element == "" { // a value may be closed as keys are
		if a := peek.Prefix(body[i:], s.Arg.Close, final); a != peek.No && !s.spelt(s.Arg.Close, i) {
			return valueEnd, len(s.Arg.Close), a
		}
	}
	if t, a := s.tagOf(s.closing, body, i, final); a != peek.No {
		return callEnd, len(t), a
	}
	if a := s.callOpensAt(body, i, final); a != peek.No {
		return callOpen, 0, a
	}
	return noTag, 0, peek.No
}

// tagOf tells which of some tags stands at offset i, as more than text.
func (s *TaggedScanner) tagOf(tags []string, body []byte, i int, final bool) (string, peek.Answer) {
	t, a := peek.AnyTag(body[i:], tags, final)
	if a == peek.Yes && s.spelt(t, i) {
		return "", peek.No
	}
	return t, a
}

// callOpensAt tells whether a call opens at offset i, as more than the tag's name in a sentence.
func (s *TaggedScanner) callOpensAt(body []byte, i int, final bool) peek.Answer {
	t, a := s.tagOf(s.nests, body, i, final)
	if a != peek.Yes {
		return a
	}
	return s.nameAt(body, i+len(t), final)
}

// nameAt tells whether a name stands at offset from as it does in a call: an argument, or the
// call's end, behind it.
func (s *TaggedScanner) nameAt(body []byte, from int, final bool) peek.Answer {
	room := body[from:min(len(body), from+peek.MaxTag)]
	end := format.TagClose(s.Call.Close)
	n := bytes.IndexAny(room, "<\n"+end[:1])
	if n < 0 {
		return peek.Boolean(!final && len(room) < peek.MaxTag, peek.Unknown)
	}
	j := from + n
	if !s.NameFirst {
		if a := peek.Prefix(body[j:], end, final); a != peek.Yes {
			return a
		}
		j += len(end)
	}
	k := peek.SkipSpace(body, j)
	switch {
	case k-j > peek.MaxGap:
		return peek.No
	case k == len(body):
		return peek.Boolean(!final, peek.Unknown)
	}
	_, a := s.tagOf(s.proof, body, k, final)
	return a
}

// nesting counts the calls that are open inside a value.
type nesting struct {
	depth  int
	behind int // what closed the last of them; what closes its section may follow
}

// pass takes a tag between two offsets into account.
func (n *nesting) pass(body []byte, t tag, from, to int) {
	switch {
	case t == callOpen:
		n.depth++
	case t == callEnd && n.inside(body, from):
		n.depth = max(0, n.depth-1)
		n.behind = to
	}
}

// inside tells whether the tag at offset i closes what was opened inside the value.
func (n *nesting) inside(body []byte, i int) bool {
	return n.depth > 0 || n.behind > 0 && peek.SkipSpace(body[:i], n.behind) == i
}

// outlook is how far the text behind what may be the end of a call has been looked at.
type outlook struct {
	from, pos int
	nesting
}

// maxClosers is how many closing tags in a row are looked at: a call has two or three.
const maxClosers = 16

// over tells whether the call ends with the closing tag at offset i. Where that is a symbol it
// does, as in the grammar, whose texts hold no symbols: a model that writes them inside a value,
// behind the value's own end, means the end.
func (s *TaggedScanner) over(body []byte, i int, final bool) peek.Answer {
	if s.inner.inside(body, i) {
		return peek.No
	}
	j := i
	for range maxClosers {
		t, a := s.tagOf(s.closing, body, j, final)
		if a == peek.Unknown {
			return peek.Unknown
		}
		if a == peek.No {
			break
		}
		if s.last == valueEnd && s.IsSymbol != nil && s.IsSymbol(j) {
			return peek.Yes
		}
		i = j + len(t)
		if j = peek.SkipSpace(body, i); j == len(body) && j-i <= peek.MaxGap {
			return peek.AtLast(final)
		}
	}
	switch {
	case !s.tool.Schema.TakesText(s.field.Key):
		return peek.Yes // its value is none that goes on so
	case s.last != valueEnd: // what ends the value is missing, or comes
		return s.beyond(body, i, final)
	}
	if a := s.opensOrEnds.Tag(body[j:], final); a != peek.No && j < len(body) {
		return a
	}
	if s.NameFirst { // the marker before the next call may be missing
		switch a := s.nameAt(body, j, final); {
		case a == peek.Unknown:
			return peek.Unknown
		case a == peek.Yes && s.Plan.CallableName(bytes.TrimSpace(body[j:j+bytes.IndexAny(body[j:], "<\n")])):
			return peek.Yes
		}
	}
	return s.beyond(body, i, final)
}

// beyond tells whether the call ends at offset from, where other text follows: whether no tag
// there closes it once more.
func (s *TaggedScanner) beyond(body []byte, from int, final bool) peek.Answer {
	o := &s.ahead
	if o.from != from {
		*o = outlook{from: from, pos: from}
	}
	for o.pos < len(body) {
		i := bytes.IndexAny(body[o.pos:], "<[")
		if i < 0 {
			peek.Examine(len(body) - o.pos)
			o.pos = len(body)
			break
		}
		peek.Examine(i)
		o.pos += i
		if _, a := peek.AnyPrefix(body[o.pos:], s.Plan.TurnEnds, final); a != peek.No {
			return a
		}
		t, n, a := s.tagAt(body, o.pos, final)
		if a == peek.Unknown {
			return peek.Unknown
		}
		switch {
		case t == callOpen, t != noTag && o.inside(body, o.pos):
			o.pass(body, t, o.pos, o.pos+n)
		case t == valueEnd:
			if a := s.closesOnce(body, o.pos+n, final); a != peek.No {
				return peek.Negated(a)
			}
		case t == callEnd: // of what, cannot be told
			s.torn = true
			return peek.Yes
		}
		o.pos++
	}
	if o.pos-from > MaxBare {
		return peek.Yes
	}
	return peek.AtLast(final)
}

// closesOnce tells whether what follows an argument's closing tag at offset i shows it to be one,
// rather than a word about tags.
func (s *TaggedScanner) closesOnce(body []byte, i int, final bool) peek.Answer {
	j := peek.SkipSpace(body, i)
	switch {
	case j-i > peek.MaxGap:
		return peek.No
	case j == len(body):
		return peek.AtLast(final)
	}
	if _, a := s.tagOf(s.follow, body, j, final); a != peek.No {
		return a
	}
	a := s.Plan.Terminators.Tag(body[j:], final)
	return a
}
