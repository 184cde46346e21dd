package parse

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/plan"
	"tenon/tools/scan"
	"tenon/tools/turn"
)

// A model may leave out the marker that opens a call and write the rest of it. It is a call where
// the name of a declared tool is in its place, beside a marker that only calls have.

// unopenedCall is how a call of a syntax begins if its opening marker is missing.
type unopenedCall struct {
	reader   scan.Reader
	Prefixes []string // one of them is before the name; "" where nothing need be
	index    bool     // the call's number may follow the name
	Marks    []string // one of them behind the name proves the call; none: the prefix does
	// alone: the family's closing marker proves it too, if the name is alone on its line.
	alone []string
	bare  bool // the marks are common in text
	line  bool // it is at the start of a line
	words bool // a sentence may begin so
	tag   bool // the name is in a tag of its own (tool_name_tag.go)
}

// unopenedOf are the ways in which calls of a syntax begin, if the name comes first. Those that
// prove most are first.
func unopenedOf(s format.Syntax) []unopenedCall {
	switch s := s.(type) {
	case format.Named:
		return unopenedNamed(s)
	case format.JSON:
		return unopenedJSON(s)
	case format.Tagged:
		return unopenedTagged(s)
	case format.Python:
		return unopenedPython(s)
	}
	return nil
}

func unopenedNamed(c format.Named) []unopenedCall {
	plain := unopenedCall{Prefixes: []string{"", declared.ToolsPrefix}, index: c.Index, Marks: []string{strings.TrimSpace(c.Separator) + "{"}, bare: true, line: true, words: true}
	var marks []string
	for _, m := range c.Splits {
		switch {
		case m == c.IDFirst:
		case strings.ContainsAny(m, "<[|"):
			marks = append(marks, m)
		case strings.HasPrefix(m, format.FenceMark) && m != format.FenceMark:
			plain.Marks = append(plain.Marks, m)
		}
	}
	if len(marks) > 0 || c.BareKeys {
		plain.Marks[0] = "{"
	}
	marked := unopenedCall{Prefixes: []string{"", declared.ToolsPrefix}, index: c.Index, Marks: marks}
	switch at := strings.IndexAny(c.Before, "<[|"); {
	case at > 0: // a word and a marker, of which the word may be missing
		marked = unopenedCall{}
		for _, m := range marks {
			marked.Prefixes = append(marked.Prefixes, c.Before[:at]+m, m)
		}
	case c.Before != "" && len(marks) == 0:
		mark := cmp.Or(strings.TrimSpace(c.Separator), "{")
		marked = unopenedCall{Prefixes: []string{c.Before, strings.TrimSpace(c.Before)}, index: c.Index, Marks: []string{mark}, bare: true, words: true}
	case len(marks) == 0:
		return []unopenedCall{plain}
	}
	return []unopenedCall{marked, plain}
}

func unopenedJSON(c format.JSON) []unopenedCall {
	if !c.NameIsKey {
		return nil // its keys tell that it is a call (unmarked_start.go)
	}
	return []unopenedCall{{Prefixes: []string{`[{"`, `{"`}, Marks: []string{`":`}, bare: true}}
}

func unopenedTagged(c format.Tagged) []unopenedCall {
	// its tag is a marker by itself, but not with an attribute, which is common in XML
	if !c.NameFirst {
		tag := format.AttributeTag(c.Call.Open)
		if tag == "" {
			return nil
		}
		return []unopenedCall{{Prefixes: []string{tag, tag + `"`, tag + "'"}, Marks: []string{`">`, "'>", ">"}}}
	}
	h := unopenedCall{Prefixes: []string{"", declared.ToolsPrefix}, Marks: []string{c.Arg.Open}}
	if c.NameEnd != "" {
		h.Marks = append(h.Marks, c.NameEnd)
	}
	return []unopenedCall{h}
}

