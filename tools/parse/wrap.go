package parse

import (
	"bytes"
	"slices"
	"strings"

	"tenon/tools/peek"
	"tenon/tools/scan"
)

// wrapTags are what models write around a call in place of their family's marker, in any case: what their prompt calls its list of
// tools, or the marker of another family.
var wrapTags = []string{"tools", "tool", "tool_call", "tool_calls", "toolcall", "function_call", "function_calls", "functioncall"}

// wrapped tells whether such a tag stands at the start of text with an object behind it that may be a call, or the family's own tag of a
// call.
func (p *Reading) wrapped(text []byte, final bool) peek.Answer {
	from, end := 1, ">"
	if len(text) > 1 && text[1] == '|' { // as control tokens are spelt
		from, end = 2, "|>"
	}
	n := bytes.IndexFunc(text[from:], func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }) + from
	if n < from {
		word := strings.ToLower(string(text[from:min(len(text), peek.MaxTag)]))
		begins := slices.ContainsFunc(wrapTags, func(t string) bool { return strings.HasPrefix(t, word) })
		return peek.Boolean(begins && !final, peek.Unknown)
	}
	if !slices.Contains(wrapTags, strings.ToLower(string(text[from:n]))) {
		return peek.No
	}
	if a := peek.Prefix(text[n:], end, final); a != peek.Yes {
		return a
	}
	n += len(end) - 1
	i := peek.SkipSpace(text, n+1)
	waits := false
	for t := range p.inWraps {
		switch peek.Prefix(text[i:], t, final) {
		case peek.Yes:
			return p.beginsNamed(text[i+len(t):], final)
		case peek.Unknown:
			waits = true
		}
	}
	if waits {
		return peek.Boolean(i-n <= peek.MaxGap, peek.Unknown)
	}
	return p.objectAt(text, n+1, final)
}

// beginsNamed tells whether the name of a tool that can be called stands at the start of text, which ends a tag.
func (p *Reading) beginsNamed(text []byte, final bool) peek.Answer {
	n := bytes.IndexByte(text[:min(len(text), p.MaxHead)], '>')
	if n < 0 {
		return peek.Boolean(!final && len(text) < p.MaxHead, peek.Unknown)
	}
	_, ok := p.Resolve(scan.Attribute(string(text[:n])))
	return peek.Boolean(ok, peek.Yes)
}

// openWrapped has the region, opened for the tag at the start of text, read the call whose own tag stands behind it and gap bytes.
func (p *Text) openWrapped(text []byte, gap int) {
	r := p.region
	for t, c := range p.plan.inWraps {
		if peek.Prefix(text[r.body-r.start+gap:], t, true) == peek.Yes {
			_, own := p.plan.Markers.ByText[t]
			r.codecs, r.Bare, r.Marker = []scan.Codec{c}, !own, t
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
func (p *Text) unwrap(final bool) bool {
	r := p.region
	i := peek.SkipSpace(p.buf, r.tail)
	switch a := peek.Prefix(p.buf[i:], r.wrap, final); {
	case a == peek.Unknown && i-r.tail <= peek.MaxGap:
		return false
	case a == peek.Yes:
		r.tail = i + len(r.wrap)
		r.closed = r.tail
	}
	r.wrap = ""
	return true
}

// last is where the region ends, the tag around it included.
func (r *region) last() int { return max(r.body+r.scan.End(), r.closed) }
