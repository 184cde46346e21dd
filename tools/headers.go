package tools

import (
	"slices"
	"strings"
)

// headers describes a family whose messages say in a header what they are: OpenAI's harmony and those like it.
type headers struct {
	open   []string // markers that open a header
	close  string   // ends the header; the message's text follows
	inside []string // further markers that stand in headers
	starts []string // that a header may begin with, should its opening marker be missing
	// thinking names the channels or recipients of thinking; a call is a message to anyone but these and the user.
	thinking []string
	texts    []string
	several  []string // recipients of messages that hold several calls
	anyone   bool     // messages to anyone but the user are calls, in the family's own syntax
	// thought, text and call are how the family writes the headers; call has %s for the name.
	thought, text, call string
	preamble            string // the header of text before a call
	between             string // ends a message and begins the next one's header
}

// maxHeader bounds a header; a longer one is text.
const maxHeader = 512

// headless tells whether a header without its opening marker starts text: one of its words, and behind that a recipient or a marker of
// headers.
func (h *headers) headless(text []byte, final bool) answer {
	if a := hasPrefix(text, recipient, final); a != no {
		return a
	}
	word, a := anyPrefix(text, h.starts, final)
	if a != yes {
		return a
	}
	_, a = anyPrefix(text[len(word):], append([]string{" " + recipient, h.close}, h.open...), final)
	return a
}

// recipient stands in a header before the name of who the message is for.
const recipient = "to="

// stepHeader reads a header to its end.
func (p *tolerant) stepHeader(final bool) bool {
	h := p.plan.dialect.headers
	text := p.buf[p.pos:]
	most := maxHeader
	if p.plan.guest { // where others write, a header begins as one does
		i := skipSpace(text, 0)
		if _, a := anyPrefix(text[i:], append([]string{recipient}, h.starts...), final); a == no && i < len(text) {
			p.header = false
			return true
		}
		most = maxHost / 2
	}
	for i := range text {
		switch hasPrefix(text[i:], h.close, final) {
		case yes:
			p.message(i, len(h.close))
			return true
		case unknown:
			return false
		}
		m, a := p.plan.markers.at(text[i:], final)
		if a == unknown {
			return false
		}
		inside := m.role == roleHeader || slices.Contains(h.inside, m.text)
		if a == yes && !inside || i > most {
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
func (p *tolerant) message(n, closing int) {
	h := p.plan.dialect.headers
	words := h.words(string(p.buf[p.pos : p.pos+n]))
	p.header = false
	start := p.pos
	p.pos += n + closing
	p.think(false)
	for _, w := range words {
		if to, ok := strings.CutPrefix(w, recipient); ok && !slices.Contains(h.thinking, to) && !slices.Contains(h.texts, to) {
			if h.anyone {
				return
			}
			switch m, declared := p.plan.resolve(to); {
			case declared:
				p.openRegion(opening{plan: p.plan, name: to}, start, p.pos, true)
				if p.plan.tools[m.tool].Freeform != nil {
					p.region.codecs = []codec{textCodec{}}
				}
			case p.plan.callable && slices.Contains(h.several, to):
				p.openRegion(opening{plan: p.plan}, start, p.pos, true)
			}
			return
		}
		if slices.Contains(h.thinking, strings.TrimPrefix(w, recipient)) {
			p.think(true)
		}
	}
}

// words are the parts of a header, its markers read as spaces.
func (h *headers) words(header string) []string {
	for _, m := range slices.Concat(h.open, h.inside) {
		header = strings.ReplaceAll(header, m, " ")
	}
	return strings.Fields(header)
}
