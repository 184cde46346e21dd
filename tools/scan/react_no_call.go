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

// Labels are the parts of a step, beside its first label, that are no text.
type Labels struct {
	From, To int // of the label of arguments
	Void     int // where what says that nothing is called ends
}

// enough is the proof that a line is a step's. Arguments behind the name are a half of it, so is a
// turn that begins or ends with the line, or a thought before it. The next label is all.
const enough = 2

// nothing is what models write where they call no tool.
var nothing = []string{"none", "n/a", "null", "nil", "no action", "no tool"}

// Labels implements the parser's question whether the text is a step's, though it is no call.
func (s *reactScanner) Labels() (Labels, bool) { return s.labels, s.labelled }

// inputLabel notes the label of arguments: n bytes at offset i. The tool's name ends at offset at.
// If both stand on one line, the space between them is part of the label.
func (s *reactScanner) inputLabel(body []byte, at, i, n int) {
	s.labelled, s.labels.From, s.labels.To = true, i, i+n
	if bytes.IndexByte(body[at:i], '\n') < 0 {
		s.labels.From = at
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
	n, a := LabelAt(body[i:], s.Input, s.Loose, final)
	none := saysNothing(line)
	word, args := namesTool(line)
	word = word || none
	if a == peek.Yes {
		s.inputLabel(body, at, i, n)
		s.labelled = word || s.labels.From > at // or it is a sentence
		return s.endVoid(body, i+n, none, final)
	}
	end := s.Plan.Terminators.Tag(body[i:], final)
	if s.InCode && end == peek.No {
		end = peek.Prefix(body[i:], format.FenceMark, final)
	}
	_, _, next := FirstLabel(s.next, body[i:], s.Loose, final)
	proof := s.Proof
	switch {
	case cut, i == len(body) && !final, slices.Contains([]peek.Answer{a, end, next}, peek.Unknown):
		return Open
	case next == peek.Yes:
		proof = enough
	case i == len(body), end == peek.Yes:
		proof++
	}
	if args {
		proof++
	}
	if s.labelled = word && proof >= enough; none {
		s.labels.Void = at
	}
	return Rejected
}

// endVoid ends a step at its arguments label, which ends at offset i. If the step calls nothing
// and the line behind the label says nothing either, that line is dropped.
func (s *reactScanner) endVoid(body []byte, i int, none, final bool) Status {
	line, _, whole := bytes.Cut(body[i:], []byte("\n"))
	switch {
	case !none:
		return Rejected
	case !whole && !final && len(line) <= peek.MaxTag:
		return Open
	}
	if s.labels.Void = i; saysNothing(line) {
		s.labels.Void += len(line)
	}
	return Rejected
}

// saysNothing tells whether a line says that nothing is called, or nothing at all.
func saysNothing(line []byte) bool {
	peek.Examine(len(line))
	text := strings.ToLower(strings.Trim(string(line), aroundName+".{}"))
	return text == "" || slices.Contains(nothing, text)
}

// namesTool tells whether a line is a word, which may be a tool's name, and whether arguments
// stand behind it.
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
