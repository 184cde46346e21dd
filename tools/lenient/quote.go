package lenient

import "tenon/tools/peek"

// lookahead is how many bytes after a quote are read to tell whether it ends its string. White
// space in front does not count, up to as many bytes again; where the bound is reached the quote
// ends the string.
const lookahead = 160

// place is where a string stands: in which container, as a key or as a value.
type place struct {
	in    byte // '{', '[', '(' or 0 outside of containers
	key   bool
	inner bool // a quote inside it was found not to be its end
	bare  bool // an argument without a keyword
}

// ends tells whether the quote before text[i:] ends a string at p. In JSON every unescaped quote
// does; models leave quotes unescaped, mostly in code, so a quote counts only if what follows can
// follow a string there. Every valid JSON text passes: after a key comes a colon, after a value a
// comma or a bracket, after the comma of an object the next key.
func (r *Rules) ends(text []byte, i int, p place, final bool) peek.Answer {
	j, a := skipSpace(text, i, final)
	if a != peek.Yes {
		return a
	}
	if j == len(text) {
		return peek.Yes
	}
	if t := r.terminatorAt(text, j, final); t != peek.No {
		return t
	}
	c := text[j]
	switch {
	case p.in == 0:
		return peek.Yes
	case p.key:
		return peek.Boolean(c == ':' || p.in == '(' && c == '=', peek.Yes)
	case c == ',':
		return r.nextMember(text, j+1, p, final)
	case c == '/':
		return peek.Boolean(j+1 < len(text) && (text[j+1] == '/' || text[j+1] == '*'), peek.Yes)
	case c == '}' || c == ']' || c == ')':
		return peek.Boolean(c == closer(p.in), peek.Yes)
	case r.Python && !p.inner && (c == '+' || joins(c, p.in)):
		return r.goesOn(text, j, p, final)
	case c == codeFence[0]:
		return r.lastFence(text, j, final)
	case c == '"' && j > i && p.in == '{': // a missing comma
		return IsKey(text, j, final)
	}
	return peek.No
}

// lastFence tells whether a code fence is closed at text[i:] and nothing follows: brackets are
// missing then.
func (r *Rules) lastFence(text []byte, i int, final bool) peek.Answer {
	if a := peek.Prefix(text[i:], codeFence, final); a != peek.Yes {
		return a
	}
	j, a := skipSpace(text, i+len(codeFence), final)
	if a != peek.Yes || j == len(text) {
		return a
	}
	return r.terminatorAt(text, j, final)
}

// joins tells whether a string that begins with c goes on another that stands before it, as in
// Python.
func joins(c, in byte) bool { return (in == '(' || in == '[') && (c == '"' || c == '\'') }

// goesOn tells whether another part of a value stands at text[i:]: a string, behind which the
// value goes on or ends.
func (r *Rules) goesOn(text []byte, i int, p place, final bool) peek.Answer {
	if text[i] == '+' {
		j, a := skipSpace(text, i+1, final)
		if a != peek.Yes {
			return a
		}
		i = j
	}
	if i == len(text) || text[i] != '"' && text[i] != '\'' {
		return peek.No
	}
	return behindString(text, i, false, final, func(k int) bool {
		return k == len(text) || text[k] == ',' || text[k] == '+' || text[k] == closer(p.in) || joins(text[k], p.in)
	})
}

// behindString tells whether what follows the string that opens at text[i] is fit; a string
// that is too long to be seen whole is. line says that no string has more than one.
func behindString(text []byte, i int, line, final bool, fit func(i int) bool) peek.Answer {
	for j := i + 1; j < len(text); j++ {
		switch {
		case j-i > lookahead:
			return peek.Yes
		case text[j] == '\\':
			j++
		case text[j] == text[i]:
			k, a := skipSpace(text, j+1, final)
			return peek.Boolean(a != peek.Yes || fit(k), a)
		case line && text[j] == '\n':
			return peek.No
		}
	}
	return peek.Boolean(line || !final, peek.AtLast(final))
}

// nextMember tells whether a member of p's container may start at text[i:], after a comma.
func (r *Rules) nextMember(text []byte, i int, p place, final bool) peek.Answer {
	j, a := skipSpace(text, i, final)
	if a != peek.Yes || p.in == '[' {
		return a
	}
	if j == len(text) {
		return peek.Yes
	}
	switch c := text[j]; {
	case c == closer(p.in) || c == '/' || c == '#':
		return peek.Yes
	case p.in == '(' && p.bare:
		return peek.Yes
	case p.in == '(':
		return peek.Boolean(identStart(c) || c == '*', peek.Yes)
	case c == '"' || c == '\'':
		return IsKey(text, j, final)
	default:
		return peek.Boolean(identStart(c) || c == '<', peek.Yes)
	}
}

// IsKey tells whether text[i:], which starts with a quote, is a quoted key and its colon.
func IsKey(text []byte, i int, final bool) peek.Answer {
	return behindString(text, i, true, final, func(k int) bool { return k < len(text) && text[k] == ':' })
}

// skipSpace returns the index of the first byte from i on that is no white space.
func skipSpace(text []byte, i int, final bool) (int, peek.Answer) {
	for j := i; j < len(text); j++ {
		if !peek.IsSpace(text[j]) || j-i >= lookahead {
			return j, peek.Yes
		}
	}
	if final {
		return len(text), peek.Yes
	}
	return len(text), peek.Unknown
}

// terminatorAt tells whether a terminator starts at text[i].
func (r *Rules) terminatorAt(text []byte, i int, final bool) peek.Answer {
	a := r.Terminators.Tag(text[i:], final)
	return a
}

func identStart(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func identPart(c byte) bool { return identStart(c) || c >= '0' && c <= '9' || c == '-' || c == '.' }

func closer(open byte) byte {
	switch open {
	case '{':
		return '}'
	case '[':
		return ']'
	case '(':
		return ')'
	}
	return 0
}
