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

// A model leaves the marker before a call out and writes the rest of it. Where the name of a
// declared tool stands at its place beside a marker that only calls have, it is a call
// nevertheless.

// callHead is what a call of a codec begins with, the markers around calls left out.
type callHead struct {
	codec    scan.Codec
	Prefixes []string // what stands before the name, "" if nothing may
	index    bool     // the call's number may follow the name
	Marks    []string // what proves the name to be a call's, behind it; none: the prefix does
	// alone: the family's closing marker proves it too, if the name stands alone on its line.
	alone []string
	bare  bool // the marks are common in text
	line  bool // it stands at the start of a line
	words bool // a sentence may begin so
	// element: the name is that of an element.
	element bool
}

// headsOf are the ways in which a call begins whose name comes first, those that prove most first.
func headsOf(s format.Syntax) []callHead {
	switch s := s.(type) {
	case format.Named:
		return namedHeads(s)
	case format.JSON:
		return jsonHeads(s)
	case format.Tagged:
		return taggedHeads(s)
	case format.Python:
		return pythonHeads(s)
	}
	return nil
}

func namedHeads(c format.Named) []callHead {
	plain := callHead{Prefixes: []string{"", declared.ToolsPrefix}, index: c.Index, Marks: []string{strings.TrimSpace(c.Separator) + "{"}, bare: true, line: true, words: true}
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
	marked := callHead{Prefixes: []string{"", declared.ToolsPrefix}, index: c.Index, Marks: marks}
	switch at := strings.IndexAny(c.Before, "<[|"); {
	case at > 0: // a word and a marker, of which the word may be missing
		marked = callHead{}
		for _, m := range marks {
			marked.Prefixes = append(marked.Prefixes, c.Before[:at]+m, m)
		}
	case c.Before != "" && len(marks) == 0:
		mark := cmp.Or(strings.TrimSpace(c.Separator), "{")
		marked = callHead{Prefixes: []string{c.Before, strings.TrimSpace(c.Before)}, index: c.Index, Marks: []string{mark}, bare: true, words: true}
	case len(marks) == 0:
		return []callHead{plain}
	}
	return []callHead{marked, plain}
}

func jsonHeads(c format.JSON) []callHead {
	if !c.NameIsKey {
		return nil // its keys show a call (cues.go)
	}
	return []callHead{{Prefixes: []string{`[{"`, `{"`}, Marks: []string{`":`}, bare: true}}
}

func taggedHeads(c format.Tagged) []callHead {
	// its tag is a marker by itself, but not with an attribute, which is common in XML
	if !c.NameFirst {
		tag := format.AttributeTag(c.Call.Open)
		if tag == "" {
			return nil
		}
		return []callHead{{Prefixes: []string{tag, tag + `"`, tag + "'"}, Marks: []string{`">`, "'>", ">"}}}
	}
	h := callHead{Prefixes: []string{"", declared.ToolsPrefix}, Marks: []string{c.Arg.Open}}
	if c.NameEnd != "" {
		h.Marks = append(h.Marks, c.NameEnd)
	}
	return []callHead{h}
}

func pythonHeads(c format.Python) []callHead {
	h := callHead{Marks: []string{"("}, bare: true}
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
	return []callHead{h}
}

// functionHead is how models of families without such tags slip into function tags: Meta documents
// them for Llama 3. The tag alone is common in text, so what belongs to a call must stand behind
// it. invokeHead and paramHead are the same for the other ways of tags.
var (
	functionHead = tagHead(format.FunctionTags)
	invokeHead   = tagHead(format.InvokeTags)
	paramHead    = tagHead(format.ParamTags)
)

// tagHead is how a call of a codec begins whose tags hold a name.
func tagHead(c format.Tagged) callHead {
	end := c.Call.Close
	return callHead{
		codec:    scan.CodecOf(c),
		Prefixes: []string{c.Call.Open},
		Marks:    []string{end + "{", end + c.Arg.Open, end + "\n" + c.Arg.Open, end + c.CallEnd, end + "\n" + c.CallEnd},
		bare:     true,
	}
}

// listHead is a list of Python's calls, which models write that were taught other notations.
var listHead = callHead{codec: scan.CodecOf(format.Python{Listed: true}), Prefixes: []string{"["}, Marks: []string{"("}, bare: true}

// headGap is the white space that may stand between a name and what proves it.
const headGap = 2

