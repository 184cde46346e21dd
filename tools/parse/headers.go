package parse

import (
	"slices"
	"strings"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
)

// maxHeader bounds a header; a longer one is text.
const maxHeader = 512

// headless tells whether a header without its opening marker starts text: one of its words, and behind that a recipient or a marker of
// headers.
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
func (p *Text) stepHeader(final bool) bool {
	h := p.plan.Dialect.Headers
	text := p.buf[p.pos:]
	most := maxHeader
	if p.plan.guest { // where others write, a header begins as one does
		i := peek.SkipSpace(text, 0)
		if _, a := peek.AnyPrefix(text[i:], append([]string{recipient}, h.Starts...), final); a == peek.No && i < len(text) {
			p.header = false
			return true
		}
		most = maxHost / 2
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
func (p *Text) message(n, closing int) {
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
					p.region.codecs = []scan.Codec{scan.TextCodec{}}
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
