package schema

import (
	"math/big"
	"slices"
	"unicode/utf8"
)

// listing lists the values of nodes that hold fewer than limit. It may list too many, not too few: what contains and the obligations of
// negation ask for, it does not look at. Nothing it does looks deeper than expansion, in the middle of which it may be asked.
type listing struct {
	s     *Schema
	limit int
}

// maxListed bounds how deep within values their parts are listed.
const maxListed = 4

// node lists the distinct values of n, and reports whether they are few.
func (l listing) node(n *Node, depth int) (values []*value, few bool) {
	known := make(map[string]bool)
	add := func(list []*value) bool {
		for _, v := range list {
			if key := v.canonical(); !known[key] {
				if known[key] = true; len(known) >= l.limit {
					return false
				}
				values = append(values, v)
			}
		}
		return true
	}
	if n.op == opEnum {
		return values, add(n.enum)
	}
	for k := range kinds {
		for _, a := range l.s.expand(n, k, false) {
			if list, few := l.alt(a, depth); !few || !add(list) {
				return nil, false
			}
		}
	}
	return values, true
}

func (l listing) alt(a *Alt, depth int) ([]*value, bool) {
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
		if depth < maxListed && a.Array.Max != Unbounded {
			return l.arrays(a.Array, depth+1)
		}
	case Object:
		if depth < maxListed && !l.s.mayHaveExtra(a.Object) {
			return l.objects(a.Object, depth+1)
		}
	}
	return nil, false
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
			step = c.multiples[len(c.multiples)-1]
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

func (l listing) arrays(a *ArrayAlt, depth int) (values []*value, few bool) {
	lists := [][]*value{nil}
	for i := 0; len(lists) > 0; i++ {
		for _, list := range lists {
			if i >= a.Min && !(a.Repeats && distinct(list)) {
				values = append(values, &value{kind: Array, items: list})
			}
		}
		if i == a.Max {
			break
		}
		items, few := l.node(a.Item(i), depth)
		if !few || len(values)+len(items)*len(lists) > 2*l.limit {
			return nil, false
		}
		var longer [][]*value
		for _, list := range lists {
			for _, v := range items {
				if next := append(slices.Clone(list), v); !a.Unique || distinct(next) {
					longer = append(longer, next)
				}
			}
		}
		lists = longer
	}
	return values, true
}

// distinct reports whether no two values are equal.
func distinct(values []*value) bool {
	known := make(map[string]bool, len(values))
	for _, v := range values {
		known[v.canonical()] = true
	}
	return len(known) == len(values)
}

func (l listing) objects(o *ObjectAlt, depth int) ([]*value, bool) {
	values := []*value{{kind: Object}}
	for _, p := range slices.SortedStableFunc(slices.Values(o.Props), requiredFirst) {
		full := func(v *value) bool { return o.MaxProps != Unbounded && len(v.members) >= o.MaxProps }
		if !slices.ContainsFunc(values, func(v *value) bool { return !full(v) }) {
			break
		}
		list, few := l.node(p.Value, depth)
		if !few {
			return nil, false
		}
		var with []*value
		for _, v := range values {
			if !p.Required {
				with = append(with, v)
			}
			for _, x := range list {
				if !full(v) {
					with = append(with, &value{kind: Object, members: append(slices.Clone(v.members), member{key: p.Name, val: x})})
				}
			}
		}
		if values = with; len(values) > 2*l.limit {
			return nil, false
		}
	}
	return slices.DeleteFunc(values, func(v *value) bool {
		lacks := func(key string) bool { return v.get(key) == nil }
		return len(v.members) < o.MinProps || slices.ContainsFunc(o.Implications, func(i Implication) bool { return !lacks(i.Key) && slices.ContainsFunc(i.Required, lacks) })
	}), true
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
	return (o.MaxProps == Unbounded || required < o.MaxProps) && slices.ContainsFunc(o.Extra(), func(c KeyClass) bool { return c.Value != s.never })
}
