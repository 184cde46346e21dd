package schema

import (
	"math"
	"math/big"
	"slices"
	"unicode/utf8"
)

// listing lists the values of nodes that hold fewer than limit. It may list too many, not too few:
// the obligations of negation it does not look at.
type listing struct {
	s     *Schema
	limit int
}

// list is what is known of a node's values: all of them, or that there are at least limit.
type list struct {
	values []*value
	few    bool
	limit  int
}

// node lists the distinct values of n, and reports whether they are few. The same sets are asked
// for again and again, with limits that grow slowly. A set that is part of itself counts as one of
// many values.
func (l listing) node(n *Node) (values []*value, few bool) {
	if n.op == opEnum {
		return l.distinct(n.enum)
	}
	known, ok := l.s.lists[n]
	if !ok || !known.few && known.limit < l.limit {
		known = list{limit: max(l.limit, 2*known.limit)}
		l.s.lists[n] = list{limit: math.MaxInt}
		known.values, known.few = listing{l.s, known.limit}.alts(n)
		delete(l.s.lists, n)
		if !l.s.lost && l.s.err == nil {
			l.s.lists[n] = known
		}
	}
	if !known.few || len(known.values) >= l.limit {
		return nil, false
	}
	return known.values, true
}

func (l listing) alts(n *Node) ([]*value, bool) {
	var all []*value
	for k := range kinds {
		for _, a := range l.s.expand(n, k, false) {
			values, few := l.settled(a)
			if !few {
				return nil, false
			}
			all = append(all, values...)
		}
	}
	return l.distinct(all)
}

// distinct drops values that are there twice, and reports whether fewer than limit remain.
func (l listing) distinct(list []*value) (values []*value, few bool) {
	known := make(map[string]bool)
	for _, v := range list {
		if key := v.canonical(); !known[key] {
			if known[key] = true; len(known) >= l.limit {
				return nil, false
			}
			values = append(values, v)
		}
	}
	return values, true
}

// settled lists the values of an alternative without what nothing can come of: such may hold many.
func (l listing) settled(a *Alt) (all []*value, few bool) {
	if !l.s.inhabited(a) {
		return nil, true
	}
	for _, a := range l.s.normalize(a) {
		values, few := l.alt(a)
		if !few {
			return nil, false
		}
		all = append(all, values...)
	}
	return all, true
}

func (l listing) alt(a *Alt) ([]*value, bool) {
	switch a.Kind {
	case Null:
		return []*value{{kind: Null}}, true
	case Bool:
		return slices.DeleteFunc([]*value{{kind: Bool}, {kind: Bool, truth: true}}, func(v *value) bool { return v.truth && !a.True || !v.truth && !a.False }), true
	case Number:
		return l.numbers(a)
	case String:
		return l.strings(&a.String)
	case Array:
		return l.arrays(a.Array, nil)
	}
	if l.s.mayHaveExtra(a.Object) {
		return nil, false
	}
	return l.objects(a.Object, nil, nil)
}

func (l listing) strings(a *StringAlt) (values []*value, few bool) {
	words := []string{""}
	if a.MaxLen != 0 {
		if words, few = l.s.words(a.Text, l.limit); !few {
			return nil, false
		}
	}
	for _, w := range words {
		if n := utf8.RuneCountInString(w); n >= a.MinLen && (a.MaxLen == Unbounded || n <= a.MaxLen) {
			values = append(values, &value{kind: String, text: w})
		}
	}
	return values, true
}

// numbers lists integers between bounds, and single points.
func (l listing) numbers(a *Alt) (values []*value, few bool) {
	if countCells(a.cells, l.limit) >= l.limit {
		return nil, false
	}
	for _, c := range a.cells {
		first, step := c.min, one
		if c.min.Cmp(c.max) != 0 { // from the multiple at or below the least on
			step = c.step()
			q := new(big.Rat).Quo(c.min, step)
			first = new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
			first.Mul(first, step)
		}
		for x := first; x.Cmp(c.max) <= 0; x = new(big.Rat).Add(x, step) {
			if c.has(x) {
				values = append(values, &value{kind: Number, text: x.RatString()})
			}
		}
	}
	return values, true
}

