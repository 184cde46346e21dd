package schema

import "slices"

// discover visits every node that can be reached from root and expands those that combine
// something, so that what cannot be expanded is found while compiling and never while a value is
// being generated.
func (s *Schema) discover(root *Node) {
	seen := map[*Node]bool{root: true}
	queue := []*Node{root}
	visit := func(n *Node) {
		if !seen[n] {
			seen[n] = true
			queue = append(queue, n)
		}
	}
	for len(queue) > 0 && s.err == nil {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if s.plain(n, visit) {
			continue
		}
		for _, a := range n.Alts() {
			a.children(visit)
			if a.Kind == Array && a.Array.Unique {
				s.checkUnique(a.Array)
			}
		}
		if err := s.arena.Err(); err != nil {
			s.at = n
			s.undecided(nil, err)
		}
	}
}

// checkUnique gives uniqueItems up where an element, or a member of one, may be an array or an
// object that can run out, unless a matcher looks ahead of that.
func (s *Schema) checkUnique(a *ArrayAlt) {
	seen := map[*Node]bool{}
	for _, n := range append(slices.Clone(a.Prefix), a.Rest) {
		if s.mayRunOut(n, seen, a.Min <= 1 && len(a.Contains) == 0) {
			s.unsupported(a.uniqueAt, "uniqueItems over arrays or objects that may run out")
			return
		}
	}
}

// manyValues is the number of values from which a key counts as one of any number of them.
const manyValues = 4096

// mayRunOut reports whether n holds bounded arrays whose elements are not all alike scalars or,
// unless there may be few of them, objects of few values, seen nodes aside. What can always have
// one more key never runs out, whatever is in it. Of other objects a matcher knows which are left,
// if all that counts is the values of their keys.
func (s *Schema) mayRunOut(n *Node, seen map[*Node]bool, fewMay bool) bool {
	if seen[n] {
		return false
	}
	seen[n] = !fewMay
	return slices.ContainsFunc(n.Alts(), func(a *Alt) bool {
		switch {
		case a.Kind == Array:
			nested := slices.ContainsFunc(a.Array.Rest.Alts(), func(e *Alt) bool { return e.Kind >= Array })
			return a.Array.Max != Unbounded && (nested || len(a.Array.Prefix)+len(a.Array.Contains) > 0)
		case a.Kind != Object:
			return false
		}
		o, required := a.Object, 0
		extra := slices.ContainsFunc(o.UnnamedKeys(), func(c KeyClass) bool { return !c.Value.Empty() })
		if extra && o.MaxProps == Unbounded {
			return false
		}
		many := fewMay
		for _, p := range o.Props {
			if p.Required {
				required++
			}
			if !many {
				_, few := s.few(p.Value, manyValues)
				many = !few
			}
		}
		bounded := o.MinProps > required || o.MaxProps != Unbounded && o.MaxProps < len(o.Props)
		return extra || !many || bounded || len(o.Exists)+len(o.Implications) > 0 ||
			slices.ContainsFunc(o.Props, func(p Prop) bool { return s.mayRunOut(p.Value, seen, false) })
	})
}

// maxChain bounds how far a chain of references is followed to see whether it comes back.
const maxChain = 64

// plain reports whether n can be expanded without fail, because nothing in it has to be combined.
// It then visits what lies below without expanding n, which is left to whoever enters it: most of
// a large schema is plain and never entered.
func (s *Schema) plain(n *Node, visit func(*Node)) bool {
	if n.op != opLeaf {
		return n.op == opAny || n.op == opNever || n.modest()
	}
	f := s.formOf(n.leaf)
	own := f.array != nil || f.object != nil || f.strings != nil || f.numbers != nil
	switch {
	case f.unevaluatedItems != nil || f.unevaluatedProps != nil || len(f.strings) > 1 || len(f.numbers) > 1:
		return false
	case len(f.strings) == 1 && !f.strings[0].length && !s.arena.Plain(f.strings[0].text):
		return false
	case len(f.subs) == 1 && !own:
		if !s.endsOutside(n) {
			return false
		}
		visit(f.subs[0])
		return true
	case len(f.subs) > 0:
		return false
	}
	if a := f.array; a != nil {
		if a.contains != nil || a.unique != nil {
			return false
		}
		for _, p := range a.prefix {
			visit(p)
		}
		if a.rest != nil {
			visit(a.rest)
		}
	}
	if o := f.object; o != nil {
		if o.names != nil || o.patterns != nil || o.dependent != nil {
			return false
		}
		for i := range o.props {
			visit(o.props[i].Value)
		}
		if o.additional != nil {
			visit(o.additional)
		}
	}
	return true
}

// endsOutside reports whether the chain of references that n begins ends without coming back to
// itself.
func (s *Schema) endsOutside(n *Node) bool {
	for range maxChain {
		if n.op != opLeaf {
			return n.op == opAny || n.op == opNever || n.op == opEnum
		}
		f := s.formOf(n.leaf)
		switch len(f.subs) {
		case 0:
			return true
		case 1:
			n = f.subs[0]
		default:
			return false
		}
	}
	return false
}

// children calls visit for every node that a value of a may have to enter.
func (a *Alt) children(visit func(*Node)) {
	switch a.Kind {
	case Array:
		for _, n := range a.Array.elements() {
			visit(n)
		}
	case Object:
		for _, n := range a.Object.members() {
			visit(n)
		}
	}
}

// maxSplit is the number of nodes from which elements are not told apart any further in advance.
const maxSplit = 256

// elements are the nodes of the elements, and of those that belong to a Contain and those that do
// not: a matcher tells them apart to count them.
func (a *ArrayAlt) elements() []*Node {
	all := append(slices.Clone(a.Prefix), a.Rest)
	for _, c := range a.Contains {
		for _, n := range slices.Clone(all[:min(len(all), maxSplit)]) {
			all = append(all, n.And(c.Node), n.And(c.Node.Not()))
		}
	}
	return all
}

// members are the nodes of the values, and of those that meet obligations, several at once too: a
// matcher tells them apart.
func (o *ObjectAlt) members() []*Node {
	s := o.schema
	var all []*Node
	add := func(n *Node, concerned func(keys Expr) bool) {
		from := len(all)
		all = append(all, n)
		for _, e := range o.Exists {
			if concerned(e.Keys) {
				for _, m := range slices.Clone(all[from:min(len(all), from+maxSplit)]) {
					all = append(all, m.And(e.Value))
				}
			}
		}
	}
	for _, p := range o.Props {
		add(p.Value, func(keys Expr) bool { return s.holds(keys, p.Name) })
	}
	for _, c := range o.UnnamedKeys() {
		add(c.Value, func(keys Expr) bool { return !s.vacant(s.arena.Intersect(c.Keys, keys)) })
	}
	for _, e := range o.Exists {
		all = append(all, e.Value)
	}
	return all
}
