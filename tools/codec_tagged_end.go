package tools

import "bytes"

// A value may hold whole calls and parts of calls: a file about the format, a script that writes one. Tags match as brackets do, so
// what closes a call inside the value closes that one, and what closes none opened there closes the call that is read. It is the end of
// it if the turn ends behind it, if another call begins, or if it is all that closes a call (codec_tagged_close.go). Before any other
// text it is the end only if no tag follows that closes the call once more, which shows that the value went on. That is known at the end
// of the turn, or after maxBare bytes. Where the argument was closed and the call's closing tag is a symbol, it is known at once: text
// spells its tags.

// tag is what a tag of the format does where a value is read.
type tag uint8

const (
	noTag    tag = iota
	callOpen     // opens a call: an argument or the call's end stands behind its name
	valueEnd     // closes an argument
	callEnd      // closes a call
)

// tagAt tells which tag stands at offset i, and how long it is.
func (s *taggedScanner) tagAt(body []byte, i int, final bool) (tag, int, answer) {
	rest := body[i:]
	end := s.valueEnd()
	if a := hasPrefix(rest, end, final); a != no {
		return valueEnd, len(end), a
	}
	if s.value != "" && s.element == "" { // a value may be closed as keys are
		if a := hasPrefix(rest, s.arg.close, final); a != no {
			return valueEnd, len(s.arg.close), a
		}
	}
	if t, a := anyPrefix(rest, s.closing, final); a != no {
		return callEnd, len(t), a
	}
	if a := s.callOpensAt(body, i, final); a != no {
		return callOpen, 0, a
	}
	return noTag, 0, no
}

// callOpensAt tells whether a call opens at offset i, as more than the tag's name in a sentence.
func (s *taggedScanner) callOpensAt(body []byte, i int, final bool) answer {
	t, a := anyPrefix(body[i:], s.nests, final)
	if a != yes {
		return a
	}
	return s.nameAt(body, i+len(t), final)
}

// nameAt tells whether a name stands at offset from as it does in a call: an argument, or the call's end, behind it.
func (s *taggedScanner) nameAt(body []byte, from int, final bool) answer {
	room := body[from:min(len(body), from+maxTag)]
	end := tagClose(s.call.close)
	n := bytes.IndexAny(room, "<\n"+end[:1])
	if n < 0 {
		return boolean(!final && len(room) < maxTag, unknown)
	}
	j := from + n
	if !s.nameFirst {
		if a := hasPrefix(body[j:], end, final); a != yes {
			return a
		}
		j += len(end)
	}
	k := skipSpace(body, j)
	switch {
	case k-j > maxGap:
		return no
	case k == len(body):
		return boolean(!final, unknown)
	}
	_, a := anyPrefix(body[k:], s.proof, final)
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
	return n.depth > 0 || n.behind > 0 && skipSpace(body[:i], n.behind) == i
}

// outlook is how far the text behind what may be the end of a call has been looked at.
type outlook struct {
	from, pos int
	nesting
}

// maxClosers is how many closing tags in a row are looked at: a call has two or three.
const maxClosers = 16

// over tells whether the call ends with the closing tag at offset i. Where that is a symbol it does, as in the grammar, whose
// texts hold no symbols: a model that writes them inside a value, behind the value's own end, means the end.
func (s *taggedScanner) over(body []byte, i int, final bool) answer {
	if s.inner.inside(body, i) {
		return no
	}
	first, j := i, i
	for range maxClosers {
		t, a := anyPrefix(body[j:], s.closing, final)
		if a == unknown {
			return unknown
		}
		if a == no {
			break
		}
		if s.last == valueEnd && s.isSymbol != nil && s.isSymbol(j) {
			return yes
		}
		i = j + len(t)
		if j = skipSpace(body, i); j == len(body) && j-i <= maxGap {
			return atLast(final)
		}
	}
	if a := s.closedWhole(body, first, final); a != no {
		return a
	}
	if _, a := anyPrefix(body[j:], s.opensOrEnds, final); a != no && j < len(body) {
		return a
	}
	if s.nameFirst { // the marker before the next call may be missing
		switch a := s.nameAt(body, j, final); {
		case a == unknown:
			return unknown
		case a == yes && s.plan.callableName(bytes.TrimSpace(body[j:j+bytes.IndexAny(body[j:], "<\n")])):
			return yes
		}
	}
	if !s.tool.schema.TakesText(s.field.key) {
		return yes // its value is none that goes on so
	}
	return s.beyond(body, i, final)
}

// beyond tells whether the call ends at offset from, where other text follows: whether no tag there closes it once more.
func (s *taggedScanner) beyond(body []byte, from int, final bool) answer {
	o := &s.ahead
	if o.from != from {
		*o = outlook{from: from, pos: from}
	}
	for o.pos < len(body) {
		i := bytes.IndexAny(body[o.pos:], "<[")
		if i < 0 {
			examine(len(body) - o.pos)
			o.pos = len(body)
			break
		}
		examine(i)
		o.pos += i
		if _, a := anyPrefix(body[o.pos:], s.plan.turnEnds, final); a != no {
			return a
		}
		t, n, a := s.tagAt(body, o.pos, final)
		if a == unknown {
			return unknown
		}
		switch {
		case t == callOpen, t != noTag && o.inside(body, o.pos):
			o.pass(body, t, o.pos, o.pos+n)
		case t == valueEnd:
			if a := s.closesOnce(body, o.pos+n, final); a != no {
				return negated(a)
			}
		case t == callEnd: // of what, cannot be told
			s.torn = true
			return yes
		}
		o.pos++
	}
	if o.pos-from > maxBare {
		return yes
	}
	return atLast(final)
}

// closesOnce tells whether what follows an argument's closing tag at offset i shows it to be one, rather than a word about tags.
func (s *taggedScanner) closesOnce(body []byte, i int, final bool) answer {
	j := skipSpace(body, i)
	switch {
	case j-i > maxGap:
		return no
	case j == len(body):
		return atLast(final)
	}
	if _, a := anyPrefix(body[j:], s.follow, final); a != no {
		return a
	}
	_, a := anyPrefix(body[j:], s.plan.terminators, final)
	return a
}

// atLast is the answer at the end of what has come: yes if nothing follows.
func atLast(final bool) answer {
	if final {
		return yes
	}
	return unknown
}

func negated(a answer) answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}
