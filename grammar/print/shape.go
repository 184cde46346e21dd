package print

import (
	"strings"
	"unicode"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex/ecma"
)

// shape rewrites the rules into what llama.cpp and XGrammar read: names of letters, digits and
// hyphens, no left recursion (a loop over what may be empty is one, too), and nothing but names of
// rules under large bounds.
func (p *printer) shape() {
	p.rename()
	for i := 0; i < len(p.out.Rules); i++ { // rules are added on the way
		p.out.Rules[i].Node = p.out.Rules[i].Node.WithoutLeftRecursion(i)
	}
	trees := make([]*gbnf.Node, len(p.out.Rules))
	for i, r := range p.out.Rules {
		trees[i] = r.Node
	}
	s := &shaper{printer: p, nullable: gbnf.NullableRules(trees, nil), some: map[int]int{}}
	for i := 0; i < len(p.out.Rules); i++ {
		p.out.Rules[i].Node = s.node(p.out.Rules[i].Node)
	}
}

// rename replaces what llama.cpp does not take for a part of a name.
func (p *printer) rename() {
	for i := range p.out.Rules {
		old := p.out.Rules[i].Name
		name := strings.ReplaceAll(old, "_", "-")
		if name == old {
			continue
		}
		for _, taken := p.names[name]; taken; _, taken = p.names[name] {
			name += "-"
		}
		delete(p.names, old)
		p.names[name] = i
		p.out.Rules[i].Name = name
	}
}

// shaper rewrites repetitions.
type shaper struct {
	*printer
	nullable []bool
	some     map[int]int // by rule: the rule that matches the same but for the empty text
}

// inPlace is how many rules of its own llama.cpp may make of what is repeated.
const inPlace = 200

func (s *shaper) node(n *gbnf.Node) *gbnf.Node {
	if !s.keep && n.Op == gbnf.Class && len(n.Ranges) == 1 && n.Ranges[0] == (ecma.Range{Lo: 0, Hi: unicode.MaxRune}) {
		// XGrammar has no dot, which is how this class is written.
		return gbnf.Choice(class(ecma.Range{Lo: 0, Hi: 0xFFFF}), class(ecma.Range{Lo: 0x10000, Hi: unicode.MaxRune}))
	}
	m := n.WithKids(s.node)
	if m.Op == gbnf.Repeat {
		return s.repeat(m.Kids[0], m.Min, m.Max)
	}
	return m
}

func (s *shaper) repeat(kid *gbnf.Node, least, most int) *gbnf.Node {
	if kid.Nullable(s.nullable, nil) {
		if kid = s.nonEmpty(kid); kid == nil {
			return literal("")
		}
		least = 0
	}
	if group := kid.Op == gbnf.Alt || kid.Op == gbnf.Seq; group && (least > 1 || most > 1 || size(kid) > inPlace) {
		kid = s.apart(kid)
	}
	return s.bounded(kid, least, most)
}

// apart gives a node a rule of its own.
func (s *shaper) apart(n *gbnf.Node) *gbnf.Node {
	i := s.fresh("part")
	s.out.Rules[i].Node = n
	s.nullable = append(s.nullable, false)
	return ref(i)
}

func size(n *gbnf.Node) int {
	total := 1
	for _, k := range n.Kids {
		total += size(k)
	}
	return total
}

// nonEmpty matches what n does, but for the empty text; nil matches nothing.
func (s *shaper) nonEmpty(n *gbnf.Node) *gbnf.Node {
	if !n.Nullable(s.nullable, nil) {
		return n
	}
	switch n.Op {
	case gbnf.Ref:
		return s.nonEmptyRule(n.Rule)
	case gbnf.Repeat:
		if kid := s.nonEmpty(n.Kids[0]); kid != nil {
			return repeat(kid, 1, n.Max)
		}
	case gbnf.Seq:
		var ways []*gbnf.Node
		for i, k := range n.Kids {
			if first := s.nonEmpty(k); first != nil {
				ways = append(ways, gbnf.Sequence(append([]*gbnf.Node{first}, n.Kids[i+1:]...)...))
			}
		}
		return oneOf(ways)
	case gbnf.Alt:
		var ways []*gbnf.Node
		for _, k := range n.Kids {
			if some := s.nonEmpty(k); some != nil {
				ways = append(ways, some)
			}
		}
		return oneOf(ways)
	}
	return nil
}

func oneOf(ways []*gbnf.Node) *gbnf.Node {
	if len(ways) == 0 {
		return nil
	}
	return gbnf.Choice(ways...)
}

func (s *shaper) nonEmptyRule(rule int) *gbnf.Node {
	if i, ok := s.some[rule]; ok {
		return ref(i)
	}
	i := s.fresh("some")
	s.some[rule] = i
	s.nullable = append(s.nullable, false)
	n := s.nonEmpty(s.out.Rules[rule].Node)
	if n == nil {
		n = never()
	}
	s.out.Rules[i].Node = n
	return ref(i)
}

// never is what nothing matches. GBNF has no such terminal, so it is a code point that is no
// character.
func never() *gbnf.Node { return literal("\U0010FFFF") }