// behead finds out how the turn's calls begin.
func (p *Reading) behead() {
	if !p.Callable {
		return
	}
	for _, c := range p.Dialect.Codecs {
		for _, h := range headsOf(c) {
			h.codec = scan.CodecOf(c)
			if len(h.Marks) > 0 && !h.bare {
				h.alone = p.Closers[p.Dialect.Opener()]
			}
			p.addHead(h)
		}
	}
	for _, h := range []callHead{functionHead, invokeHead, paramHead} {
		if _, own := p.Markers.ByText[h.Prefixes[0]]; !own {
			p.addHead(h)
		}
	}
	if !slices.ContainsFunc(p.Dialect.Codecs, func(c format.Syntax) bool { _, ok := c.(format.Python); return ok }) {
		p.addHead(listHead)
	}
	p.addHead(elementHead)
}

func (p *Reading) addHead(h callHead) {
	p.Heads = append(p.Heads, h)
	longest := 0
	for _, n := range p.Called {
		longest = max(longest, len(n))
	}
	for _, f := range h.Prefixes {
		p.startHead(f)
		for _, m := range slices.Concat(h.Marks, h.alone, []string{""}) {
			p.LongestHead = max(p.LongestHead, len(f)+longest+len(":")+plan.MaxIndex+headGap+len(m))
		}
	}
}

// startHead notes the bytes with which a head may start.
func (p *Reading) startHead(prefix string) {
	if prefix != "" {
		p.headBytes[prefix[0]] = true
		return
	}
	for _, n := range p.Called {
		p.headBytes[n[0]] = true
	}
}

// openHead opens the region of a call without its opening marker, if one starts at i.
func (p *Text) openHead(i int, final bool) peek.Answer {
	h, a := p.headAt(i, final)
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
	codec := h.codec
	if h.element {
		text := p.buf[i+len(h.Prefixes[0]):]
		codec = scan.ElementTags(string(text[:bytes.IndexByte(text, h.Marks[0][0])]))
	}
	p.region.cue, p.region.unmarked, p.region.codecs = true, h.bare, []scan.Codec{codec}
	p.region.first = p.region.first && !h.words
	if c, ok := codec.(scan.PythonicCodec); ok && c.Fence.Open != "" {
		p.region.unopened = false // the fence is how the family writes these
	}
	return peek.Yes
}

// headAt tells whether a call without its opening marker starts at i, and how it is written.
func (p *Text) headAt(i int, final bool) (*callHead, peek.Answer) {
	found := peek.No
	for k := range p.plan.Heads {
		h := &p.plan.Heads[k]
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

// nameAt tells whether a declared name stands at offset at, and behind it what proves that it is
// called. The head starts at offset i.
func (p *Text) nameAt(h *callHead, i, at int, final bool) peek.Answer {
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
	space := peek.SkipSpace(text[:min(len(text), n+headGap)], n)
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

// symbolic tells whether the markers between two offsets are tokens where the vocabulary has such
// for them.
func (p *Text) symbolic(from, to int) bool {
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

// startsWord tells whether no word reaches to offset i from before it.
func (p *Text) startsWord(i int) bool {
	switch {
	case !peek.WordByte(p.buf[i]):
		return true
	case i == p.pos:
		return !p.inWord
	}
	return !peek.WordByte(p.buf[i-1])
}

// blankBefore tells whether only white space stands on the line before offset i.
func (p *Text) blankBefore(i int) bool {
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

// codeIndent is how far a line of code is indented at least: a function that is called there is no
// tool.
const codeIndent = 2

// indentBefore is how much white space stands before offset i, where nothing else stands on its
// line.
func (p *Text) indentBefore(i int) int {
	for from := i; ; i-- {
		switch {
		case i == p.pos:
			return from - i + p.indent
		case p.buf[i-1] == '\n':
			return from - i
		}
	}
}

// Cline, Roo and their kind have models write a call as an element with the tool's name, and each
// argument as one inside of it:
//
//	<read_file>
//	<path>src/main.go</path>
//	</read_file>
//
// In every family this is a call where the element is whole and has the name of a declared tool,
// and what it holds are arguments of that.

// elementHead is how such a call begins.
var elementHead = callHead{Prefixes: []string{"<"}, Marks: []string{">"}, bare: true, element: true}

// brokenElement tells whether the region is an element that is not complete.
func (r *region) brokenElement() bool {
	s, ok := r.scan.(*scan.TaggedScanner)
	return ok && s.Named != "" && !r.isMarked()
}
