package tools

import (
	"bytes"
	"regexp"
	"strings"
)

// All that closes a call, from the end of its last argument to the end of its section, in lines where the call is written in lines,
// ends the call at once, though any text may stand in a value: who waited whether the same comes once more would keep back every text
// behind a call to the turn's end (issue 6, property 5). A value that quotes all of this ends there, and the call leaves without what
// follows. The vendors' own parsers cut earlier, at the first tag that closes an argument. It is read as a part of the value where something says so:
// a call was opened inside the value (its tags match as brackets do), a code fence or a here-document is open, an argument that the tool requires has not
// come, or what stands behind it closes a quotation or is a tag of arguments.

// quotationEnds are what closes a quotation or stands behind one in code, and begins no text behind a call.
const quotationEnds = "\"'`\\)]},;"

// closingTags are the tags behind an argument's own end that close a call of a family as a whole, each in its spellings.
func (s *taggedScanner) closingTags() (all [][]string) {
	d := s.plan.dialect
	section := d.section.close
	if d.unmarked {
		section = ""
	}
	for _, t := range []string{s.callEnd, d.call.close, section} {
		if t != "" {
			all = append(all, d.spellings(t))
		}
	}
	return all
}

// closedWhole tells whether the call ends with the closing tags that begin at offset i, because they are all there are and nothing
// says that they are quoted.
func (s *taggedScanner) closedWhole(body []byte, i int, final bool) answer {
	ending := len(bytes.TrimRight(body[:i], " \n\t\r"))
	if s.last != valueEnd || s.element != "" || !bytes.HasSuffix(body[:ending], []byte(s.argEnd)) {
		return no
	}
	end, a := s.closingAt(body, ending, final)
	if a != yes {
		return a
	}
	value := body[s.from : ending-len(s.argEnd)]
	if s.lines && inLines(value[:min(2, len(value))]) != inLines(value[max(0, len(value)-2):]) {
		return no
	}
	if s.fence.open(body, ending) || s.tool.schema.Lacks(s.given) {
		return no
	}
	return negated(s.quotedBefore(body[end:], final))
}

// closingAt tells whether all the tags that close a call stand behind offset i, and where they end.
func (s *taggedScanner) closingAt(body []byte, i int, final bool) (end int, a answer) {
	for _, tag := range s.closers {
		j := skipSpace(body, i)
		t, a := anyPrefix(body[j:], tag, final)
		if a != yes {
			return 0, a
		}
		if inLines(body[i:j]) != s.inLines || j-i > maxGap {
			return 0, no
		}
		i = j + len(t)
	}
	return i, boolean(len(s.closers) > 0, yes)
}

func inLines(gap []byte) bool { return bytes.IndexByte(gap, '\n') >= 0 }

// quotedBefore tells whether the text behind what closes a call shows that to be quoted in a value.
func (s *taggedScanner) quotedBefore(rest []byte, final bool) answer {
	if len(rest) == 0 {
		return boolean(!final, unknown)
	}
	if strings.IndexByte(quotationEnds, rest[0]) >= 0 {
		return yes
	}
	if a := hasPrefix(rest, "</", final); a != no { // of what stands around the quotation
		_, b := anyPrefix(rest, s.opensOrEnds, final)
		if a == unknown || b == unknown {
			return unknown
		}
		return negated(b)
	}
	i := skipSpace(rest, 0)
	if i > maxGap {
		return no
	}
	_, a := anyPrefix(rest[i:], s.argTags, final)
	return a
}

// argumentTags are those around arguments, of the family and of what is read: between calls none of them stands.
func (s *taggedScanner) argumentTags() (all []string) {
	for _, c := range append([]codec{s.taggedCodec}, s.plan.dialect.codecs...) {
		if t, ok := c.(taggedCodec); ok {
			all = append(all, t.argEnd, t.arg.open)
		}
	}
	return all
}

// fences reads the lines of a value that open or close a code fence, or a shell's here-document, each once.
type fences struct {
	pos  int
	odd  bool
	here string // the line that ends the here-document that is open, "" if none is
}

// hereMark begins such a document: the word that ends it stands behind, in quotes or not. Behind a number, a bracket or a part of a word, or
// in a line that a semicolon ends, it shifts bits.
var hereMark = regexp.MustCompile(`(?:^|[^\s\w)\]][ \t]*|[A-Za-z_]\w*[ \t]+)<<[-~]?\\?["']?([A-Z_][A-Z0-9_]*)`)

// open tells whether a fence or a document is open in the value at offset i.
func (f *fences) open(body []byte, i int) bool {
	for f.pos < i {
		n := bytes.IndexByte(body[f.pos:i], '\n')
		line := body[f.pos:i]
		if n >= 0 {
			line = line[:n+1]
		}
		f.read(bytes.TrimSpace(line))
		f.pos += len(line)
	}
	return f.odd || f.here != ""
}

func (f *fences) read(line []byte) {
	if f.here != "" {
		if string(line) == f.here {
			f.here = ""
		}
		return
	}
	f.odd = f.odd != bytes.HasPrefix(line, []byte(fenceMark))
	if m := hereMark.FindSubmatch(line[:min(len(line), maxTag)]); m != nil && !bytes.HasSuffix(line, []byte(";")) {
		f.here = string(m[1])
	}
}
