package gbnf

import (
	"fmt"
	"strings"

	"tenon/grammar/lex/ecma"
)

// InString gives the grammar of what g accepts, as it stands inside a JSON string: escaped only
// where JSON demands it, in the shortest form. It knows what ReadLark gives; any other terminal is
// an error.
func InString(g *Grammar) (*Grammar, error) {
	out := &Grammar{Root: g.Root, Rules: make([]Rule, len(g.Rules))}
	for i, r := range g.Rules {
		var err error
		out.Rules[i] = Rule{r.Name, inString(r.Node, &err)}
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
	}
	return out, nil
}

func inString(n *Node, err *error) *Node {
	switch n.Op {
	case Literal:
		return &Node{Op: Literal, Text: escaped(n.Text)}
	case Class:
		return &Node{Op: Quoted, Text: classPattern(n.Ranges)}
	case Regex:
		return &Node{Op: Quoted, Text: n.Text}
	case Empty, Ref, Seq, Alt, Repeat:
	default:
		*err = fmt.Errorf("%s has no form inside a JSON string", terminalText(n))
	}
	return n.WithKids(func(k *Node) *Node { return inString(k, err) })
}

// escaped is a text inside a JSON string.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			b.WriteString(`\` + `"\bfnrt`[i:i+1])
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// classPattern is a class of code points as a regular expression.
func classPattern(ranges ecma.Set) string {
	var b strings.Builder
	b.WriteByte('[')
	for _, x := range ranges {
		fmt.Fprintf(&b, `\u{%x}-\u{%x}`, x.Lo, x.Hi)
	}
	b.WriteByte(']')
	return b.String()
}
