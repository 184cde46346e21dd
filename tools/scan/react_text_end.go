package scan

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
)

// Arguments that are text, and where it ends: at a label, at the fence that closes the code around
// it, or with the turn. Data in it may look the same, where a heredoc or inner code is open.

// textEnd is what is known of the end of a text.
type textEnd struct {
	line      int    // where its last line begins
	inner     int    // of the fence of code in it that is open; 0: none is
	named     bool   // which has a language
	word      string // that ends a heredoc which is open
	endInside bool   // what would end the text stood in the heredoc: data, or the end
	cut       int    // where a label first stood in the code around it; 0: nowhere
}

// line reads arguments that are no object: code may have many lines, so up to the next label or
// the end of the turn.
func (s *reactScanner) line(body []byte, final bool) Status {
	if !s.passString(body, final) {
		return Open
	}
	for ; s.pos < len(body); s.pos++ {
		a, n := s.Plan.Terminators.Tag(body[s.pos:], final), 1
		ends := a == peek.Yes
		switch {
		case a != peek.No:
		case body[s.pos] == '\n':
			a = s.lineBreak(body, final)
		case body[s.pos] == '`':
			n, a = s.ticks(body, final)
		}
		switch {
		case a == peek.Unknown:
			return Open
		case a == peek.Yes && s.tail.word != "" && !ends:
			s.tail.endInside = true
		case a == peek.Yes && s.fenced() && body[s.pos] == '\n':
			s.tail.cut = cmp.Or(s.tail.cut, s.pos)
		case a == peek.Yes:
			s.done = true
			if body[s.pos] == '`' && s.fenced() {
				s.stop, s.behind, s.closer = s.pos, n, ""
				return Ended
			}
			return s.unclosed(s.pos)
		}
		s.pos += n - 1
	}
	if !final {
		return Open
	}
	return s.unclosed(len(body))
}

// fenced tells whether code around the text is open.
func (s *reactScanner) fenced() bool { return strings.HasPrefix(s.closer, format.FenceMark) }

// unclosed ends the text at an offset, or at the label in code that nothing closes.
func (s *reactScanner) unclosed(at int) Status {
	if s.stop = at; s.fenced() && s.tail.cut > 0 {
		s.stop = s.tail.cut
	}
	return Ended
}

// lineBreak tells whether the text ends with a line, behind which pos is.
func (s *reactScanner) lineBreak(body []byte, final bool) peek.Answer {
	if s.tail.line <= s.pos {
		s.heredoc(body[s.tail.line:s.pos])
		s.tail.line = s.pos + 1
	}
	a := s.labelNext(body[s.pos+1:], final)
	if a == peek.No && !s.ambiguous && s.tail.word == "" {
		a = s.lineEnds(body[s.from:s.pos], body[s.pos+1:], final)
	}
	return a
}

// heredocs are where a shell takes what follows a line as data, up to a word: one in capitals, or
// in quotes directly behind.
var heredocs = regexp.MustCompile(`<<-?(?:[ \t]*["'\\]?([A-Z_][A-Z0-9_]*)["']?|["']([A-Za-z_]\w*)["'])(?:[\s;|&>)]|$)`)

// heredoc looks for the start or the end of a heredoc in a line.
func (s *reactScanner) heredoc(line []byte) {
	switch t := &s.tail; {
	case t.word == "":
		// the data of the last ends last
		for _, m := range heredocs.FindAllSubmatch(line, -1) {
			t.word, t.endInside = string(slices.Concat(m[1:]...)), false
		}
	case t.ends(line):
		t.word = ""
	}
}

// ends tells whether a line is the end of the heredoc. What holds the command may end with it.
func (t *textEnd) ends(line []byte) bool {
	return string(bytes.TrimRight(bytes.TrimSpace(line), `"')`)) == t.word
}

// opened has the code fence of n bytes, its language among them, that stands at offset i of the
// arguments opened. It returns where they begin: at j, where no more than white space stands
// between. A word on the line of text is no language.
func (s *reactScanner) opened(body []byte, i, n, j int) int {
	ticks := run(body[i:])
	s.closer = strings.Repeat("`", ticks)
	if ticks < n && j < len(body) && body[j] != '{' && bytes.IndexByte(body[i+n:j], '\n') < 0 {
		return i + ticks
	}
	return j
}

// run is how many backticks text begins with, no more than a gap may have.
func run(text []byte) (n int) {
	for n < min(len(text), peek.MaxGap) && text[n] == '`' {
		n++
	}
	peek.Examine(n)
	return n
}

