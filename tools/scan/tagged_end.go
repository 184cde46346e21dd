package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
)

// A value may hold whole calls and parts of calls: a file about the format, a script that writes
// one. So each tag that may close the call is only a candidate for its end:
//
//	<content>a call ends with </tool_call>, always</content></tool_call>
//	                          └ candidate           the end ┘
//
// Tags match as brackets do: what closes a call inside the value is no candidate. A candidate is
// the end if one of these holds:
//
//   - it is a symbol: text only spells its tags;
//   - the value cannot be text that goes on, but a number, say;
//   - behind it the turn ends, or a call of a tool that can be called begins;
//   - other text stands behind it, but up to the turn's end, or for MaxBare bytes, no candidate
//     that closes the call once more.
//
// If no candidate is left, because the value opened more calls than it closed, the one that fits
// is the end. If a call has lost its end, no guess at it is sent: the text behind it waits.

// tag is what a tag of the format does where a value is read.
type tag uint8

const (
	noTag    tag = iota
	callOpen     // opens a call: an argument or the call's end stands behind its name
	valueEnd     // closes an argument
	callEnd      // closes a call
)

// tagAt tells which tag stands at offset i, and how long it is.
func (s *taggedScanner) tagAt(body []byte, i int, final bool) (tag, int, peek.Answer) {
	if n, a := s.endAt(body, i, final); a != peek.No {
		return valueEnd, n, a
	}
	if t, a := s.tagOf(s.closing, body, i, final); a != peek.No {
		return callEnd, len(t), a
	}
	if n, a := s.callOpensAt(body, i, final); a != peek.No {
		return callOpen, n, a
	}
	return noTag, 0, peek.No
}

// endAt tells whether the end of an argument stands at offset i, and how long it is.
func (s *taggedScanner) endAt(body []byte, i int, final bool) (n int, a peek.Answer) {
	for _, end := range s.ends {
		if a := peek.Prefix(body[i:], end, final); a != peek.No && !s.spelt(s.marker(end), i) {
			return len(end), a
		}
		if n, a := peek.Broken(body[i:], end, final); a != peek.No {
			// which has no space
			if _, token := s.Plan.Dialect.Token(s.marker(end)); !token || s.IsSymbol == nil {
				return n, a
			}
		}
	}
	return 0, peek.No
}

// marker is the part of a tag that may be a token: of an element's tag, the noise before it.
func (s *taggedScanner) marker(tag string) string {
	if s.nested {
		return tag[:len(s.noise)*min(1, strings.Count(tag, s.noise))]
	}
	return tag
}

// tagOf tells which of some tags stands at offset i, as more than text.
func (s *taggedScanner) tagOf(tags []string, body []byte, i int, final bool) (string, peek.Answer) {
	t, a := peek.AnyTag(body[i:], tags, final)
	if a == peek.Yes && s.spelt(t, i) {
		return "", peek.No
	}
	return t, a
}

// callOpensAt tells whether a call opens at offset i, as more than the tag's name in a sentence:
// an argument, or the call's end, stands behind its name. n is how long the tag is before the
// name.
func (s *taggedScanner) callOpensAt(body []byte, i int, final bool) (n int, a peek.Answer) {
	t, a := s.tagOf(s.nests, body, i, final)
	if a != peek.Yes {
		return 0, a
	}
	_, j, a := s.nameAt(body, i+len(t), final)
	if a != peek.Yes {
		return 0, a
	}
	return len(t), s.showsCall(body, j, final)
}

// nameAt is the name that stands at offset from as it does in a call, and where its tag ends.
func (s *taggedScanner) nameAt(body []byte, from int, final bool) (name string, end int, a peek.Answer) {
	room := body[from:min(len(body), from+peek.MaxTag)]
	closing := format.TagClose(s.Call.Close)
	n := bytes.IndexAny(room, "<\n"+closing[:1])
	switch {
	case n < 0:
		return "", 0, peek.Boolean(!final && len(room) < peek.MaxTag, peek.Unknown)
	case s.NameFirst:
		name, end = string(room[:n]), from+n
		if a := peek.Prefix(body[end:], s.NameEnd, final); a != peek.No {
			return name, end + len(s.NameEnd), a
		}
		return name, end, peek.Yes
	}
	return string(room[:n]), from + n + len(closing), peek.Prefix(room[n:], closing, final)
}

