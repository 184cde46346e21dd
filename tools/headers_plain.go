package tools

import (
	"bytes"
	"slices"
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
func (h *headers) channels() []string {
	return slices.DeleteFunc(slices.Clone(h.starts), func(w string) bool { return w == roleWord })
}

// plain tells whether a header without its markers starts text. first says that the turn begins there.
func (h *headers) plain(text []byte, first, final bool) (x plainHeader, a answer) {
	switch hasPrefix(text, roleWord, final) {
	case yes:
		x.n = len(roleWord)
	case unknown:
		return x, unknown
	case no:
		if !first {
			return x, no
		}
	}
	if x.channel, a = anyPrefix(text[x.n:], h.channels(), final); a != yes {
		return x, a
	}
	bare := x.n == 0
	x.n += len(x.channel)
	switch a := hasPrefix(text[x.n:], " "+recipient, final); {
	case a == yes:
		return h.plainCall(text, x, final)
	case a == unknown || x.n == len(text):
		return x, boolean(!final, unknown)
	case !bare:
		return x, yes
	}
	c := text[x.n]
	return x, boolean(slices.Contains(h.thinking, x.channel) && (c >= 'A' && c <= 'Z' || c >= 0x80), yes)
}

// plainCall reads the recipient of a header and what the message is written in, up to the object of arguments.
func (h *headers) plainCall(text []byte, x plainHeader, final bool) (plainHeader, answer) {
	from := x.n + len(" "+recipient)
	end := min(len(text), from+maxHeader)
	n := bytes.IndexAny(text[from:end], " {\n<")
	if n < 0 {
		return x, boolean(!final && end == len(text), unknown)
	}
	x.to = string(text[from : from+n])
	i := skipSpace(text[:end], from+n)
	word, a := anyPrefix(text[i:], []string{"json", "code"}, final)
	if a == unknown {
		return x, unknown
	}
	i = skipSpace(text[:end], i+len(word))
	if i == len(text) {
		return x, boolean(!final && i < end+1, unknown)
	}
	x.n = i
	return x, boolean(text[i] == '{', yes)
}

// takeFirstHeader finds the header that the turn begins with, if its first marker or all of them are missing. It says whether that has
// been decided.
func (p *tolerant) takeFirstHeader(h *headers, final bool) bool {
	i := skipSpace(p.buf, 0)
	if i > maxGap {
		return true
	}
	if p.spelt {
		switch x, a := h.plain(p.buf[i:], true, final); a {
		case unknown:
			return false
		case yes:
			p.spoken, p.pos = true, i
			p.follow(x)
			return true
		}
	}
	a := h.headless(p.buf[i:], final)
	p.header = a == yes
	return a != unknown
}

// takePlain tells whether a header without its markers stands at offset i, and follows it.
func (p *tolerant) takePlain(i int, final bool) answer {
	x, a := p.plan.dialect.headers.plain(p.buf[i:], false, final)
	if a != no {
		p.pass(i)
	}
	if a == yes {
		p.follow(x)
	}
	return a
}

// follow does what a header without its markers says that starts at pos.
func (p *tolerant) follow(x plainHeader) {
	start := p.pos
	p.pos += x.n
	p.current().beside()
	p.think(x.to == "" && slices.Contains(p.plan.dialect.headers.thinking, x.channel))
	p.blank, p.inWord, p.indent = true, false, 0
	if _, ok := p.plan.resolve(x.to); ok && x.to != "" {
		p.openRegion(opening{plan: p.plan, name: x.to}, start, p.pos, true)
	}
}
