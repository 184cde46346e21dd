package print

import (
	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
	"tenon/grammar/schema"
)

// plain is the text of a schema's strings in which no marker occurs.
func (p *printer) plain(n *gbnf.Node) *gbnf.Node {
	var x *gbnf.Node
	ok := false
	p.units[n].View(func(v machine.View) {
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
		x, ok = p.language(a, e, "plain")
	})
	if !ok {
		p.loosen("the text of a string has too many states to be written as rules: any text is accepted in its place")
		return p.until(n.Markers)
	}
	return x
}

// each writes parts that may come in any order in the order given.
func (p *printer) each(n *gbnf.Node) *gbnf.Node {
	o := ordered{p, n, map[int]int{}}
	if len(n.Kids) > 1 {
		p.narrow("parts that may come in any order are accepted in the order given only")
	}
	return o.from(0, false)
}

// ordered writes the parts of one %each.
type ordered struct {
	*printer
	each  *gbnf.Node
	rules map[int]int // written before
}

// from is the parts from the i-th on; some says that a part came before.
func (o ordered) from(i int, some bool) *gbnf.Node {
	if i == len(o.each.Kids) {
		return literal("")
	}
	key := 2*i + boolInt(some)
	if r, ok := o.rules[key]; ok {
		return ref(r)
	}
	r := o.fresh("each")
	o.rules[key] = r
	part, between := o.each.Kids[i], literal("")
	optional := part.IsOptional()
	if optional {
		part = part.Kids[0]
	}
	if some {
		between = literal(o.each.Text)
	}
	n := gbnf.Sequence(between, o.node(part), o.from(i+1, true))
	if optional {
		n = gbnf.Choice(n, o.from(i+1, some))
	}
	o.out.Rules[r].Node = n
	return ref(r)
}
