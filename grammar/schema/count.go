package schema

import (
	"math/big"

	"tenon/grammar/schema/source"
)

// Listed returns the values of n in canonical form, if they can be listed and are fewer than
// limit.
func (n *Node) Listed(limit int) (texts []string, few bool) {
	values, few := n.schema.few(n, limit)
	for _, v := range values {
		texts = append(texts, v.Canonical())
	}
	return texts, few
}

// count returns how many values n holds, at most limit. A set that cannot be listed counts as
// limit.
func (s *Schema) count(n *Node, limit int) int {
	if values, few := s.few(n, limit); few {
		return min(len(values), limit)
	}
	return limit
}

// few lists the values of n if they can be listed and are fewer than limit, or maxDistinct if that
// is more. It may be asked while nodes are being expanded: like plausible, it gives up where it
// comes back to one.
func (s *Schema) few(n *Node, limit int) ([]*source.Value, bool) {
	s.speculating++
	values, few := listing{s, max(limit, maxDistinct)}.node(n)
	s.speculating--
	if s.cyclic {
		s.cyclic = s.speculating > 0
		return nil, false
	}
	return values, few
}

// countCells counts the numbers of cells that are single points, or multiples between bounds. Only
// points may overlap.
func countCells(cells []cell, limit int) int {
	points := make(map[string]bool)
	total := 0
	for _, c := range cells {
		switch step := c.step(); {
		case c.min == nil || c.max == nil:
			return limit
		case c.min.Cmp(c.max) == 0:
			points[c.min.RatString()] = true
		case step != nil:
			span := new(big.Rat).Quo(new(big.Rat).Sub(c.max, c.min), step)
			if !span.Num().IsInt64() || span.Cmp(big.NewRat(int64(limit), 1)) > 0 {
				return limit
			}
			f, _ := span.Float64()
			total += int(f) + 1
		default:
			return limit
		}
	}
	return min(limit, total+len(points))
}

// step returns a number that every member of c is a multiple of, nil if none is known.
func (c cell) step() *big.Rat {
	switch {
	case len(c.multiples) > 0:
		return c.multiples[len(c.multiples)-1]
	case c.spelled:
		return one
	}
	return nil
}
