package print

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"tenon/grammar/gbnf"
)

// inline writes rules of our own making where they are used, if that is once, or if they are
// shorter than their names.
func (p *printer) inline() {
	in := &inliner{printer: p, uses: make([]int, len(p.out.Rules)), gone: make([]bool, len(p.out.Rules))}
	for _, r := range p.out.Rules {
		in.count(r.Node, false)
	}
	for i, r := range p.out.Rules {
		in.gone[i] = i >= p.given && i != p.out.Root && (in.uses[i] == 1 && r.Node.Op != gbnf.Alt || in.uses[i] >= 1 && in.isShort(r.Node))
	}
	for i := range p.out.Rules {
		if !in.gone[i] {
			p.out.Rules[i].Node = in.node(p.out.Rules[i].Node)
		}
	}
	// What is used nowhere any more goes, too: a ring of rules that lead to nothing but each
	// other.
	kept := 0
	p.replace(func(i int) int {
		if in.gone[i] {
			return kept
		}
		return i
	})
	p.renumber()
}

// renumber closes the gaps between the names of the rules that are left.
func (p *printer) renumber() {
	count := map[string]int{}
	for i := p.given; i < len(p.out.Rules); i++ {
		word := strings.TrimRight(p.out.Rules[i].Name, "0123456789")
		if !strings.HasSuffix(word, "-") || i == p.out.Root {
			continue
		}
		delete(p.names, p.out.Rules[i].Name)
		name := ""
		for taken := true; taken; _, taken = p.names[name] {
			count[word]++
			name = word + strconv.Itoa(count[word])
		}
		p.names[name] = i
		p.out.Rules[i].Name = name
	}
}

type inliner struct {
	*printer
	uses []int  // by rule; negative if one is repeated, for which engines want a name
	gone []bool // by rule: it is written where it is used
}

// repeated weighs more than all uses that a rule can have.
const repeated = 1 << 40

func (in *inliner) count(n *gbnf.Node, below bool) {
	if n.Op == gbnf.Ref {
		in.uses[n.Rule]++
		if below {
			in.uses[n.Rule] -= repeated
		}
	}
	for _, k := range n.Kids {
		in.count(k, n.Op == gbnf.Repeat)
	}
}

// isShort says whether a rule is best written out wherever it is used.
func (in *inliner) isShort(n *gbnf.Node) bool {
	switch n.Op {
	case gbnf.Empty:
		return true
	case gbnf.Literal:
		return len(n.Text) <= len("value-1")
	case gbnf.Ref:
		return in.out.Rules[n.Rule].Node.Op != gbnf.Ref
	case gbnf.Repeat:
		return n.Kids[0].Op == gbnf.Ref
	}
	return false
}

func (in *inliner) node(n *gbnf.Node) *gbnf.Node {
	if n.Op == gbnf.Ref && in.gone[n.Rule] {
		return in.node(in.out.Rules[n.Rule].Node)
	}
	m := n.WithKids(in.node)
	if m.Op == gbnf.Seq {
		return spelled(gbnf.Sequence(m.Kids...))
	}
	return m
}

// spelled joins the characters of a sequence that stand side by side.
func spelled(n *gbnf.Node) *gbnf.Node {
	if n.Op != gbnf.Seq {
		return n
	}
	var kids []*gbnf.Node
	for _, k := range n.Kids {
		if last := len(kids) - 1; last >= 0 {
			before, first := oneText(kids[last])
			text, second := oneText(k)
			if first && second {
				kids[last] = literal(before + text)
				continue
			}
		}
		kids = append(kids, k)
	}
	return gbnf.Sequence(kids...)
}

// oneText is the only text that a node matches, for literals and single characters.
func oneText(n *gbnf.Node) (string, bool) {
	switch {
	case n.Op == gbnf.Literal:
		return n.Text, true
	case n.Op == gbnf.Class && len(n.Ranges) == 1 && n.Ranges[0].Lo == n.Ranges[0].Hi && utf8.ValidRune(n.Ranges[0].Lo):
		return string(n.Ranges[0].Lo), true
	}
	return "", false
}
