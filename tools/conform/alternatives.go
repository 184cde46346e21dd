package conform

import "github.com/santhosh-tekuri/jsonschema/v6"

// Unions of unions, by reference, make a schema of a few lines that has billions of alternatives for one value. What reads schemas
// looks at each of them, so that a schema with too many must be refused before.

// MaxAlternatives is how many alternatives one value may have. A hundred thousand are looked at in a few seconds.
const MaxAlternatives = 1 << 17

// Crowded tells whether a value that the schema speaks of has more than [MaxAlternatives].
func (s *Schema) Crowded() bool {
	c := census{counts: map[*jsonschema.Schema]int{}}
	c.count(s.root)
	return c.most > MaxAlternatives
}

// census counts the alternatives of each schema's own value, up to more than the most.
type census struct {
	counts map[*jsonschema.Schema]int // 1 while it is counted: a schema may lead to itself
	most   int
}

func (c *census) count(s *jsonschema.Schema) int {
	if s == nil {
		return 1
	}
	if n, known := c.counts[s]; known {
		return n
	}
	c.counts[s] = 1
	n := times(c.count(s.Ref), c.count(s.RecursiveRef))
	if s.DynamicRef != nil {
		n = times(n, c.count(s.DynamicRef.Ref))
	}
	for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		n = times(n, c.sum(list))
	}
	for _, part := range append(s.AllOf[:len(s.AllOf):len(s.AllOf)], s.Not) {
		n = times(n, c.count(part))
	}
	n = times(n, c.sum([]*jsonschema.Schema{s.If, s.Then, s.Else}))
	c.inside(s)
	c.counts[s], c.most = n, max(c.most, n)
	return n
}

// sum is how many alternatives several schemas have together.
func (c *census) sum(list []*jsonschema.Schema) int {
	n := 0
	for _, s := range list {
		if s != nil {
			n = min(n+c.count(s), MaxAlternatives+1)
		}
	}
	return max(n, 1)
}

// inside looks at what a schema says of the members and items of its values.
func (c *census) inside(s *jsonschema.Schema) {
	for _, sub := range s.Properties {
		c.count(sub)
	}
	for _, sub := range s.PatternProperties {
		c.count(sub)
	}
	for _, sub := range s.DependentSchemas {
		c.count(sub)
	}
	for _, sub := range s.PrefixItems {
		c.count(sub)
	}
	for _, sub := range []*jsonschema.Schema{s.Items2020, s.Contains, s.PropertyNames, s.UnevaluatedItems, s.UnevaluatedProperties, s.ContentSchema} {
		c.count(sub)
	}
	for _, either := range []any{s.Items, s.AdditionalItems, s.AdditionalProperties} {
		switch sub := either.(type) {
		case *jsonschema.Schema:
			c.count(sub)
		case []*jsonschema.Schema:
			c.sum(sub)
		}
	}
}

func times(a, b int) int { return min(a*b, MaxAlternatives+1) }
