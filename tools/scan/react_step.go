package scan

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// A step that calls nothing loses its labels, as a call does: what they name is text. A text may
// have a line that begins with the same word, and keeps it.

// step is what is known of such a step.
type step struct {
	labelled bool // the label of arguments is there
	word     bool // what is named may be a tool, or is none
	proof    int  // how much shows that the line is a step's
	from, to int  // of the label of arguments
	void     int  // where what says that nothing is called ends
}

// enough is the proof that a line is a step's. Arguments behind the name are a half of it, so is a
// turn that begins or ends with the line, or a thought before it. The next label is all.
const enough = 2

// nothing is what models write where they call no tool.
var nothing = []string{"none", "n/a", "null", "nil", "no action", "no tool"}

// take notes the label of arguments, of n bytes at offset i, behind a name that ends at another. On
// one line the space between them goes with it.
func (s *step) take(body []byte, at, i, n int) {
	s.labelled, s.from, s.to = true, i, i+n
	if bytes.IndexByte(body[at:i], '\n') < 0 {
		s.from = at
	}
}

// reject ends a step that calls no tool, whose line is known. It waits until it is known what
// follows.
func (s *reactScanner) reject(body, line []byte, final bool) Status {
	at := s.pos + len(line)
	i, cut := peek.SkipLayout(body, at, final)
	if i-at > peek.MaxGap {
		return Rejected
	}
	n, a := LabelAt(body[i:], s.Input, final)
	none := saysNothing(line)
	word, args := namesTool(line)
	if s.step.word = none || word; a == peek.Yes {
		s.step.take(body, at, i, n)
		s.step.labelled = s.step.word || s.step.from > at // or it is a sentence
		if none {
			return s.voidInput(body, i+n, final)
		}
		return Rejected
	}
	if none {
		s.step.void = at
	}
	next, end := peek.No, s.Plan.Terminators.Tag(body[i:], final)
	if s.Cased && end == peek.No {
		end = peek.Prefix(body[i:], format.FenceMark, final)
	}
	switch {
	case cut, a == peek.Unknown, i == len(body) && !final, end == peek.Unknown:
		return Open
	case i == len(body), end == peek.Yes:
		s.step.proof = 1
	default:
		next = s.labelNext(body[i:], final)
	}
	switch {
	case next == peek.Unknown:
		return Open
	case next == peek.Yes:
		s.step.proof = enough
	}
	if args {
		s.step.proof++
	}
	return Rejected
}

// voidInput takes the line of arguments at offset i along, where it says nothing either.
func (s *reactScanner) voidInput(body []byte, i int, final bool) Status {
	n := bytes.IndexByte(body[i:], '\n')
	switch {
	case n >= 0:
	case !final && len(body)-i <= peek.MaxTag:
		return Open
	default:
		n = len(body) - i
	}
	if s.step.void = i; saysNothing(body[i : i+n]) {
		s.step.void = i + n
	}
	return Rejected
}

// saysNothing tells whether a line says that nothing is called, or nothing at all.
func saysNothing(line []byte) bool {
	text := strings.ToLower(strings.Trim(string(line), aroundName+".{}"))
	return text == "" || slices.Contains(nothing, text)
}

// namesTool tells whether a line is a word, which may be a tool's name, and whether arguments stand
// behind it.
func namesTool(line []byte) (word, args bool) {
	line = bytes.Trim(line, aroundName+",;")
	n := 0
	for n < len(line) && peek.WordByte(line[n]) {
		n++
	}
	rest := bytes.TrimLeft(line[n:], " ")
	switch {
	case n == 0 || line[0] < 'A':
		return false, false
	case len(rest) == 0:
		return true, false
	}
	args = rest[0] == '(' && line[n] == '(' && rest[len(rest)-1] == ')' || rest[0] == '{' && rest[len(rest)-1] == '}'
	return args, args
}

// Stepped tells whether it is a step's, though it is no call. first says that it begins the visible
// turn, led that a thought stands before it.
func (s *reactScanner) Stepped(first, led bool) bool {
	proof := s.step.proof
	if first {
		proof++
	}
	if first && led {
		proof++
	}
	return s.step.labelled || s.step.word && proof >= enough
}

// Void tells whether it says that nothing is called.
func (s *reactScanner) Void() bool { return s.step.void > 0 }

// Labels are the parts of the step beside its first label that are no text: up to void, and between
// two other offsets.
func (s *reactScanner) Labels() (void, from, to int) { return s.step.void, s.step.from, s.step.to }
