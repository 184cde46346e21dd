package tools

import (
	"bytes"
	"slices"
	"sort"
	"strings"

	"tenon/tools/conform"
)

// A model leaves the marker before a call out and writes the rest of it. Where the name of a declared tool stands at its place beside a
// marker that only calls have, it is a call nevertheless.

// callHead is what a call of a codec begins with, the markers around calls left out.
type callHead struct {
	codec    codec
	prefixes []string // what stands before the name, "" if nothing may
	index    bool     // the call's number may follow the name
	marks    []string // what proves the name to be a call's, behind it; none: the prefix does
	// alone: the family's closing marker proves it too, if the name stands alone on its line.
	alone []string
	bare  bool // the marks are common in text
	line  bool // it stands at the start of a line
	words bool // a sentence may begin so
	// element: the name is that of an element (element.go).
	element bool
}

// toolsPrefix is what models of many families write before names.
const toolsPrefix = "functions."

// headed is a codec whose calls begin with the name.
type headed interface {
	// heads are the ways in which a call begins, those that prove most first.
	heads() []callHead
}

func (c namedCodec) heads() []callHead {
	plain := callHead{prefixes: []string{"", toolsPrefix}, index: c.index, marks: []string{strings.TrimSpace(c.separator) + "{"}, bare: true, line: true, words: true}
	var marks []string
	for _, m := range c.splits {
		switch {
		case m == c.idFirst:
		case strings.ContainsAny(m, "<[|"):
			marks = append(marks, m)
		case strings.HasPrefix(m, fenceMark) && m != fenceMark:
			plain.marks = append(plain.marks, m)
		}
	}
	if len(marks) > 0 || c.bareKeys {
		plain.marks[0] = "{"
	}
	marked := callHead{prefixes: []string{"", toolsPrefix}, index: c.index, marks: marks}
	switch at := strings.IndexAny(c.before, "<[|"); {
	case at > 0: // a word and a marker, of which the word may be missing
		marked = callHead{}
		for _, m := range marks {
			marked.prefixes = append(marked.prefixes, c.before[:at]+m, m)
		}
	case c.before != "" && len(marks) == 0:
		marked = callHead{prefixes: []string{c.before}, index: c.index, marks: plain.marks, bare: true, words: true}
	case len(marks) == 0:
		return []callHead{plain}
	}
	return []callHead{marked, plain}
}

func (c jsonCodec) heads() []callHead {
	if !c.nameIsKey {
		return nil // its keys show a call (cues.go)
	}
	return []callHead{{prefixes: []string{`[{"`, `{"`}, marks: []string{`":`}, bare: true}}
}

func (c taggedCodec) heads() []callHead {
	if !c.nameFirst { // its tag is a marker by itself, but not with an attribute, which is common in XML
		tag := attributeTag(c.call.open)
		if tag == "" {
			return nil
		}
		return []callHead{{prefixes: []string{tag, tag + `"`, tag + "'"}, marks: []string{`">`, "'>", ">"}}}
	}
	h := callHead{prefixes: []string{"", toolsPrefix}, marks: []string{c.arg.open}}
	if c.nameEnd != "" {
		h.marks = append(h.marks, c.nameEnd)
	}
	return []callHead{h}
}

func (c pythonicCodec) heads() []callHead {
	h := callHead{marks: []string{"("}, bare: true}
	switch {
	case c.method != "":
		return nil
	case c.fence.open != "":
		h.prefixes, h.bare = []string{c.fence.open, c.fence.open + "[", c.fence.open + printCall + "("}, false
	case c.listed:
		h.prefixes = []string{"["}
	default:
		h.prefixes, h.line, h.words = []string{""}, true, true
	}
	return []callHead{h}
}

// functionHead is how models of families without such tags slip into function tags: Meta documents them for Llama 3. The tag alone
// is common in text, so what belongs to a call must stand behind it.
var functionHead = callHead{
	codec:    functionTags,
	prefixes: []string{functionTags.call.open},
	marks:    []string{">{", ">" + functionTags.arg.open, ">\n" + functionTags.arg.open, ">" + functionTags.callEnd, ">\n" + functionTags.callEnd},
	bare:     true,
}

// invokeHead and paramHead are the same for the other ways of tags.
var (
	invokeHead = attributeHead(invokeTags)
	paramHead  = attributeHead(paramTags)
)

