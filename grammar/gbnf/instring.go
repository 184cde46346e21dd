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
		n, err := inString(r.Node)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", r.Name, err)
		}
		out.Rules[i] = Rule{r.Name, n}
	}
	return out, nil
}

func inString(n *Node) (*Node, error) {
	switch n.Op {
	case Literal:
		return &Node{Op: Literal, Text: escaped(n.Text)}, nil
	case Class:
		return &Node{Op: Quoted, Text: classPattern(n.Ranges)}, nil
	case Regex:
		return &Node{Op: Quoted, Text: n.Text}, nil
	case Empty, Ref, Seq, Alt, Repeat:
	default:
		return nil, fmt.Errorf("%s has no form inside a JSON string", terminalText(n))
	}
	m := *n
	m.Kids = make([]*Node, len(n.Kids))
	for i, k := range n.Kids {
		var err error
		if m.Kids[i], err = inString(k); err != nil {
			return nil, err
		}
	}
	return &m, nil
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