// showsCall tells whether what stands behind a name that ends at offset j shows it to be a call's.
func (s *taggedScanner) showsCall(body []byte, j int, final bool) peek.Answer {
	k := peek.SkipSpace(body, j)
	switch {
	case k-j > peek.MaxGap:
		return peek.No
	case k == len(body):
		return peek.Boolean(!final, peek.Unknown)
	}
	return s.followAt(body, k, final)
}

// followAt tells whether what may stand behind an argument stands at offset i.
func (s *taggedScanner) followAt(body []byte, i int, final bool) peek.Answer {
	_, a := s.tagOf(s.follow, body, i, final)
	if a == peek.No && s.nested {
		_, a = s.elementNext(body, i, final)
	}
	return a
}

// elementNext tells whether the element of an argument opens at offset i of a nested call, and its
// name.
func (s *taggedScanner) elementNext(body []byte, i int, final bool) (key string, a peek.Answer) {
	if _, a := s.tagOf(s.around, body, i, final); a != peek.No { // of the turn
		return "", peek.Boolean(a == peek.Unknown, a)
	}
	key, _, a = declared.Elements{Noise: s.noise}.Tag(body[i:], final)
	return key, peek.Boolean(a != peek.Yes || !s.spelt(s.noise, i), a)
}

// nextAt tells whether the next call begins at offset j, with the name of a tool that can be
// called. What opens a call may be missing before a name that shows it.
func (s *taggedScanner) nextAt(body []byte, j int, final bool) peek.Answer {
	k, a := j, peek.Yes
	t := ""
	for ; a == peek.Yes && k < len(body) && k-j <= peek.MaxTag; k = peek.SkipSpace(body, k+len(t)) {
		t, a = s.tagOf(s.around, body, k, final)
	}
	switch {
	case a != peek.No || k == len(body):
		return peek.Boolean(!final && k-j <= peek.MaxTag, peek.Unknown)
	case k > j && (body[k] == '{' || body[k] == '['): // in another notation
		return s.names(body[k:], final)
	}
	if !s.NameFirst {
		if t, a = s.tagOf(s.callOpens, body, k, final); a != peek.Yes {
			return a
		}
	}
	name, end, a := s.nameAt(body, k+len(t), final)
	if a != peek.Yes {
		return a
	}
	called, _ := pythonTag(name)
	if _, ok := s.Plan.Resolve(called); !ok {
		return peek.No
	}
	if a := s.showsCall(body, end, final); a != peek.No || k+len(t) == j {
		return a
	}
	rest := body[peek.SkipSpace(body, end):] // arguments may be written otherwise
	return peek.Boolean(len(rest) == 0 || rest[0] == '{' || rest[0] == '<' && !bytes.HasPrefix(rest, []byte("</")), peek.Yes)
}

// names tells whether text, up to the next tag, names a tool that can be called.
func (s *taggedScanner) names(text []byte, final bool) peek.Answer {
	room := text[:min(len(text), s.Plan.MaxHead)]
	head, _, whole := bytes.Cut(room, []byte("<"))
	if slices.ContainsFunc(s.Plan.Called, func(name string) bool { return bytes.Contains(head, []byte(name)) }) {
		return peek.Yes
	}
	return peek.Boolean(!final && !whole && len(room) < s.Plan.MaxHead, peek.Unknown)
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
	again     int  // a tag there closes the call once more; 0: none is known
	ambiguous bool // a tag closes one of several things
}

// maxClosers is how many closing tags in a row are looked at: a call has two or three.
const maxClosers = 16