func unopenedPython(c format.Python) []unopenedCall {
	h := unopenedCall{Marks: []string{"("}, bare: true}
	switch {
	case c.Method != "":
		return nil
	case c.Fence.Open != "":
		h.bare = false
		for _, open := range []string{c.Fence.Open, strings.Replace(c.Fence.Open, "\n", "\r\n", 1)} {
			h.Prefixes = append(h.Prefixes, open, open+"[", open+scan.PrintCall+"(")
		}
	case c.Listed:
		h.Prefixes = []string{"["}
	default:
		h.Prefixes, h.line, h.words = []string{""}, true, true
	}
	return []unopenedCall{h}
}

// Models of families without such tags write them too: Meta documents function tags for Llama 3.
// The tag alone is common in text, so something that only calls have must follow it.
var (
	unopenedFunction = unopenedTag(format.FunctionTags)
	unopenedInvoke   = unopenedTag(format.InvokeTags)
	unopenedParam    = unopenedTag(format.ParamTags)
)

// unopenedTag is how a call begins whose tags hold the tool's name.
func unopenedTag(c format.Tagged) unopenedCall {
	end := c.Call.Close
	return unopenedCall{
		reader:   scan.ReaderOf(c),
		Prefixes: []string{c.Call.Open},
		Marks:    []string{end + "{", end + c.Arg.Open, end + "\n" + c.Arg.Open, end + c.CallEnd, end + "\n" + c.CallEnd},
		bare:     true,
	}
}

// unopenedList is a list of calls in Python, which models of all families write.
var unopenedList = unopenedCall{reader: scan.ReaderOf(format.Python{Listed: true}), Prefixes: []string{"["}, Marks: []string{"("}, bare: true}

// proofGap is how much white space may be between a name and the mark that proves it.
const proofGap = 2

// findUnopened collects the ways in which the turn's calls begin.
func (p *Reading) findUnopened() {
	if !p.Callable {
		return
	}
	for _, c := range p.Dialect.Syntaxes {
		for _, h := range unopenedOf(c) {
			h.reader = scan.ReaderOf(c)
			if len(h.Marks) > 0 && !h.bare {
				h.alone = p.Closers[p.Dialect.Opener()]
			}
			p.addUnopened(h)
		}
	}
	for _, h := range []unopenedCall{unopenedFunction, unopenedInvoke, unopenedParam} {
		if _, own := p.Markers.ByText[h.Prefixes[0]]; !own {
			p.addUnopened(h)
		}
	}
	if !slices.ContainsFunc(p.Dialect.Syntaxes, func(c format.Syntax) bool { _, ok := c.(format.Python); return ok }) {
		p.addUnopened(unopenedList)
	}
	p.addUnopened(toolNameTag)
}

func (p *Reading) addUnopened(h unopenedCall) {
	p.Unopened = append(p.Unopened, h)
	longest := 0
	for _, n := range p.Called {
		longest = max(longest, len(n))
	}
	for _, f := range h.Prefixes {
		p.addFirstByte(f)
		for _, m := range slices.Concat(h.Marks, h.alone, []string{""}) {
			p.LongestUnopened = max(p.LongestUnopened, len(f)+longest+len(":")+plan.MaxIndex+proofGap+len(m))
		}
	}
}

// addFirstByte notes the byte with which such a call starts.
func (p *Reading) addFirstByte(prefix string) {
	if prefix != "" {
		p.unopenedBytes[prefix[0]] = true
		return
	}
	for _, n := range p.Called {
		p.unopenedBytes[n[0]] = true
	}
}

// openUnopened opens the region of a call without its opening marker at i, if there is one.
func (p *Tolerant) openUnopened(i int, final bool) peek.Answer {
	h, a := p.unopenedAt(i, final)
	if a == peek.No {
		return peek.No
	}
	p.pass(i)
	if a == peek.Unknown {
		return peek.Unknown
	}
	o := scan.Opening{Plan: p.plan.Plan, Bare: h.bare}
	if !h.bare { // the closing marker is the call's; behind a bare one it proves the call
		o.Marker = p.plan.Dialect.Opener()
	}
	p.openRegion(o, i, i, false)
	reader := h.reader
	if h.tag {
		text := p.buf[i+len(h.Prefixes[0]):]
		reader = scan.ElementTags(string(text[:bytes.IndexByte(text, h.Marks[0][0])]))
	}
	p.region.fromStart, p.region.unmarked, p.region.readers = true, h.bare, []scan.Reader{reader}
	p.region.first = p.region.first && !h.words
	if c, ok := reader.(scan.PythonicReader); ok && c.Fence.Open != "" {
		p.region.lacksOpener = false // the fence is how the family writes these
	}
	return peek.Yes
}

