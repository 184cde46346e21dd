package scan

import (
	"bytes"
	"regexp"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
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
func (s *TaggedScanner) closingTags() (all [][]string) {
	d := s.Plan.Dialect
	section := d.Section.Close
	if d.Unmarked {
		section = ""
	}
	for _, t := range []string{s.CallEnd, d.Call.Close, section} {
		if t != "" {
			all = append(all, d.Spellings(t))
		}
	}
	return all
}

// closedWhole tells whether the call ends with the closing tags that begin at offset i, because they are all there are and nothing
// says that they are quoted.
func (s *TaggedScanner) closedWhole(body []byte, i int, final bool) peek.Answer {
	ending := len(bytes.TrimRight(body[:i], " \n\t\r"))
	if s.last != valueEnd || s.element != "" || !bytes.HasSuffix(body[:ending], []byte(s.ArgEnd)) {
		return peek.No
	}
	end, a := s.closingAt(body, ending, final)
	if a != peek.Yes {
		return a
	}
	value := body[s.from : ending-len(s.ArgEnd)]
	if s.Lines && inLines(value[:min(2, len(value))]) != inLines(value[max(0, len(value)-2):]) {
		return peek.No
	}
	if s.fence.Open(body, ending) || s.tool.Schema.Lacks(s.given) {
		return peek.No
	}
	return peek.Negated(s.quotedBefore(body[end:], final))
}

// closingAt tells whether all the tags that close a call stand behind offset i, and where they end.
func (s *TaggedScanner) closingAt(body []byte, i int, final bool) (end int, a peek.Answer) {
	for _, tag := range s.closers {
		j := peek.SkipSpace(body, i)
		t, a := peek.AnyPrefix(body[j:], tag, final)
		if a != peek.Yes {
			return 0, a
		}
		if inLines(body[i:j]) != s.inLines || j-i > peek.MaxGap {
			return 0, peek.No
		}
		i = j + len(t)
	}
	return i, peek.Boolean(len(s.closers) > 0, peek.Yes)
}

func inLines(gap []byte) bool { return bytes.IndexByte(gap, '\n') >= 0 }

// quotedBefore tells whether the text behind what closes a call shows that to be quoted in a value.
func (s *TaggedScanner) quotedBefore(rest []byte, final bool) peek.Answer {
	if len(rest) == 0 {
		return peek.Boolean(!final, peek.Unknown)
	}
	if strings.IndexByte(quotationEnds, rest[0]) >= 0 {
		return peek.Yes
	}
	if a := peek.Prefix(rest, "</", final); a != peek.No { // of what stands around the quotation
		_, b := peek.AnyPrefix(rest, s.opensOrEnds, final)
		if a == peek.Unknown || b == peek.Unknown {
			return peek.Unknown
		}
		return peek.Negated(b)
	}
	i := peek.SkipSpace(rest, 0)
	if i > peek.MaxGap {
		return peek.No
	}
	_, a := peek.AnyPrefix(rest[i:], s.argTags, final)
	return a
}

// argumentTags are those around arguments, of the family and of what is read: between calls none of them stands.
func (s *TaggedScanner) argumentTags() (all []string) {
	for _, c := range append([]format.Syntax{s.Tagged}, s.Plan.Dialect.Codecs...) {
		if t, ok := c.(format.Tagged); ok {
			all = append(all, t.ArgEnd, t.Arg.Open)
		}
	}
	return all
}

// Fences reads the lines of a value that open or close a code fence, or a shell's here-document, each once.
type Fences struct {
	pos  int
	odd  bool
	here string // the line that ends the here-document that is open, "" if none is
}

// hereMark begins such a document: the word that ends it stands behind, in quotes or not. Behind a number, a bracket or a part of a word, or
// in a line that a semicolon ends, it shifts bits.
var hereMark = regexp.MustCompile(`(?:^|[^\s\w)\]][ \t]*|[A-Za-z_]\w*[ \t]+)<<[-~]?\\?["']?([A-Z_][A-Z0-9_]*)`)

// Open tells whether a fence or a document is open in the value at offset i.
func (f *Fences) Open(body []byte, i int) bool {
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

func (f *Fences) read(line []byte) {
	if f.here != "" {
		if string(line) == f.here {
			f.here = ""
		}
		return
	}
	f.odd = f.odd != bytes.HasPrefix(line, []byte(format.FenceMark))
	if m := hereMark.FindSubmatch(line[:min(len(line), peek.MaxTag)]); m != nil && !bytes.HasSuffix(line, []byte(";")) {
		f.here = string(m[1])
	}
}
