package parse

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// maxHeader bounds a header; a longer one is text.
const maxHeader = 512

// headless tells whether a header without its opening marker starts text: one of its words, and
// behind that a recipient or a marker of headers.
func headless(h *format.Headers, text []byte, final bool) peek.Answer {
	if a := peek.Prefix(text, recipient, final); a != peek.No {
		return a
	}
	word, a := peek.AnyPrefix(text, h.Starts, final)
	if a != peek.Yes {
		return a
	}
	_, a = peek.AnyPrefix(text[len(word):], append([]string{" " + recipient, h.Close}, h.Open...), final)
	return a
}

// recipient stands in a header before the name of who the message is for.
const recipient = "to="

// stepHeader reads a header to its end.
func (p *Tolerant) stepHeader(final bool) bool {
	h := p.plan.Dialect.Headers
	text := p.buf[p.pos:]
	most := maxHeader
	if p.plan.foreign { // where others write, a header begins as one does
		i := peek.SkipSpace(text, 0)
		if _, a := peek.AnyPrefix(text[i:], append([]string{recipient}, h.Starts...), final); a == peek.No && i < len(text) {
			p.header = false
			return true
		}
		most = maxReread / 2
	}
	for i := range text {
		switch peek.Prefix(text[i:], h.Close, final) {
		case peek.Yes:
			p.message(i, len(h.Close))
			return true
		case peek.Unknown:
			return false
		}
		m, a := p.plan.Markers.At(text[i:], final)
		if a == peek.Unknown {
			return false
		}
		inside := m.Role == format.RoleHeader || slices.Contains(h.Inside, m.Text)
		if a == peek.Yes && !inside || i > most {
			p.header = false
			return true
		}
	}
	if final {
		p.header = false
	}
	return final
}

// message begins the message whose header is the next n bytes.
func (p *Tolerant) message(n, closing int) {
	h := p.plan.Dialect.Headers
	words := words(h, string(p.buf[p.pos:p.pos+n]))
	p.header = false
	start := p.pos
	p.pos += n + closing
	p.think(false)
	for _, w := range words {
		if to, ok := strings.CutPrefix(w, recipient); ok && !slices.Contains(h.Thinking, to) && !slices.Contains(h.Texts, to) {
			if h.Anyone {
				return
			}
			switch m, declared := p.plan.Resolve(to); {
			case declared:
				p.openRegion(scan.Opening{Plan: p.plan.Plan, Name: to}, start, p.pos, true)
				if p.plan.Tools[m.Tool].Freeform != nil {
					p.region.readers = []scan.Reader{scan.TextReader{}}
				}
			case p.plan.Callable && slices.Contains(h.Several, to):
				p.openRegion(scan.Opening{Plan: p.plan.Plan}, start, p.pos, true)
			}
			return
		}
		if slices.Contains(h.Thinking, strings.TrimPrefix(w, recipient)) {
			p.think(true)
		}
	}
}

// words are the parts of a header, its markers read as spaces.
func words(h *format.Headers, header string) []string {
	for _, m := range slices.Concat(h.Open, h.Inside) {
		header = strings.ReplaceAll(header, m, " ")
	}
	return strings.Fields(header)
}

// An engine that strips special tokens from its text leaves of a family's headers only their
// words: analysisThe user asks … assistantcommentary to=functions.get_time json{}. Text that
// begins so has its messages told apart by these words.

// roleWord stands before a channel's name where its marker is gone, but for the turn's first
// message.
const roleWord = "assistant"

// plainHeader is such a header.
type plainHeader struct {
	n       int // its bytes
	channel string
	to      string
}

// channels are the words that say what a message is.
func channels(h *format.Headers) []string {
	return slices.DeleteFunc(slices.Clone(h.Starts), func(w string) bool { return w == roleWord })
}

// plain tells whether a header without its markers starts text. first says that the turn begins
// there.
func plain(h *format.Headers, text []byte, first, final bool) (x plainHeader, a peek.Answer) {
	switch peek.Prefix(text, roleWord, final) {
	case peek.Yes:
		x.n = len(roleWord)
	case peek.Unknown:
		return x, peek.Unknown
	case peek.No:
		if !first {
			return x, peek.No
		}
	}
	if x.channel, a = peek.AnyPrefix(text[x.n:], channels(h), final); a != peek.Yes {
		return x, a
	}
	bare := x.n == 0
	x.n += len(x.channel)
	switch a := peek.Prefix(text[x.n:], " "+recipient, final); {
	case a == peek.Yes:
		return plainCall(text, x, final)
	case a == peek.Unknown || x.n == len(text):
		return x, peek.Boolean(!final, peek.Unknown)
	case !bare:
		return x, peek.Yes
	}
	c := text[x.n]
	return x, peek.Boolean(slices.Contains(h.Thinking, x.channel) && (c >= 'A' && c <= 'Z' || c >= 0x80), peek.Yes)
}