// attributeHead is how a call of a codec begins whose tags have names as attributes.
func attributeHead(c taggedCodec) callHead {
	return callHead{
		codec:    c,
		prefixes: []string{c.call.open},
		marks:    []string{`">` + c.arg.open, `">` + "\n" + c.arg.open, `">` + c.callEnd, `">` + "\n" + c.callEnd},
		bare:     true,
	}
}

// listHead is a list of Python's calls, which models write that were taught other notations.
var listHead = callHead{codec: pythonicCodec{listed: true}, prefixes: []string{"["}, marks: []string{"("}, bare: true}

// headGap is the white space that may stand between a name and what proves it.
const headGap = 2

// maxIndex is how many digits a call's number may have.
const maxIndex = 4

// behead finds out how the turn's calls begin.
func (p *Plan) behead() {
	if !p.callable {
		return
	}
	for _, t := range p.tools {
		if t.allowed {
			p.called = append(p.called, t.prompt)
			p.normal = append(p.normal, conform.Normal(t.prompt))
		}
	}
	slices.Sort(p.called)
	slices.Sort(p.normal)
	for _, c := range p.dialect.codecs {
		w, ok := c.(headed)
		if !ok {
			continue
		}
		for _, h := range w.heads() {
			h.codec = c
			if len(h.marks) > 0 && !h.bare {
				h.alone = p.closers[p.dialect.opener()]
			}
			p.addHead(h)
		}
	}
	for _, h := range []callHead{functionHead, invokeHead, paramHead} {
		if _, own := p.markers.byText[h.prefixes[0]]; !own {
			p.addHead(h)
		}
	}
	if !slices.ContainsFunc(p.dialect.codecs, func(c codec) bool { _, ok := c.(pythonicCodec); return ok }) {
		p.addHead(listHead)
	}
	p.addHead(elementHead)
}

func (p *Plan) addHead(h callHead) {
	p.heads = append(p.heads, h)
	longest := 0
	for _, n := range p.called {
		longest = max(longest, len(n))
	}
	for _, f := range h.prefixes {
		p.startHead(f)
		for _, m := range slices.Concat(h.marks, h.alone, []string{""}) {
			p.longestHead = max(p.longestHead, len(f)+longest+len(":")+maxIndex+headGap+len(m))
		}
	}
}

// startHead notes the bytes with which a head may start.
func (p *Plan) startHead(prefix string) {
	if prefix != "" {
		p.headBytes[prefix[0]] = true
		return
	}
	for _, n := range p.called {
		p.headBytes[n[0]] = true
	}
}

// opener is the marker that stands before a call.
func (d *Dialect) opener() string {
	if d.call.open != "" {
		return d.call.open
	}
	return d.section.open
}

// openHead opens the region of a call without its opening marker, if one starts at i.
func (p *tolerant) openHead(i int, final bool) answer {
	h, a := p.headAt(i, final)
	if a == no {
		return no
	}
	p.pass(i)
	if a == unknown {
		return unknown
	}
	o := opening{plan: p.plan, bare: h.bare}
	if !h.bare { // the closing marker is the call's; behind a bare one it proves the call
		o.marker = p.plan.dialect.opener()
	}
	p.openRegion(o, i, i, false)
	if h.element {
		text := p.buf[i+len(h.prefixes[0]):]
		h.codec = elementTags(string(text[:bytes.IndexByte(text, h.marks[0][0])]))
	}
	p.region.cue, p.region.unmarked, p.region.codecs = true, h.bare, []codec{h.codec}
	p.region.first = p.region.first && !h.words
	if c, ok := h.codec.(pythonicCodec); ok && c.fence.open != "" {
		p.region.unopened = false // the fence is how the family writes these
	}
	return yes
}

// headAt tells whether a call without its opening marker starts at i, and how it is written.
func (p *tolerant) headAt(i int, final bool) (callHead, answer) {
	found := no
	for _, h := range p.plan.heads {
		if h.line && (!p.blankBefore(i) || p.indentBefore(i) >= codeIndent) {
			continue
		}
		for _, prefix := range h.prefixes {
			switch hasPrefix(p.buf[i:], prefix, final) {
			case no:
				continue
			case unknown:
				found = unknown
				continue
			}
			switch p.nameAt(h, i, i+len(prefix), final) {
			case yes:
				return h, yes
			case unknown:
				found = unknown
			}
		}
	}
	return callHead{}, found
}

