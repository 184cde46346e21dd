package parse

import (
	"bytes"
	"slices"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// An engine that strips special tokens from its text leaves of a family's headers only their words: analysisThe user asks …
// assistantcommentary to=functions.get_time json{}. Text that begins so has its messages told apart by these words.

// roleWord stands before a channel's name where its marker is gone, but for the turn's first message.
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

// plain tells whether a header without its markers starts text. first says that the turn begins there.
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
		return plainCall(h, text, x, final)
	case a == peek.Unknown || x.n == len(text):
		return x, peek.Boolean(!final, peek.Unknown)
	case !bare:
		return x, peek.Yes
	}
	c := text[x.n]
	return x, peek.Boolean(slices.Contains(h.Thinking, x.channel) && (c >= 'A' && c <= 'Z' || c >= 0x80), peek.Yes)
}

// plainCall reads the recipient of a header and what the message is written in, up to the object of arguments.
func plainCall(h *format.Headers, text []byte, x plainHeader, final bool) (plainHeader, peek.Answer) {
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

// takeFirstHeader finds the header that the turn begins with, if its first marker or all of them are missing. It says whether that has
// been decided.
func (p *Text) takeFirstHeader(h *format.Headers, final bool) bool {
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
func (p *Text) takePlain(i int, final bool) peek.Answer {
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
func (p *Text) follow(x plainHeader) {
	start := p.pos
	p.pos += x.n
	p.current().beside()
	p.think(x.to == "" && slices.Contains(p.plan.Dialect.Headers.Thinking, x.channel))
	p.blank, p.inWord, p.indent = true, false, 0
	if _, ok := p.plan.Resolve(x.to); ok && x.to != "" {
		p.openRegion(scan.Opening{Plan: p.plan.Plan, Name: x.to}, start, p.pos, true)
	}
}
