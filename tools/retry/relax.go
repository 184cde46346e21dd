package retry

import (
	"regexp"
	"strconv"
)

// maxRelaxed bounds a weakened expression: references to groups with references double it each
// time.
const maxRelaxed = 16 << 10

// referenceMark is a reference to a group by its number or its name, groupMark what a group that
// captures begins with.
var (
	referenceMark = regexp.MustCompile(`^\\(?:([1-9][0-9]*)|k<([^>]*)>)`)
	groupMark     = regexp.MustCompile(`^\((?:\?<([^=!>][^>]*)>|[^?]|$)`)
)

// Relax weakens a regular expression (ECMA-262) that refers back to its groups, which no automaton
// can: in place of a reference stands what the group may be, or nothing. What matches the
// expression matches the weaker one. It is false if there is no reference.
func Relax(pattern string) (string, bool) {
	type group struct {
		names []string
		from  int // of its inside
	}
	inside := map[string]string{} // of closed groups, by number and name
	var open []group
	var out []byte
	class, relaxed, count := false, false, 0
	for i := 0; i < len(pattern); {
		rest, n := pattern[i:], 1
		switch c := rest[0]; {
		case c == '\\':
			m := referenceMark.FindStringSubmatch(rest)
			if m == nil || class {
				n = min(2, len(rest))
				break
			}
			i, relaxed = i+len(m[0]), true
			out = append(out, reference(inside[m[1]+m[2]], len(out))...)
			continue
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			g := group{from: len(out) + 1}
			if m := groupMark.FindStringSubmatch(rest); m != nil {
				count++
				g.names = []string{strconv.Itoa(count)}
				if m[1] != "" {
					g.names, g.from, n = append(g.names, m[1]), len(out)+len(m[0]), len(m[0])
				}
			}
			open = append(open, g)
		case c == ')' && len(open) > 0:
			g := open[len(open)-1]
			for _, name := range g.names {
				inside[name] = string(out[g.from:])
			}
			open = open[:len(open)-1]
		}
		out = append(out, rest[:n]...)
		i += n
	}
	return string(out), relaxed
}

// reference is what stands in place of a reference to a group behind so many bytes. A group that
// is open or comes later matches nothing but the empty text.
func reference(inside string, before int) string {
	switch {
	case inside == "":
		return ""
	case before+len(inside) > maxRelaxed:
		return `[\s\S]*`
	}
	return "(?:" + inside + ")?"
}
