package tools

import (
	"bytes"
	"slices"
	"strings"
)

// wrapTags are what models write around a call in place of their family's marker, in any case: what their prompt calls its list of
// tools, or the marker of another family.
var wrapTags = []string{"tools", "tool", "tool_call", "tool_calls", "toolcall", "function_call", "function_calls", "functioncall"}

// wrapped tells whether such a tag stands at the start of text with an object behind it that may be a call, or the family's own tag of a
// call.
func (p *Plan) wrapped(text []byte, final bool) answer {
	from, end := 1, ">"
	if len(text) > 1 && text[1] == '|' { // as control tokens are spelt
		from, end = 2, "|>"
	}
	n := bytes.IndexFunc(text[from:], func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) + from
	if n < from {
		word := strings.ToLower(string(text[from:min(len(text), maxTag)]))
		begins := slices.ContainsFunc(wrapTags, func(t string) bool { return strings.HasPrefix(t, word) })
		return boolean(begins && !final, unknown)
	}
	if !slices.Contains(wrapTags, strings.ToLower(string(text[from:n]))) {
		return no
	}
	if a := hasPrefix(text[n:], end, final); a != yes {
		return a
	}
	n += len(end) - 1
	i := skipSpace(text, n+1)
	waits := false
	for t := range p.inWraps {
		switch hasPrefix(text[i:], t, final) {
		case yes:
			return p.beginsNamed(text[i+len(t):], final)
		case unknown:
			waits = true
		}
	}
	if waits {
		return boolean(i-n <= maxGap, unknown)
	}
	return objectAt(text, n+1, final)
}

// beginsNamed tells whether the name of a tool that can be called stands at the start of text, which ends a tag.
func (p *Plan) beginsNamed(text []byte, final bool) answer {
	n := bytes.IndexByte(text[:min(len(text), p.maxHead)], '>')
	if n < 0 {
		return boolean(!final && len(text) < p.maxHead, unknown)
	}
	_, ok := p.resolve(attribute(string(text[:n])))
	return boolean(ok, yes)
}

// openWrapped has the region, opened for the tag at the start of text, read the call whose own tag stands behind it and gap bytes.
func (p *tolerant) openWrapped(text []byte, gap int) {
	r := p.region
	for t, c := range p.plan.inWraps {
		if hasPrefix(text[r.body-r.start+gap:], t, true) == yes {
			_, own := p.plan.markers.byText[t]
			r.codecs, r.bare, r.marker = []codec{c}, !own, t
			r.body += gap + len(t)
			return
		}
	}
}

// wrapEnd is what closes the tag at the start of text, "" if none stands there, and how long the tag is.
func wrapEnd(text []byte) (end string, n int) {
	if text[0] != '<' {
		return "", 0
	}
	n = bytes.IndexByte(text, '>') + 1
	if text[1] == '|' {
		return "<|/" + string(text[2:n]), n
	}
	return "</" + string(text[1:n]), n
}

// unwrap takes the tag that closes the region's own along. It says no where more text has to decide.
func (p *tolerant) unwrap(final bool) bool {
	r := p.region
	i := skipSpace(p.buf, r.tail)
	switch a := hasPrefix(p.buf[i:], r.wrap, final); {
	case a == unknown && i-r.tail <= maxGap:
		return false
	case a == yes:
		r.tail = i + len(r.wrap)
		r.closed = r.tail
	}
	r.wrap = ""
	return true
}

// last is where the region ends, the tag around it included.
func (r *region) last() int { return max(r.body+r.scan.end(), r.closed) }