// nameAt tells whether a declared name stands at offset at, and behind it what proves that it is called. The head starts at offset i.
func (p *tolerant) nameAt(h callHead, i, at int, final bool) answer {
	text := p.buf[at:]
	n := 0
	for n < len(text) && n <= maxName && nameByte(text[n]) {
		n++
	}
	if n == len(text) && !final {
		return boolean(p.plan.beginsName(text, h.index), unknown)
	}
	if !p.plan.isName(text[:n], h.index) {
		return no
	}
	if len(h.marks) == 0 {
		return boolean(p.symbolic(i, at+n), yes)
	}
	space := skipSpace(text[:min(len(text), n+headGap)], n)
	if space == len(text) {
		return boolean(!final, unknown)
	}
	m, a := anyPrefix(text[space:], h.marks, final)
	if a == no {
		m, a = anyPrefix(text[space:], h.alone, final)
		a = boolean(p.blankBefore(i), a)
	}
	if a == yes {
		return boolean(p.symbolic(i, at+space+len(m)), yes)
	}
	return a
}

// beginsName tells whether a name that can be called may start with a word, or is one with a part of a number behind it.
func (p *Plan) beginsName(word []byte, index bool) bool {
	k := sort.Search(len(p.called), func(k int) bool { return p.called[k] >= string(word) })
	return k < len(p.called) && strings.HasPrefix(p.called[k], string(word)) || p.isName(word, index)
}

func (p *Plan) isName(word []byte, index bool) bool {
	if p.callableName(word) {
		return true
	}
	n := len(word)
	for index && n > 0 && len(word)-n < maxIndex && word[n-1] >= '0' && word[n-1] <= '9' {
		n--
	}
	return index && n > 0 && word[n-1] == ':' && p.callableName(word[:n-1])
}

func (p *Plan) callableName(word []byte) bool {
	i, ok := p.names.exact[string(word)]
	return ok && p.tools[i].allowed
}

// couldName tells whether a word may be the beginning of a tool's name, in any spelling that is understood.
func (p *Plan) couldName(word []byte) bool {
	n := conform.Normal(string(word))
	for _, prefix := range append([]string{""}, namePrefixes...) {
		rest := strings.TrimPrefix(n, conform.Normal(prefix))
		k := sort.SearchStrings(p.normal, rest)
		if k < len(p.normal) && strings.HasPrefix(p.normal[k], rest) {
			return true
		}
	}
	return false
}

// prose tells whether the text from an offset on, of which the byte at i begins another word, cannot become the name of a tool.
func (p *Plan) prose(body []byte, from, i int) bool {
	if i == from || !isSpace(body[i-1]) || isSpace(body[i]) || body[i] == '{' || body[i] == '[' {
		return false
	}
	word := bytes.TrimSpace(body[min(from, i):i])
	return len(word) > 0 && !p.couldName(word)
}

// symbolic tells whether the markers between two offsets are tokens where the vocabulary has such for them.
func (p *tolerant) symbolic(from, to int) bool {
	if p.spelt {
		return true
	}
	for i := from; i < to; i++ {
		m, a := p.plan.markers.at(p.buf[i:to], true)
		if _, isSymbol := p.symbolAt(i); a == yes && !isSymbol && p.plan.dialect.symbols[m.text] {
			return false
		}
	}
	return true
}

// startsWord tells whether no word reaches to offset i from before it.
func (p *tolerant) startsWord(i int) bool {
	switch {
	case !wordByte(p.buf[i]):
		return true
	case i == p.pos:
		return !p.inWord
	}
	return !wordByte(p.buf[i-1])
}

// wordByte tells whether a byte belongs to a word. Scripts without spaces write names right behind other words.
func wordByte(c byte) bool { return c < 0x80 && nameByte(c) }

// blankBefore tells whether only white space stands on the line before offset i.
func (p *tolerant) blankBefore(i int) bool {
	for ; i > p.pos; i-- {
		switch c := p.buf[i-1]; {
		case c == '\n':
			return true
		case !isSpace(c):
			return false
		}
	}
	return p.blank
}

// codeIndent is how far a line of code is indented at least: a function that is called there is no tool.
const codeIndent = 2

// indentBefore is how much white space stands before offset i, where nothing else stands on its line.
func (p *tolerant) indentBefore(i int) int {
	for from := i; ; i-- {
		switch {
		case i == p.pos:
			return from - i + p.indent
		case p.buf[i-1] == '\n':
			return from - i
		}
	}
}
