package lenient

// lookahead is how many bytes after a quote are read to tell whether it ends its string. White space in front does not
// count, up to as many bytes again; where the bound is reached the quote ends the string.
const lookahead = 160

// answer is what a look at text that may still grow can say.
type answer uint8

const (
	no answer = iota
	yes
	unknown // more text is needed
)

// place is where a string stands: in which container, as a key or as a value.
type place struct {
	in    byte // '{', '[', '(' or 0 outside of containers
	key   bool
	inner bool // a quote inside it was found not to be its end
	bare  bool // an argument without a keyword
}

// ends tells whether the quote before text[i:] ends a string at p. In JSON every unescaped quote does; models leave quotes
// unescaped, mostly in code, so a quote counts only if what follows can follow a string there. Every valid JSON text passes:
// after a key comes a colon, after a value a comma or a bracket, after the comma of an object the next key.
func (r *Rules) ends(text []byte, i int, p place, final bool) answer {
	j, a := skipSpace(text, i, final)
	if a != yes {
		return a
	}
	if j == len(text) {
		return yes
	}
	if t := r.terminatorAt(text, j, final); t != no {
		return t
	}
	c := text[j]
	switch {
	case p.in == 0:
		return yes
	case p.key:
		return boolean(c == ':' || p.in == '(' && c == '=')
	case c == ',':
		return r.nextMember(text, j+1, p, final)
	case c == '/':
		return boolean(j+1 < len(text) && (text[j+1] == '/' || text[j+1] == '*'))
	case c == '}' || c == ']' || c == ')':
		return boolean(c == closer(p.in))
	case r.Python && !p.inner && (c == '+' || joins(c, p.in)):
		return r.goesOn(text, j, p, final)
	case c == codeFence[0]:
		return r.lastFence(text, j, final)
	case c == '"' && j > i && p.in == '{': // a missing comma
		return isKey(text, j, final)
	}
	return no
}

// lastFence tells whether a code fence is closed at text[i:] and nothing follows: brackets are missing then.
func (r *Rules) lastFence(text []byte, i int, final bool) answer {
	if a := hasPrefix(text[i:], codeFence); a != yes {
		return atLast(a == no || final, no)
	}
	j, a := skipSpace(text, i+len(codeFence), final)
	if a != yes || j == len(text) {
		return a
	}
	return r.terminatorAt(text, j, final)
}

// atLast is what holds where the text ends: unknown if more may come.
func atLast(final bool, a answer) answer {
	if final {
		return a
	}
	return unknown
}

// joins tells whether a string that begins with c goes on another that stands before it, as in Python.
func joins(c, in byte) bool { return (in == '(' || in == '[') && (c == '"' || c == '\'') }

// goesOn tells whether another part of a value stands at text[i:]: a string, behind which the value goes on or ends.
func (r *Rules) goesOn(text []byte, i int, p place, final bool) answer {
	if text[i] == '+' {
		j, a := skipSpace(text, i+1, final)
		if a != yes {
			return a
		}
		i = j
	}
	if i == len(text) || text[i] != '"' && text[i] != '\'' {
		return no
	}
	for j := i + 1; j < len(text); j++ {
		switch {
		case j-i > lookahead:
			return yes
		case text[j] == '\\':
			j++
		case text[j] == text[i]:
			k, a := skipSpace(text, j+1, final)
			if a != yes {
				return a
			}
			return boolean(k == len(text) || text[k] == ',' || text[k] == '+' || text[k] == closer(p.in) || joins(text[k], p.in))
		}
	}
	if final {
		return no
	}
	return unknown
}

// nextMember tells whether a member of p's container may start at text[i:], after a comma.
func (r *Rules) nextMember(text []byte, i int, p place, final bool) answer {
	j, a := skipSpace(text, i, final)
	if a != yes || p.in == '[' {
		return a
	}
	if j == len(text) {
		return yes
	}
	switch c := text[j]; {
	case c == closer(p.in) || c == '/' || c == '#':
		return yes
	case p.in == '(' && p.bare:
		return yes
	case p.in == '(':
		return boolean(identStart(c) || c == '*')
	case c == '"' || c == '\'':
		return isKey(text, j, final)
	default:
		return boolean(identStart(c) || c == '<')
	}
}

// isKey tells whether text[i:], which starts with a quote, is a quoted key and its colon.
func isKey(text []byte, i int, final bool) answer {
	q := text[i]
	for j := i + 1; j < len(text); j++ {
		switch {
		case j-i > lookahead:
			return yes
		case text[j] == '\\':
			j++
		case text[j] == q:
			k, a := skipSpace(text, j+1, final)
			if a != yes {
				return a
			}
			return boolean(k < len(text) && text[k] == ':')
		case text[j] == '\n':
			return no
		}
	}
	if final {
		return yes
	}
	return unknown
}

// skipSpace returns the index of the first byte from i on that is no white space.
func skipSpace(text []byte, i int, final bool) (int, answer) {
	for j := i; j < len(text); j++ {
		if !space(text[j]) || j-i >= lookahead {
			return j, yes
		}
	}
	if final {
		return len(text), yes
	}
	return len(text), unknown
}

// terminatorAt tells whether a terminator starts at text[i].
func (r *Rules) terminatorAt(text []byte, i int, final bool) answer {
	found := no
	for _, t := range r.Terminators {
		switch hasPrefix(text[i:], t) {
		case yes:
			return yes
		case unknown:
			if !final {
				found = unknown
			}
		}
	}
	return found
}

// hasPrefix tells whether text starts with t, or may once it is longer.
func hasPrefix(text []byte, t string) answer {
	if len(text) > 0 && text[0] != t[0] {
		return no
	}
	n := min(len(text), len(t))
	if string(text[:n]) != t[:n] {
		return no
	}
	if n < len(t) {
		return unknown
	}
	return yes
}

func boolean(b bool) answer {
	if b {
		return yes
	}
	return no
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

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
