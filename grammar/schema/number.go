package schema

import (
	"math/big"
	"slices"
	"strings"

	"tenon/grammar/lex/number"
	"tenon/grammar/schema/source"
)

// cell is a set of numbers: a conjunction of facets. The intersection of cells is a cell, the
// complement a union of cells. The zero cell holds all numbers. A number alternative is a union of
// cells.
type cell struct {
	min, max         *big.Rat // nil: none
	openMin, openMax bool     // the bound itself is excluded
	multiples        []*big.Rat
	notMultiples     []*big.Rat // a multiple of none of these
	// written without fraction and exponent (integers of drafts 3 and 4)
	spelled    bool
	notSpelled bool // written with one of them
}

var one = big.NewRat(1, 1)

// readNumbers reads the keywords on numbers.
func (r *reader) readNumbers() {
	r.bound("minimum", "exclusiveMinimum", func(b *big.Rat, open bool) cell { return cell{min: b, openMin: open} })
	r.bound("maximum", "exclusiveMaximum", func(b *big.Rat, open bool) cell { return cell{max: b, openMax: open} })
	for _, keyword := range [...]string{"multipleOf", "divisibleBy"} {
		if v := r.get(keyword); v != nil {
			r.limit(keyword, v, func(b *big.Rat) cell { return cell{multiples: []*big.Rat{b}} })
		}
	}
}

// bound reads an inclusive limit and its exclusive counterpart, which is a flag in drafts 3 and 4.
func (r *reader) bound(inclusive, exclusive string, make func(b *big.Rat, open bool) cell) {
	flag := r.get(exclusive)
	if v := r.get(inclusive); v != nil {
		open := flag != nil && flag.Kind == Bool && flag.Truth
		r.limit(inclusive, v, func(b *big.Rat) cell { return make(b, open) })
	}
	if flag != nil && flag.Kind == Number {
		r.limit(exclusive, flag, func(b *big.Rat) cell { return make(b, true) })
	}
}

func (r *reader) limit(keyword string, v *source.Value, make func(*big.Rat) cell) {
	b := source.Rat(v)
	if b == nil {
		r.drop(keyword, Checked, "its exponent is too large")
		return
	}
	c := make(b)
	if _, err := r.s.spellings(c); err != nil {
		r.drop(keyword, Checked, err.Error())
		return
	}
	r.f.numbers = append(r.f.numbers, c)
}

// integers is the facet that type integer sets.
func (r *reader) integers() cell {
	if r.leaf.res.Draft.IntegerBySpelling() {
		return cell{spelled: true}
	}
	return cell{multiples: []*big.Rat{one}}
}

// and intersects two cells.
func (c cell) and(d cell) cell {
	m := c
	if d.min != nil {
		if order := compareBound(c.min, d.min, -1); order < 0 {
			m.min, m.openMin = d.min, d.openMin
		} else if order == 0 {
			m.openMin = c.openMin || d.openMin
		}
	}
	if d.max != nil {
		if order := compareBound(c.max, d.max, 1); order > 0 {
			m.max, m.openMax = d.max, d.openMax
		} else if order == 0 {
			m.openMax = c.openMax || d.openMax
		}
	}
	m.multiples = mergeRats(c.multiples, d.multiples)
	m.notMultiples = mergeRats(c.notMultiples, d.notMultiples)
	m.spelled = c.spelled || d.spelled
	m.notSpelled = c.notSpelled || d.notSpelled
	return m
}

// compareBound compares two bounds; a missing one counts as infinite, with the sign given.
func compareBound(a, b *big.Rat, infinity int) int {
	if a == nil {
		return infinity
	}
	return compareRats(a, b)
}

// compareRats is Cmp, but allocates nothing for integers, which most bounds are.
func compareRats(a, b *big.Rat) int {
	if a.IsInt() && b.IsInt() {
		return a.Num().Cmp(b.Num())
	}
	return a.Cmp(b)
}

// mergeRats unites two sorted lists without repetition.
func mergeRats(a, b []*big.Rat) []*big.Rat {
	if len(b) == 0 {
		return a
	}
	out := slices.Concat(a, b)
	slices.SortFunc(out, compareRats)
	return slices.CompactFunc(out, func(x, y *big.Rat) bool { return compareRats(x, y) == 0 })
}

// plainlyEmpty reports whether the bounds alone, or a facet and its opposite, leave nothing.
func (c cell) plainlyEmpty() bool {
	if c.min != nil && c.max != nil {
		if order := compareRats(c.min, c.max); order > 0 || order == 0 && (c.openMin || c.openMax) {
			return true
		}
	}
	for _, m := range c.notMultiples {
		if slices.ContainsFunc(c.multiples, func(n *big.Rat) bool { return new(big.Rat).Quo(n, m).IsInt() }) {
			return true
		}
	}
	return c.spelled && c.notSpelled
}

// not returns cells that together hold all numbers outside c. They are disjoint.
func (c cell) not() []cell {
	var out []cell
	before := cell{}
	facet := func(yes, no cell) {
		out = append(out, before.and(no))
		before = before.and(yes)
	}
	if c.min != nil {
		facet(cell{min: c.min, openMin: c.openMin}, cell{max: c.min, openMax: !c.openMin})
	}
	if c.max != nil {
		facet(cell{max: c.max, openMax: c.openMax}, cell{min: c.max, openMin: !c.openMax})
	}
	for _, m := range c.multiples {
		facet(cell{multiples: []*big.Rat{m}}, cell{notMultiples: []*big.Rat{m}})
	}
	for _, m := range c.notMultiples {
		facet(cell{notMultiples: []*big.Rat{m}}, cell{multiples: []*big.Rat{m}})
	}
	if c.spelled {
		facet(cell{spelled: true}, cell{notSpelled: true})
	}
	if c.notSpelled {
		facet(cell{notSpelled: true}, cell{spelled: true})
	}
	return out
}

