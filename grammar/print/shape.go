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
func (l *lowering) shape() {
	l.rename()
	for i := 0; i < len(l.out.Rules); i++ { // rules are added on the way
		l.out.Rules[i].Node = l.direct(l.out.Rules[i].Node, i)
	}
	s := &shaper{lowering: l, nullable: nullableRules(&l.out), some: map[int]int{}}
	for i := 0; i < len(l.out.Rules); i++ {
		l.out.Rules[i].Node = s.node(l.out.Rules[i].Node)
	}
}

// rename replaces what llama.cpp does not take for a part of a name.
func (l *lowering) rename() {
	for i := range l.out.Rules {
		old := l.out.Rules[i].Name
		name := strings.ReplaceAll(old, "_", "-")
		if name == old {
			continue
		}
		for _, taken := l.names[name]; taken; _, taken = l.names[name] {
			name += "-"
		}
		delete(l.names, old)
		l.names[name] = i
		l.out.Rules[i].Name = name
	}
}

// direct writes a rule that calls itself first, a ::= a x | y, as y x*.
func (l *lowering) direct(n *gbnf.Node, self int) *gbnf.Node {
	kids := []*gbnf.Node{n}
	if n.Op == gbnf.Alt {
		kids = n.Kids
	}
	var first, more []*gbnf.Node
	for _, k := range kids {
		switch {
		case k.Op == gbnf.Ref && k.Rule == self: // a ::= a says nothing
		case k.Op == gbnf.Seq && k.Kids[0].Op == gbnf.Ref && k.Kids[0].Rule == self:
			more = append(more, seq(k.Kids[1:]...))
		default:
			first = append(first, k)
		}
	}
	if len(more) == 0 || len(first) == 0 {
		return n
	}
	return seq(alt(first...), star(alt(more...)))
}

// nullableRules says which rules match the empty text.
func nullableRules(g *gbnf.Grammar) []bool {
	empty := make([]bool, len(g.Rules))
	users := make([][]int, len(g.Rules)) // by rule: those that lead to it
	queue := make([]int, len(g.Rules))
	for i, r := range g.Rules {
		_, refs := gbnf.Shape(r.Node)
		for _, to := range refs {
			users[to] = append(users[to], i)
		}
		queue[i] = i
	}
	for ; len(queue) > 0; queue = queue[1:] {
		if i := queue[0]; !empty[i] && nullable(g.Rules[i].Node, empty) {
			empty[i] = true
			queue = append(queue, users[i]...)
		}
	}
	return empty
}

func nullable(n *gbnf.Node, rules []bool) bool {
	switch n.Op {
	case gbnf.Empty:
		return true
	case gbnf.Literal:
		return n.Text == ""
	case gbnf.Ref:
		return rules[n.Rule]
	case gbnf.Repeat:
		return n.Min == 0 || nullable(n.Kids[0], rules)
	case gbnf.Seq:
		for _, k := range n.Kids {
			if !nullable(k, rules) {
				return false
			}
		}
		return true
	case gbnf.Alt:
		for _, k := range n.Kids {
			if nullable(k, rules) {
				return true
			}
		}
	}
	return false
}

// shaper rewrites repetitions.
type shaper struct {
	*lowering
	nullable []bool
	some     map[int]int // by rule: the rule that matches the same but for the empty text
}

// inPlace is how many rules of its own llama.cpp may make of what is repeated.
const inPlace = 200

func (s *shaper) node(n *gbnf.Node) *gbnf.Node {
	if !s.keep && n.Op == gbnf.Class && len(n.Ranges) == 1 && n.Ranges[0] == (ecma.Range{Lo: 0, Hi: unicode.MaxRune}) {
		// XGrammar has no dot, which is how this class is written.
		return alt(class(ecma.Range{Lo: 0, Hi: 0xFFFF}), class(ecma.Range{Lo: 0x10000, Hi: unicode.MaxRune}))
	}
	m := n.WithKids(s.node)
	if m.Op == gbnf.Repeat {
		return s.repeat(m.Kids[0], m.Min, m.Max)
	}
	return m
}

func (s *shaper) repeat(kid *gbnf.Node, least, most int) *gbnf.Node {
	if nullable(kid, s.nullable) {
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
	if !nullable(n, s.nullable) {
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
				ways = append(ways, seq(append([]*gbnf.Node{first}, n.Kids[i+1:]...)...))
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
	return alt(ways...)
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