// ticks tells whether the backticks at pos, which are n, end the text: those that close the code
// around it, behind which nothing stands on their line. Code in the text opens and ends at the
// start of lines.
func (s *reactScanner) ticks(body []byte, final bool) (n int, a peek.Answer) {
	n = run(body[s.pos:])
	rest := body[s.pos+n:]
	if len(rest) == 0 && !final && n < peek.MaxGap {
		return n, peek.Unknown
	}
	if n < len(format.FenceMark) {
		return n, peek.No
	}
	alone := s.alone(rest, final)
	leads := s.tail.word == "" && len(bytes.TrimSpace(body[s.tail.line:s.pos])) == 0
	t := &s.tail
	switch {
	case alone == peek.Unknown:
		return n, alone
	case alone == peek.No && leads && t.inner == 0 && len(rest) > 0 && peek.WordByte(rest[0]):
		t.inner, t.named = s.pos, true
	case alone == peek.No:
	case t.inner > 0 && leads:
		t.inner = 0
	case t.inner == 0 && n >= len(s.closer) && (s.closer != "" || s.InCode):
		return n, peek.Yes
	case leads:
		t.inner, t.named = s.pos, false
	}
	return n, peek.No
}

// alone tells whether nothing, or what ends a step, stands on the line at the start of text.
func (s *reactScanner) alone(text []byte, final bool) peek.Answer {
	n := 0
	for n < min(len(text), peek.MaxGap) && (text[n] == ' ' || text[n] == '\t' || text[n] == '\r') {
		n++
	}
	text = text[n:]
	if len(text) == 0 {
		return peek.AtLast(final)
	}
	if text[0] == '\n' {
		return peek.Yes
	}
	return max(s.Plan.Terminators.Tag(text, final), s.labelNext(text, final))
}

// value is the text of the arguments, without what stands around it. whole says that it is all of
// it.
func (s *reactScanner) value(body []byte) (text []byte, whole bool) {
	from := s.from
	text = bytes.TrimSpace(trimEnd(body[from:s.stop]))
	if i := s.tail.inner; i >= from && !s.tail.named && i < from+len(text) && bytes.HasSuffix(text, bytes.TrimSpace(body[i:s.stop])) && len(bytes.Trim(body[i:s.stop], "` \t\r\n")) == 0 {
		text = bytes.TrimSpace(body[from:i]) // it closes nothing
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	if s.tail.word != "" && !s.tail.ends(last) {
		return text, !s.tail.endInside
	}
	if s.InCode && bytes.Count(text, []byte("`"))%2 != 0 {
		// it closes the code that the step stands in
		text = bytes.TrimSuffix(text, []byte("`"))
	}
	if s.cutLabel(last) {
		text = bytes.TrimSpace(text[:len(text)-len(last)])
	}
	return text, true
}

// minLabel is the least of a label that shows it.
const minLabel = 3

// cutLabel tells whether a line is the beginning of the label at which a turn stops.
func (s *reactScanner) cutLabel(line []byte) bool {
	line = bytes.TrimLeft(line, "#*- ")
	return len(line) >= minLabel && slices.ContainsFunc(s.next, func(l format.Label) bool {
		return l.Kind == format.LabelStop && strings.HasPrefix(l.Text, string(line))
	})
}

// plainEnds are the end tokens that no bars tell from tags.
var plainEnds = []string{"</s>", "<eos>", "<end_of_turn>"}

// trimEnd leaves out an end token, of any family, at the end of a text.
func trimEnd(text []byte) []byte {
	text = bytes.TrimSpace(text)
	i := bytes.LastIndexByte(text, '<')
	if i < 0 {
		return text
	}
	last := string(text[i:])
	control := !strings.ContainsAny(last, " \t\n") && (strings.HasPrefix(last, "<|") && strings.HasSuffix(last, "|>") || strings.HasPrefix(last, "<｜") && strings.HasSuffix(last, "｜>"))
	if control || slices.Contains(plainEnds, last) && !bytes.Contains(text, []byte("<s>")) {
		return trimEnd(text[:i])
	}
	return text
}

// passString moves behind a string that an object stands in. It says whether that is known.
func (s *reactScanner) passString(body []byte, final bool) bool {
	s.pos = max(s.pos, s.from)
	if s.unquoted || s.ambiguous {
		return true
	}
	if a := peek.Prefix(body[s.from:], `"{`, final); a != peek.Yes {
		s.unquoted = a == peek.No
		return s.unquoted
	}
	for s.pos = max(s.pos, s.from+1); s.pos < len(body); s.pos++ {
		switch body[s.pos] {
		case '\\':
			if s.pos+1 == len(body) && !final {
				return false
			}
			s.pos++
		case '"':
			s.unquoted = true
			return true
		}
	}
	s.pos = min(s.pos, len(body))
	if final { // it is none
		s.pos, s.unquoted = s.from, true
	}
	return final
}

// labelNext tells whether a line begins with a label.
func (s *reactScanner) labelNext(line []byte, final bool) peek.Answer {
	_, _, a := FirstLabel(s.next, line, s.Loose, final)
	return a
}
