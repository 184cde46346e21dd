package retry

import (
	"strconv"
	"strings"
)

// Relax weakens a regular expression (ECMA-262) that refers back to its groups, which no automaton can: in place of a reference stands
// what the group may be, or nothing. What matches the expression matches the weaker one. It is false if there is no reference.
func Relax(pattern string) (string, bool) {
	r := relaxer{text: pattern}
	r.scan()
	if len(r.references) == 0 {
		return "", false
	}
	return r.write(0, len(pattern), 0), true
}

// relaxer knows where a pattern has its groups and references.
type relaxer struct {
	text       string
	groups     []group // capturing ones, in order of their parentheses
	references []reference
}

// group is the inside of parentheses.
type group struct {
	name     string
	from, to int
}

// reference is a back-reference in the text, by number or by name.
type reference struct {
	from, to int
	number   int
	name     string
}

func (r *relaxer) scan() {
	var open []int // index in groups; -1: not capturing
	class := false
	for i := 0; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '\\':
			i = r.escape(i, class)
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open = append(open, r.open(i))
		case c == ')' && len(open) > 0:
			if g := open[len(open)-1]; g >= 0 {
				r.groups[g].to = i
			}
			open = open[:len(open)-1]
		}
	}
}

// escape reads an escape and returns where it ends.
func (r *relaxer) escape(i int, class bool) int {
	rest := r.text[min(i+1, len(r.text)):]
	if name, after, ok := strings.Cut(rest, ">"); ok && !class && strings.HasPrefix(name, "k<") {
		end := len(r.text) - len(after)
		r.references = append(r.references, reference{from: i, to: end, name: name[2:]})
		return end - 1
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if n, err := strconv.Atoi(rest[:digits]); err == nil && n > 0 && !class {
		r.references = append(r.references, reference{from: i, to: i + 1 + digits, number: n})
		return i + digits
	}
	return i + 1
}

// open begins the group whose parenthesis is at i and returns its index, -1 if it captures nothing.
func (r *relaxer) open(i int) int {
	g := group{from: i + 1}
	rest := r.text[i+1:]
	if strings.HasPrefix(rest, "?") {
		name, _, ok := strings.Cut(rest, ">")
		if !ok || !strings.HasPrefix(name, "?<") || strings.HasPrefix(name, "?<=") || strings.HasPrefix(name, "?<!") {
			return -1
		}
		g.name, g.from = name[2:], i+1+len(name)+1
	}
	g.to = g.from // until it is closed
	r.groups = append(r.groups, g)
	return len(r.groups) - 1
}

// maxRelaxed is how deep references may refer to groups with references.
const maxRelaxed = 3

// write writes a part of the pattern without references.
func (r *relaxer) write(from, to, depth int) string {
	var b strings.Builder
	for _, ref := range r.references {
		if ref.from < from || ref.to > to {
			continue
		}
		b.WriteString(r.text[from:ref.from])
		from = ref.to
		g, ok := r.group(ref)
		switch {
		case !ok: // it matches nothing but the empty text
		case depth == maxRelaxed:
			b.WriteString(`[\s\S]*`)
		default:
			b.WriteString(`(?:` + r.write(g.from, g.to, depth+1) + `)?`)
		}
	}
	b.WriteString(r.text[from:to])
	return b.String()
}

func (r *relaxer) group(ref reference) (group, bool) {
	for i, g := range r.groups {
		if ref.name != "" && g.name == ref.name || ref.name == "" && ref.number == i+1 {
			return g, true
		}
	}
	return group{}, false
}
