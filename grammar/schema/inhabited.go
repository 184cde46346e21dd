package schema

// satState says what is known about whether a node holds any value.
type satState uint8

const (
	satUnknown satState = iota
	satBusy
	satYes
	satNo
)

// satisfiable decides whether some value belongs to n. Every JSON value is finite, so that the
// answer is the least fixpoint over recursion. The search is depth first and assumes that a node
// being decided is empty. A positive answer is final; a negative one is final only if it does not
// rest on that assumption about a node further up.
func (s *Schema) satisfiable(n *Node) bool {
	switch {
	case n.sat == satYes || n.boundless() || n.small():
		return true
	case n.sat == satNo || n.op == opNever:
		return false
	case n.sat == satBusy:
		s.satLow = min(s.satLow, s.satDepth[n])
		return false
	}
	depth := len(s.satDepth)
	outer := s.satLow
	s.satLow = depth
	n.sat = satBusy
	s.satDepth[n] = depth
	found := s.search(n)
	delete(s.satDepth, n)
	switch {
	case found:
		n.sat = satYes
		s.satLow = outer
		return true
	case s.satLow >= depth:
		n.sat = satNo
		s.satLow = outer
	default:
		n.sat = satUnknown
		s.satLow = min(outer, s.satLow)
	}
	return false
}

// boundless reports whether n plainly holds infinitely many values: all, or all but listed ones.
func (n *Node) boundless() bool {
	return n.op == opAny || n.op == opNot && n.kids[0].op == opEnum
}

// search looks for an inhabited alternative of n, scalars first: they need no search.
func (s *Schema) search(n *Node) bool {
	for k := range kinds {
		for _, a := range s.expand(n, k, false) {
			if s.inhabited(a) {
				return true
			}
		}
	}
	return false
}

// inhabited decides whether some value belongs to a.
func (s *Schema) inhabited(a *Alt) bool {
	switch a.Kind {
	case Array:
		return s.inhabitedArray(a.Array, s.satisfiable)
	case Object:
		if o := a.Object; len(o.Exists) > 0 && o.MaxProps != Unbounded && !o.normalized {
			return len(s.normalizeObject(*o)) > 0 // the Exists compete for keys
		}
		return s.inhabitedObject(a.Object, s.satisfiable)
	}
	return true // scalar alternatives are never built empty
}

// plausible is a quick inhabited that looks a few levels deep. It may take an empty alternative
// for inhabited, never the other way round. It prunes products while nodes are being expanded.
func (s *Schema) plausible(a *Alt) bool {
	switch a.Kind {
	case Array:
		return s.inhabitedArray(a.Array, s.plausibleNode)
	case Object:
		return s.inhabitedObject(a.Object, s.plausibleNode)
	}
	return true
}

// maxPlausible bounds how many levels plausible looks at.
const maxPlausible = 4

func (s *Schema) plausibleNode(n *Node) bool {
	switch {
	case n.sat == satYes || n.boundless():
		return true
	case n.op == opNever || n.sat == satNo:
		return false
	}
	if s.speculating >= maxPlausible || s.cyclic {
		return true
	}
	s.speculating++
	found := s.anyPlausible(n)
	s.speculating--
	if s.cyclic && s.speculating == 0 {
		s.cyclic = false
		return true
	}
	return found
}

// anyPlausible looks for a plausible alternative of n. Where it comes back to a node that is being
// expanded, it gives up: cyclic is set, nothing computed since is remembered, and the outermost
// plausibleNode answers yes.
func (s *Schema) anyPlausible(n *Node) bool {
	for k := range kinds {
		for _, a := range s.expand(n, k, false) {
			if s.plausible(a) {
				return true
			}
		}
		if s.cyclic {
			return true
		}
	}
	return false
}

func (s *Schema) inhabitedArray(a *ArrayAlt, ok func(*Node) bool) bool {
	// one element beyond the prefix stands for all
	for i := range min(a.Min, len(a.Prefix)+1) {
		if !ok(a.Item(i)) {
			return false
		}
	}
	if a.Unique && a.Min > len(a.Prefix) && a.Min-len(a.Prefix) < maxDistinct && s.count(a.Rest, a.Min) < a.Min-len(a.Prefix) {
		return false
	}
	for _, c := range a.Contains {
		later := a.Min - max(c.From, len(a.Prefix))
		if c.Min > 0 && !s.canContain(a, c, ok) || c.Max != Unbounded && later > c.Max && !ok(s.and(a.Rest, s.not(c.Node))) {
			return false
		}
	}
	return true
}

// canContain reports whether enough elements of a may belong to c.
func (s *Schema) canContain(a *ArrayAlt, c Contain, ok func(*Node) bool) bool {
	places := 0
	for i, n := range a.Prefix {
		if !ok(n) {
			return false // the array ends here
		}
		if i >= c.From && ok(s.and(n, c.Node)) {
			places++
		}
		if places >= c.Min {
			return true
		}
	}
	if !ok(s.and(a.Rest, c.Node)) {
		return false
	}
	rest := c.Min - places
	return a.Max == Unbounded || max(c.From, len(a.Prefix))+rest <= a.Max
}

func (s *Schema) inhabitedObject(o *ObjectAlt, ok func(*Node) bool) bool {
	for i := range o.Props {
		if p := &o.Props[i]; p.Required && !ok(p.Value) {
			return false
		}
	}
	for _, e := range o.Exists {
		if !s.canMeet(o, e, ok) {
			return false
		}
	}
	return o.MinProps <= o.required() || s.canHave(o, o.MinProps, ok)
}

// canMeet reports whether some key of o can meet e.
func (s *Schema) canMeet(o *ObjectAlt, e Exist, ok func(*Node) bool) bool {
	for i := range o.Props {
		if p := &o.Props[i]; s.accepts(e.Keys, p.Name) && ok(s.and(p.Value, e.Value)) {
			return true
		}
	}
	for _, c := range o.UnnamedKeys() {
		keys := s.unnamed(o, s.arena.Intersect(c.Keys, e.Keys))
		if !s.isEmpty(keys) && ok(s.and(c.Value, e.Value)) {
			return true
		}
	}
	return false
}

// canHave reports whether o can have n keys.
func (s *Schema) canHave(o *ObjectAlt, n int, ok func(*Node) bool) bool {
	have := 0
	for _, c := range o.UnnamedKeys() {
		if !ok(c.Value) {
			continue
		}
		words, finite := s.words(c.Keys, maxNamed)
		if !finite {
			return true
		}
		have += len(words)
	}
	for i := range o.Props {
		if ok(o.Props[i].Value) {
			have++
		}
	}
	return have >= n
}