// numberAlt returns the union of cells, nil if it is empty.
func (s *Schema) numberAlt(cells []cell) *Alt {
	live := make([]cell, 0, len(cells))
	parts := make([]Expr, 0, len(cells))
	for _, c := range s.distinct(cells) {
		if c.plainlyEmpty() {
			continue
		}
		e, err := s.spellings(c)
		if err != nil {
			s.undecided(nil, err)
		}
		if s.isEmpty(e) {
			continue
		}
		live = append(live, c)
		parts = append(parts, e)
	}
	if len(parts) == 0 {
		return nil
	}
	return &Alt{Kind: Number, Number: s.arena.Union(parts...), cells: live}
}

// distinct removes repeated cells: with references to one schema along many paths, each union
// would double them.
func (s *Schema) distinct(cells []cell) []cell {
	seen := make(map[string]bool, len(cells))
	out := make([]cell, 0, len(cells))
	for _, c := range cells {
		if key := c.key(); !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	if len(out) > maxCells {
		s.unsupported(nil, "too many number ranges")
		return nil
	}
	return out
}

// intersectCells intersects two unions of cells.
func intersectCells(a, b []cell) []cell {
	out := make([]cell, 0, max(len(a), len(b)))
	for _, c := range a {
		for _, d := range b {
			if m := c.and(d); !m.plainlyEmpty() {
				out = append(out, m)
			}
		}
	}
	return out
}

// disjointCells reports whether each of a is disjoint from each of b by the bounds.
func disjointCells(a, b []cell) bool {
	for i := range a {
		for j := range b {
			if !a[i].below(&b[j]) && !b[j].below(&a[i]) {
				return false
			}
		}
	}
	return true
}

// below reports whether all of c is less than all of d, by their bounds.
func (c *cell) below(d *cell) bool {
	if c.max == nil || d.min == nil {
		return false
	}
	order := compareRats(c.max, d.min)
	return order < 0 || order == 0 && (c.openMax || d.openMin)
}

// maxCells bounds the cells of one number alternative.
const maxCells = 10_000

// complementNumber returns the numbers outside a.
func (s *Schema) complementNumber(a *Alt) *Alt {
	if !slices.ContainsFunc(a.cells, func(c cell) bool { return !c.point() }) {
		return s.numberAlt(gaps(a.cells))
	}
	out := []cell{{}}
	for _, c := range a.cells {
		if out = intersectCells(out, c.not()); len(out) > maxCells {
			s.unsupported(nil, "too many number ranges")
			return nil
		}
	}
	return s.numberAlt(out)
}

// point reports whether c is a single number.
func (c cell) point() bool {
	return c.min != nil && c.max != nil && compareRats(c.min, c.max) == 0 && len(c.multiples)+len(c.notMultiples) == 0 && !c.spelled && !c.notSpelled
}

// gaps returns the numbers between points.
func gaps(points []cell) []cell {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b cell) int { return compareRats(a.min, b.min) })
	out := make([]cell, 0, len(sorted)+1)
	next := cell{}
	for _, p := range sorted {
		next.max, next.openMax = p.min, true
		out = append(out, next)
		next = cell{min: p.min, openMin: true}
	}
	return append(out, next)
}

// spellings returns the language of all spellings of the numbers in c.
func (s *Schema) spellings(c cell) (Expr, error) {
	key := c.key()
	if e, ok := s.cells[key]; ok {
		return e, nil
	}
	spec := s.numberSpelling
	spec.Min, spec.Max, spec.ExclusiveMin, spec.ExclusiveMax = c.min, c.max, c.openMin, c.openMax
	spec.NotMultipleOf = c.notMultiples
	for _, m := range c.multiples {
		if m.Cmp(one) == 0 {
			spec.Integer = number.IntegerValues
		} else {
			spec.MultipleOf = append(spec.MultipleOf, m)
		}
	}
	if c.spelled {
		spec.Integer = number.IntegerSyntax
	}
	e, err := s.number(spec)
	if err == nil && c.notSpelled {
		var whole Expr
		if whole, err = s.arena.Number(number.Spec{Integer: number.IntegerSyntax}); err == nil {
			e = s.arena.Intersect(e, s.arena.Complement(whole))
		}
	}
	if err == nil {
		s.cells[key] = e
	}
	return e, err
}

// number returns the spellings of a set of numbers. If no member can be spelled within the bounds
// on digits, the bounds are dropped.
func (s *Schema) number(spec number.Spec) (Expr, error) {
	e, err := s.arena.Number(spec)
	if err != nil || spec.MaxIntegerDigits+spec.MaxFractionDigits == 0 {
		return e, err
	}
	if none, err := s.arena.IsEmpty(e); err != nil || !none {
		return e, err
	}
	spec.MaxIntegerDigits, spec.MaxFractionDigits = 0, 0
	return s.arena.Number(spec)
}

// key identifies c in maps.
func (c cell) key() string {
	var b strings.Builder
	bound := func(r *big.Rat, open bool) {
		if r != nil {
			b.WriteString(r.RatString())
		}
		if open {
			b.WriteByte('!')
		}
		b.WriteByte(';')
	}
	bound(c.min, c.openMin)
	bound(c.max, c.openMax)
	for _, m := range c.multiples {
		bound(m, false)
	}
	b.WriteByte('/')
	for _, m := range c.notMultiples {
		bound(m, false)
	}
	if c.spelled {
		b.WriteByte('s')
	}
	if c.notSpelled {
		b.WriteByte('n')
	}
	return b.String()
}
