package schema

import "slices"

// discover visits every node that can be reached from root and expands those that combine others.
// A node that cannot be expanded is therefore found while compiling, never while a value is being
// generated.
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
		if s.trivial(n, visit) {
			continue
		}
		for _, a := range n.Alts() {
			for _, child := range a.children() {
				visit(child)
			}
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

// checkUnique gives uniqueItems up where the elements, or members of them, may be arrays or
// objects that run out: where a matcher could write a prefix that only used values complete.
func (s *Schema) checkUnique(a *ArrayAlt) {
	seen := map[*Node]bool{}
	for _, n := range append(slices.Clone(a.Prefix), a.Rest) {
		if s.mayRunOut(n, seen, a.Min <= 1 && len(a.Contains) == 0) {
			s.unsupported(a.uniqueAt, "uniqueItems over arrays or objects that may run out")
			return
		}
	}
}

// manyValues is the number of values from which a key's values count as unlimited.
const manyValues = 4096

// mayRunOut reports whether n may hold arrays or objects that run out; seen nodes count as no.
// Arrays do if they are bounded, unless their elements are scalars of one schema. An object that
// can always have one more key does not. Of other objects a matcher knows which are left, if they
// differ in the values of named keys only; then one key must have many values, unless fewMay.
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
		o := a.Object
		unnamed := slices.ContainsFunc(o.UnnamedKeys(), func(c KeyClass) bool { return !c.Value.Empty() })
		if unnamed && o.MaxProps == Unbounded {
			return false
		}
		many := fewMay
		for _, p := range o.Props {
			if !many {
				_, few := s.few(p.Value, manyValues)
				many = !few
			}
		}
		bounded := o.MinProps > o.required() || o.MaxProps != Unbounded && o.MaxProps < len(o.Props)
		return unnamed || !many || bounded || len(o.Exists)+len(o.Implications) > 0 ||
			slices.ContainsFunc(o.Props, func(p Prop) bool { return s.mayRunOut(p.Value, seen, false) })
	})
}

// maxChain bounds how far a chain of references is followed to see whether it is a cycle.
const maxChain = 64

// trivial reports whether expanding n cannot fail, because n combines nothing. It then visits the
// nodes below. n itself is expanded when a walker enters it: most of a large schema is trivial and
// never entered.
func (s *Schema) trivial(n *Node, visit func(*Node)) bool {
	if n.op != opLeaf {
		return n.op == opAny || n.op == opNever || n.small()
	}
	f := s.formOf(n.leaf)
	own := f.array != nil || f.object != nil || f.strings != nil || f.numbers != nil
	switch {
	case f.unevaluatedItems != nil || f.unevaluatedProps != nil || len(f.strings) > 1 || len(f.numbers) > 1:
		return false
	case len(f.strings) == 1 && !f.strings[0].length && !s.arena.KnownLive(f.strings[0].text):
		return false
	case len(f.subs) == 1 && !own:
		if !s.chainEnds(n) {
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

// chainEnds reports whether the chain of references that n begins is no cycle.
func (s *Schema) chainEnds(n *Node) bool {
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

// children returns every node that a walker of a may enter.
func (a *Alt) children() []*Node {
	switch a.Kind {
	case Array:
		return a.Array.elements()
	case Object:
		return a.Object.members()
	}
	return nil
}

// maxSplit is the number of nodes from which elements and members splits no further.
const maxSplit = 256

// elements returns the nodes of the elements, each also split by every Contain into the values
// that it counts and the others: a matcher enters those parts to count.
func (a *ArrayAlt) elements() []*Node {
	all := append(slices.Clone(a.Prefix), a.Rest)
	for _, c := range a.Contains {
		for _, n := range slices.Clone(all[:min(len(all), maxSplit)]) {
			all = append(all, n.And(c.Node), n.And(c.Node.Not()))
		}
	}
	return all
}

// members returns the nodes of the values, and the parts of them that meet an obligation, or
// several at once: a matcher enters those parts too.
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
		add(p.Value, func(keys Expr) bool { return s.accepts(keys, p.Name) })
	}
	for _, c := range o.UnnamedKeys() {
		add(c.Value, func(keys Expr) bool { return !s.isEmpty(s.arena.Intersect(c.Keys, keys)) })
	}
	for _, e := range o.Exists {
		all = append(all, e.Value)
	}
	return all
}