// unopenedAt tells whether a call without its opening marker starts at i, and how it is written.
func (p *Tolerant) unopenedAt(i int, final bool) (*unopenedCall, peek.Answer) {
	found := peek.No
	for k := range p.plan.Unopened {
		h := &p.plan.Unopened[k]
		if h.line && (!p.blankBefore(i) || p.indentBefore(i) >= codeIndent) {
			continue
		}
		for _, prefix := range h.Prefixes {
			switch peek.Prefix(p.buf[i:], prefix, final) {
			case peek.No:
				continue
			case peek.Unknown:
				found = peek.Unknown
				continue
			}
			switch p.nameAt(h, i, i+len(prefix), final) {
			case peek.Yes:
				return h, peek.Yes
			case peek.Unknown:
				found = peek.Unknown
			}
		}
	}
	return nil, found
}

// nameAt tells whether a declared name is at offset at, with the mark behind it that proves a
// call. The call starts at offset i.
func (p *Tolerant) nameAt(h *unopenedCall, i, at int, final bool) peek.Answer {
	text := p.buf[at:]
	n := 0
	for n < len(text) && n <= turn.MaxName && peek.NameByte(text[n]) {
		n++
	}
	if n == len(text) && !final {
		return peek.Boolean(p.plan.BeginsName(text, h.index), peek.Unknown)
	}
	if !p.plan.IsName(text[:n], h.index) {
		return peek.No
	}
	if len(h.Marks) == 0 {
		return peek.Boolean(p.symbolic(i, at+n), peek.Yes)
	}
	space := peek.SkipSpace(text[:min(len(text), n+proofGap)], n)
	if space == len(text) {
		return peek.Boolean(!final, peek.Unknown)
	}
	m, a := peek.AnyPrefix(text[space:], h.Marks, final)
	if a == peek.No {
		m, a = peek.AnyTag(text[space:], h.alone, final)
		a = peek.Boolean(p.blankBefore(i), a)
	}
	if a == peek.Yes {
		return peek.Boolean(p.symbolic(i, at+space+len(m)), peek.Yes)
	}
	return a
}

// symbolic tells whether the markers between two offsets are tokens, if the vocabulary has tokens
// for them.
func (p *Tolerant) symbolic(from, to int) bool {
	if p.spelt {
		return true
	}
	for i := from; i < to; i++ {
		m, a := p.plan.Markers.At(p.buf[i:to], true)
		if _, isSymbol := p.symbolAt(i); a == peek.Yes && !isSymbol && p.plan.Dialect.Symbols[m.Text] {
			return false
		}
	}
	return true
}

// startsWord tells whether offset i is not inside a word.
func (p *Tolerant) startsWord(i int) bool {
	switch {
	case !peek.WordByte(p.buf[i]):
		return true
	case i == p.pos:
		return !p.inWord
	}
	return !peek.WordByte(p.buf[i-1])
}

// blankBefore tells whether only white space is on the line before offset i.
func (p *Tolerant) blankBefore(i int) bool {
	for ; i > p.pos; i-- {
		switch c := p.buf[i-1]; {
		case c == '\n':
			return true
		case !peek.IsSpace(c):
			return false
		}
	}
	return p.blank
}

// codeIndent is the least indentation of a line of code, in which the call of a function is no
// tool call.
const codeIndent = 2

// indentBefore is how much white space is before offset i, on a line with nothing else before it.
func (p *Tolerant) indentBefore(i int) int {
	for from := i; ; i-- {
		switch {
		case i == p.pos:
			return from - i + p.indent
		case p.buf[i-1] == '\n':
			return from - i
		}
	}
}