// arrays lists those that begin with the given elements.
func (l listing) arrays(a *ArrayAlt, begin []*value) (values []*value, few bool) {
	if a.Max == Unbounded {
		return nil, false
	}
	lists := [][]*value{nil}
	for i := 0; len(lists) > 0; i++ {
		for _, list := range lists {
			if i >= max(a.Min, len(begin)) && l.contained(a, list, i) {
				values = append(values, &value{kind: Array, items: list})
			}
		}
		if i == a.Max {
			break
		}
		var longer [][]*value
		for _, list := range lists {
			items, few := begin[min(i, len(begin)):min(i+1, len(begin))], true
			if i >= len(begin) {
				items, few = l.elements(a, list, i)
			}
			if !few || len(values)+len(longer)+len(items) > 2*l.limit {
				return nil, false
			}
			for _, v := range items {
				next := append(slices.Clone(list), v)
				if (!a.Unique || distinct(next)) && l.contained(a, next, a.Max) {
					longer = append(longer, next)
				}
			}
		}
		lists = longer
	}
	return values, true
}

// elements lists what can come behind the elements of list: where as many must meet a Contain as
// may still come, those that do.
func (l listing) elements(a *ArrayAlt, list []*value, i int) ([]*value, bool) {
	n := a.Item(i)
	for _, c := range a.Contains {
		switch have := l.meeting(c, list); {
		case i < c.From:
		case c.Min-have >= a.Max-i:
			n = l.s.and(n, c.Node)
		case have == c.Max:
			n = l.s.and(n, l.s.not(c.Node))
		}
	}
	return l.node(n)
}

// contained reports whether an array of size elements that begins with list can meet every
// Contain.
func (l listing) contained(a *ArrayAlt, list []*value, size int) bool {
	return !slices.ContainsFunc(a.Contains, func(c Contain) bool {
		have := l.meeting(c, list)
		return have+size-max(len(list), c.From) < c.Min || c.Max != Unbounded && have > c.Max
	})
}

// meeting counts the elements that belong to c.
func (l listing) meeting(c Contain, list []*value) int {
	n := 0
	for _, v := range list[min(c.From, len(list)):] {
		if values, few := l.node(l.s.and(l.s.constant(nil, []*value{v}), c.Node)); !few || len(values) > 0 {
			n++
		}
	}
	return n
}

// distinct reports whether no two values are equal.
func distinct(values []*value) bool {
	known := make(map[string]bool, len(values))
	for _, v := range values {
		known[v.canonical()] = true
	}
	return len(known) == len(values)
}

// objects lists those that have the keys of begin already and may have the names besides.
func (l listing) objects(o *ObjectAlt, begin []member, may func(name string) bool) ([]*value, bool) {
	values := []*value{{kind: Object, members: begin}}
	props := slices.SortedStableFunc(slices.Values(o.Props), requiredFirst)
	props = slices.DeleteFunc(props, func(p Prop) bool { return values[0].find(p.Name) >= 0 })
	for i, p := range props {
		if may != nil && !may(p.Name) {
			continue
		}
		var with []*value
		for _, v := range values {
			if !p.Required && !o.misses(v, props[i+1:]) {
				with = append(with, v)
			}
			if o.MaxProps != Unbounded && len(v.members) >= o.MaxProps || o.misses(v.with(p.Name, nil), props[i+1:]) {
				continue
			}
			list, few := l.node(p.Value)
			if !few {
				return nil, false
			}
			for _, x := range list {
				with = append(with, v.with(p.Name, x))
			}
		}
		if values = with; len(values) > 2*l.limit {
			return nil, false
		}
	}
	return slices.DeleteFunc(values, func(v *value) bool { return o.misses(v, nil) }), true
}

// with is an object with one more member.
func (v *value) with(key string, x *value) *value {
	return &value{kind: Object, members: append(slices.Clip(v.members), member{key: key, val: x})}
}

// misses reports whether v lacks keys that it must have and that are not among those to come.
func (o *ObjectAlt) misses(v *value, toCome []Prop) bool {
	lacks := func(key string) bool {
		return v.find(key) < 0 && !slices.ContainsFunc(toCome, func(p Prop) bool { return p.Name == key })
	}
	return len(v.members)+len(toCome) < o.MinProps ||
		slices.ContainsFunc(o.Implications, func(i Implication) bool { return v.find(i.Key) >= 0 && slices.ContainsFunc(i.Required, lacks) })
}

// requiredFirst puts keys first that take room from all others.
func requiredFirst(p, q Prop) int {
	switch {
	case p.Required == q.Required:
		return 0
	case p.Required:
		return -1
	}
	return 1
}

// mayHaveExtra reports whether a key without a name may be there beside those that must.
func (s *Schema) mayHaveExtra(o *ObjectAlt) bool {
	required := 0
	for i := range o.Props {
		if o.Props[i].Required {
			required++
		}
	}
	return (o.MaxProps == Unbounded || required < o.MaxProps) && slices.ContainsFunc(o.UnnamedKeys(), func(c KeyClass) bool { return c.Value != s.never })
}
