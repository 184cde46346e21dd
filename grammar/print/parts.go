package print

import (
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
	"tenon/grammar/schema"
)

// plain is the text of a schema's strings in which no marker occurs.
func (l *lowering) plain(n *gbnf.Node) *gbnf.Node {
	var x *gbnf.Node
	ok := false
	l.units[n].View(func(v machine.View) {
		a := v.Arena
		var texts []lex.Expr
		for _, alt := range v.Root.Alts() {
			if s := alt.String; alt.Kind == schema.String {
				texts = append(texts, a.Intersect(s.Text, a.Repeat(a.AnyRune(), s.MinLen, s.MaxLen)))
			}
		}
		e := a.Union(texts...)
		for _, m := range n.Markers {
			e = a.Intersect(e, a.Complement(a.Concat(a.AnyText(), a.Literal(m), a.AnyText())))
		}
		x, ok = l.language(a, e, "plain")
	})
	if !ok {
		l.loosen("the text of a string has too many states to be written as rules: any text is accepted in its place")
		return l.until(n.Markers)
	}
	return x
}

// maxOrders is how many parts of %each are written in every order.
const maxOrders = 4

// each writes parts in any order as a rule for every set of those that have come, or, where they
// are many, in the order given.
func (l *lowering) each(n *gbnf.Node) *gbnf.Node {
	parts := make([]*gbnf.Node, len(n.Kids))
	for i, k := range n.Kids {
		if k.IsOptional() {
			k = k.Kids[0]
		}
		parts[i] = l.node(k)
	}
	o := orders{l, n, parts, map[int]int{}}
	if len(parts) > maxOrders {
		l.narrow("parts that may come in any order are accepted in the order given only")
		return o.inOrder(0, false)
	}
	return o.after(0)
}

// orders writes the parts of one %each.
type orders struct {
	*lowering
	each  *gbnf.Node
	parts []*gbnf.Node
	rules map[int]int // written before
}

// between is the separator, if a part came before.
func (o orders) between(some bool) *gbnf.Node {
	if !some {
		return literal("")
	}
	return literal(o.each.Text)
}

// after is what may follow once the parts of a set have come.
func (o orders) after(came int) *gbnf.Node {
	if r, ok := o.rules[came]; ok {
		return ref(r)
	}
	r := o.fresh("each")
	o.rules[came] = r
	var kids []*gbnf.Node
	whole := true
	for i, p := range o.parts {
		if came&(1<<i) == 0 {
			kids = append(kids, gbnf.Sequence(o.between(came != 0), p, o.after(came|1<<i)))
			whole = whole && o.each.Kids[i].IsOptional()
		}
	}
	if whole {
		kids = append(kids, literal(""))
	}
	o.out.Rules[r].Node = gbnf.Choice(kids...)
	return ref(r)
}

// inOrder is the parts from the i-th on in the order given; some says that a part came before.
func (o orders) inOrder(i int, some bool) *gbnf.Node {
	if i == len(o.parts) {
		return literal("")
	}
	key := 2*i + boolInt(some)
	if r, ok := o.rules[key]; ok {
		return ref(r)
	}
	r := o.fresh("each")
	o.rules[key] = r
	n := gbnf.Sequence(o.between(some), o.parts[i], o.inOrder(i+1, true))
	if o.each.Kids[i].IsOptional() {
		n = gbnf.Choice(n, o.inOrder(i+1, some))
	}
	o.out.Rules[r].Node = n
	return ref(r)
}