// over tells whether the call ends with the closing tag at offset i. Where that is a symbol it
// does, as in the grammar, whose texts hold no symbols: a model that writes them inside a value,
// behind the value's own end, means the end.
func (s *taggedScanner) over(body []byte, i int, final bool) peek.Answer {
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
		if k, _ := s.Plan.Dialect.Token(t); s.last == valueEnd && s.IsSymbol != nil && s.IsSymbol(j+k) {
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
	return s.endsBefore(body, i, j, final)
}

// endsBefore tells whether the call ends at offset i, before what stands at offset j.
func (s *taggedScanner) endsBefore(body []byte, i, j int, final bool) peek.Answer {
	if a := s.moreAt(body, j, final); a != peek.No {
		return a
	}
	return s.beyond(body, i, final)
}

// moreAt tells whether the turn ends or another call begins at offset j.
func (s *taggedScanner) moreAt(body []byte, j int, final bool) peek.Answer {
	if a := s.turnEndsAt(body, j, final); a != peek.No {
		return a
	}
	return s.nextAt(body, j, final)
}

// turnEndsAt tells whether the turn ends at offset j.
func (s *taggedScanner) turnEndsAt(body []byte, j int, final bool) peek.Answer {
	_, a := s.Plan.TurnEnds.At(body[j:], final)
	return peek.Boolean(j < len(body), a)
}

// beyond tells whether the call ends at offset from, where other text follows: whether no tag
// there closes it once more.
func (s *taggedScanner) beyond(body []byte, from int, final bool) peek.Answer {
	o := &s.ahead
	switch {
	case o.from < from && from < o.again: // no tag in between is one of a call inside
		return peek.No
	case o.from != from:
		*o = outlook{from: from, pos: from}
	}
	first := "<[" + s.noise[:min(1, len(s.noise))] // of a tag
	for o.pos < len(body) && o.pos-from <= MaxBare {
		i := bytes.IndexAny(body[o.pos:], first)
		if i < 0 {
			peek.Examine(len(body) - o.pos)
			o.pos = len(body)
			break
		}
		peek.Examine(i)
		if o.pos += i; o.pos-from > MaxBare {
			break
		}
		if a := s.turnEndsAt(body, o.pos, final); a == peek.Unknown {
			return a
		} else if a == peek.Yes {
			return s.endsCall(peek.Yes)
		}
		t, n, a := s.tagAt(body, o.pos, final)
		if a == peek.Unknown {
			return peek.Unknown
		}
		switch {
		case t == callOpen, t != noTag && o.inside(body, o.pos):
			o.pass(body, t, o.pos, o.pos+n)
		case t == valueEnd:
			switch s.closesOnce(body, o.pos+n, true, final) {
			case peek.Yes:
				o.again = o.pos
				return peek.No
			case peek.Unknown:
				return peek.Unknown
			}
		case t == callEnd && s.last == valueEnd:
			// the call is whole: only what closes one tears it
			switch s.closesOnce(body, o.pos+n, false, final) {
			case peek.Yes:
				o.ambiguous = true
			case peek.Unknown:
				return peek.Unknown
			}
		case t == callEnd:
			o.ambiguous = true
		}
		o.pos += max(n, 1)
	}
	if o.pos-from > MaxBare {
		return s.endsCall(peek.Yes)
	}
	return s.endsCall(peek.AtLast(final))
}

// endsCall ends the call, which is ambiguous if the text behind it says so: a tag there closes one
// of several things, or no tag closes what is opened there while the value's own end is missing.
func (s *taggedScanner) endsCall(a peek.Answer) peek.Answer {
	s.ambiguous = s.ambiguous || a == peek.Yes && (s.ahead.ambiguous || s.last != valueEnd && s.ahead.depth > 0)
	return a
}

// closesOnce tells whether what follows a closing tag at offset i shows it to be one, rather than
// a word about tags: the turn's end, a call, or within a call what may stand behind an argument.
func (s *taggedScanner) closesOnce(body []byte, i int, inCall, final bool) peek.Answer {
	j := peek.SkipSpace(body, i)
	switch {
	case j-i > peek.MaxGap:
		return peek.No
	case j == len(body):
		return peek.AtLast(final)
	}
	if inCall {
		if a := s.followAt(body, j, final); a != peek.No {
			return a
		}
	}
	return s.moreAt(body, j, final)
}
