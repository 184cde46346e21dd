package jinja

import (
	"strings"
	"unicode/utf8"
)

// split is s.split(sep, n).
func (rt *runtime) split(s *Str, sep Value, n int) Value {
	rt.spend(1 + len(s.text)/bytesPerStep)
	if sep == None {
		rt.words(s)
		return rt.strList(splitSpace(s, n))
	}
	p := separator(sep, "str or None")
	var parts []*Str
	at := 0
	for n < 0 || len(parts) < n {
		i := strings.Index(s.text[at:], p.text)
		if i < 0 {
			break
		}
		rt.spend(itemSteps)
		parts = append(parts, s.slice(at, at+i))
		at += i + len(p.text)
	}
	return rt.strList(append(parts, s.slice(at, len(s.text))))
}

// words counts the pieces that a text can be split into, before they are made.
func (rt *runtime) words(s *Str) {
	n := 0
	for _, space := range []string{" ", "\n", "\t", "\r"} {
		n += strings.Count(s.text, space)
	}
	rt.spend(itemSteps * n)
}

func separator(v Value, want string) *Str {
	p, ok := v.(*Str)
	if !ok {
		throw(typeType, "must be %s, not %s", want, v.typeName())
	}
	if p.text == "" {
		throw(typeValue, "empty separator")
	}
	return p
}

// splitSpace splits at runs of whitespace, leaving none at the ends; after n splits the rest keeps
// its end.
func splitSpace(s *Str, n int) []*Str {
	var parts []*Str
	rest := func(at int) int { return len(s.text) - len(strings.TrimLeftFunc(s.text[at:], isSpace)) }
	at := rest(0)
	for at < len(s.text) {
		if n >= 0 && len(parts) == n {
			return append(parts, s.slice(at, len(s.text)))
		}
		end := len(s.text)
		if i := strings.IndexFunc(s.text[at:], isSpace); i >= 0 {
			end = at + i
		}
		parts = append(parts, s.slice(at, end))
		at = rest(end)
	}
	return parts
}

// rsplit is s.rsplit(sep, n).
func (rt *runtime) rsplit(s *Str, sep Value, n int) Value {
	rt.spend(1 + len(s.text)/bytesPerStep)
	var back []*Str
	end := len(s.text)
	if sep == None {
		rt.words(s)
		back = rsplitSpace(s, n)
	} else {
		p := separator(sep, "str or None")
		for n < 0 || len(back) < n {
			i := strings.LastIndex(s.text[:end], p.text)
			if i < 0 {
				break
			}
			rt.spend(itemSteps)
			back = append(back, s.slice(i+len(p.text), end))
			end = i
		}
		back = append(back, s.slice(0, end))
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return rt.strList(back)
}

func rsplitSpace(s *Str, n int) []*Str {
	var back []*Str
	end := len(strings.TrimRightFunc(s.text, isSpace))
	for end > 0 {
		if n >= 0 && len(back) == n {
			return append(back, s.slice(0, end))
		}
		start := 0
		if i := strings.LastIndexFunc(s.text[:end], isSpace); i >= 0 {
			_, size := utf8.DecodeRuneInString(s.text[i:])
			start = i + size
		}
		back = append(back, s.slice(start, end))
		end = len(strings.TrimRightFunc(s.text[:start], isSpace))
	}
	return back
}

// isLineEnd is what str.splitlines splits at.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// lines is s.splitlines(keep).
func (s *Str) lines(keep bool) []*Str {
	var out []*Str
	for at := 0; at < len(s.text); {
		i := strings.IndexFunc(s.text[at:], isLineEnd)
		if i < 0 {
			return append(out, s.slice(at, len(s.text)))
		}
		i += at
		_, size := utf8.DecodeRuneInString(s.text[i:])
		if strings.HasPrefix(s.text[i:], "\r\n") {
			size = 2
		}
		end := i
		if keep {
			end += size
		}
		out = append(out, s.slice(at, end))
		at = i + size
	}
	return out
}