// plainCall reads the recipient of a header and what the message is written in, up to the object
// of arguments.
func plainCall(text []byte, x plainHeader, final bool) (plainHeader, peek.Answer) {
	from := x.n + len(" "+recipient)
	end := min(len(text), from+maxHeader)
	n := bytes.IndexAny(text[from:end], " {\n<")
	if n < 0 {
		return x, peek.Boolean(!final && end == len(text), peek.Unknown)
	}
	x.to = string(text[from : from+n])
	i := peek.SkipSpace(text[:end], from+n)
	word, a := peek.AnyPrefix(text[i:], []string{"json", "code"}, final)
	if a == peek.Unknown {
		return x, peek.Unknown
	}
	i = peek.SkipSpace(text[:end], i+len(word))
	if i == len(text) {
		return x, peek.Boolean(!final && i < end+1, peek.Unknown)
	}
	x.n = i
	return x, peek.Boolean(text[i] == '{', peek.Yes)
}

// takeMark tells whether a byte order mark stands at offset i, and removes it: it is no text.
func (p *Tolerant) takeMark(i int, final bool) peek.Answer {
	a := peek.Prefix(p.buf[i:], peek.ByteOrderMark, final)
	if a != peek.No {
		p.pass(i)
	}
	if a == peek.Yes {
		p.pos += len(peek.ByteOrderMark)
	}
	return a
}

// takeLead puts what the generation prompt ends with before the output if the output goes on from
// it. It says whether that has been decided.
func (p *Tolerant) takeLead(final bool) bool {
	switch peek.Prefix(p.buf, peek.ByteOrderMark, final) {
	case peek.Unknown:
		return false
	case peek.Yes:
		p.pos = len(peek.ByteOrderMark)
		p.forget(p.pos)
	}
	if text := p.plan.Dialect.Lead; text != "" {
		switch p.led(text, final) {
		case peek.Unknown:
			return false
		case peek.Yes:
			p.buf = append([]byte(text), p.buf...)
			p.offset -= len(text)
			for i := range p.symbols {
				p.symbols[i].from += len(text)
				p.symbols[i].to += len(text)
			}
		}
	}
	if h := p.plan.Dialect.Headers; h != nil && !p.takeFirstHeader(h, final) {
		return false
	}
	p.begun = true
	return true
}

// led tells whether the output goes on from the prompt's last mark: with the rest of a marker or
// the name of a tool.
func (p *Tolerant) led(mark string, final bool) peek.Answer {
	var all []string
	for _, t := range p.plan.Dialect.Text {
		all = append(all, strings.TrimPrefix(t, mark))
	}
	for _, t := range p.plan.Tools {
		all = append(all, t.Prompt)
	}
	_, a := peek.AnyPrefix(p.buf, all, final)
	return a
}

// takeFirstHeader finds the header that the turn begins with, if its first marker or all of them
// are missing. It says whether that has been decided.
func (p *Tolerant) takeFirstHeader(h *format.Headers, final bool) bool {
	i := peek.SkipSpace(p.buf, 0)
	if i > peek.MaxGap {
		return true
	}
	if p.spelt {
		switch x, a := plain(h, p.buf[i:], true, final); a {
		case peek.Unknown:
			return false
		case peek.Yes:
			p.spoken, p.pos = true, i
			p.follow(x)
			return true
		}
	}
	a := headless(h, p.buf[i:], final)
	p.header = a == peek.Yes
	return a != peek.Unknown
}

// takePlain tells whether a header without its markers stands at offset i, and follows it.
func (p *Tolerant) takePlain(i int, final bool) peek.Answer {
	x, a := plain(p.plan.Dialect.Headers, p.buf[i:], false, final)
	if a != peek.No {
		p.pass(i)
	}
	if a == peek.Yes {
		p.follow(x)
	}
	return a
}

// follow does what a header without its markers says that starts at pos.
func (p *Tolerant) follow(x plainHeader) {
	start := p.pos
	p.pos += x.n
	p.current().beside()
	p.think(x.to == "" && slices.Contains(p.plan.Dialect.Headers.Thinking, x.channel))
	p.blank, p.inWord, p.indent = true, false, 0
	if _, ok := p.plan.Resolve(x.to); ok && x.to != "" {
		p.openRegion(scan.Opening{Plan: p.plan.Plan, Name: x.to}, start, p.pos, true)
	}
}

// stepRouting reads the routing thought: the turn's first line. It says whether there is more to
// decide.
func (p *Tolerant) stepRouting() bool {
	n := bytes.IndexByte(p.buf[p.pos:], '\n')
	if n < 0 {
		p.pass(len(p.buf))
		return false
	}
	p.pass(p.pos + n)
	p.pos++
	p.routing, p.inWord = false, false
	p.think(false)
	return true
}
