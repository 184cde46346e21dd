package retry

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
	"tenon/tools/conform"
	"tenon/tools/declared"
	"tenon/tools/emit"
	"tenon/tools/ordered"
	"tenon/tools/plan"
)

// Grammar is the grammar under which a call that failed validation is written anew, in the same
// turn. faults are what was wrong with the call in all tries, the last one last. output is the
// turn's, up to the mark that ended the call; its first keep bytes stay.
//
// It differs from the turn's first grammar in the schema of that tool: a value that failed is
// excluded, and the part of the schema that it failed stands alone at its place, free of what made
// the whole too hard for the mask. The result is false if no such grammar refuses the output and
// accepts the part that stays.
func Grammar(p *plan.Plan, faults []*Fault, output iter.Seq2[[]byte, bool], keep int) (string, bool) {
	for _, exact := range []bool{true, false} {
		q := constrained(p, faults, exact)
		text := emit.Grammar(q)
		if refuses(text, output, keep) {
			return text, true
		}
	}
	return "", false
}

// constrained is the plan with a narrower schema for the tool, which its last arguments do not
// fit.
func constrained(p *plan.Plan, faults []*Fault, exact bool) *plan.Plan {
	q := *p
	q.Tools = slices.Clone(p.Tools)
	t := &q.Tools[faults[len(faults)-1].tool]
	whole := t.Wire
	for _, f := range faults {
		for _, place := range f.Places {
			for _, c := range constraints(place, whole, exact) {
				t.SetWire(constrain(t.Wire, place.Path, c))
			}
		}
	}
	t.Members = t.Properties(declared.MostMasked)
	return &q
}

// refuses tells whether a grammar accepts the part of an output that stays, but not all of it.
func refuses(text string, output iter.Seq2[[]byte, bool], keep int) bool {
	g, err := grammar.Parse(text, grammar.Options{Lenient: true})
	if err != nil {
		return false // nothing is left that the call could be
	}
	r, read := g.Parser(), 0
	for piece, symbol := range output {
		if symbol {
			err = r.FeedSymbol(string(piece))
		} else {
			err = r.Feed(piece)
		}
		if err != nil {
			// the token that crosses the place is written anew too
			return read+len(piece) > keep
		}
		read += len(piece)
	}
	return false
}

// constraints are schemas that a value in the place at fault must fit beside what it was to fit
// anyway.
func constraints(f conform.Fault, whole json.RawMessage, exact bool) []json.RawMessage {
	var all []json.RawMessage
	if f.Value != nil {
		all = append(all, ordered.Object("not", ordered.Object("const", f.Value)))
	}
	sub, ok := declared.Resolve(whole, f.Schema)
	if !exact || !ok {
		return all
	}
	return append(all, sub)
}

// constrain adds a constraint on what stands at a path to a schema: as near to the place as the
// schema names it, since readers that give each argument a place of its own look at each
// property's schema alone.
func constrain(schema json.RawMessage, path []string, c json.RawMessage) json.RawMessage {
	if len(path) == 0 {
		return both(require(schema, c), c)
	}
	m := ordered.Members(schema)
	properties, _ := m.First("properties")
	named := ordered.Members(properties)
	for i := range named {
		if named[i].Key == path[0] {
			named[i].Value = both(named[i].Value, nest(schema, path[1:], c))
			return m.With("properties", named.Object()).Object()
		}
	}
	return both(schema, nest(schema, path, c))
}

// both is a schema for what fits two.
func both(schema, c json.RawMessage) json.RawMessage {
	m := ordered.Members(schema)
	// in older drafts nothing beside a reference counts
	if _, ref := m.First("$ref"); m == nil || ref {
		return ordered.Object("allOf", ordered.Array(schema, c))
	}
	return declared.Both(m, c).Object()
}

// require has a schema demand the keys that a constraint demands: readers look for them there.
func require(schema, c json.RawMessage) json.RawMessage {
	more, ok := ordered.Members(c).First("required")
	if !ok || ordered.Members(schema) == nil {
		return schema
	}
	old, _ := ordered.Members(schema).First("required")
	return ordered.Members(schema).With("required", ordered.Array(append(ordered.Items(old), ordered.Items(more)...)...)).Object()
}

// maxElement is the last element of an array that a constraint is made for; beyond it the whole
// array is at fault.
const maxElement = 1000

// nest makes a constraint of what leads to a value out of one on the value. A step may be a key or
// an index: each of the two keywords concerns its own type only.
func nest(root json.RawMessage, path []string, c json.RawMessage) json.RawMessage {
	for i := len(path) - 1; i >= 0; i-- {
		m := ordered.MemberList{{Key: "properties", Value: ordered.Object(path[i], c)}}
		if n, err := strconv.Atoi(path[i]); err == nil && n >= 0 && n <= maxElement {
			elements := append(slices.Repeat([]json.RawMessage{json.RawMessage("true")}, n), c)
			m = append(m, ordered.Member{Key: tupleKeyword(root), Value: ordered.Array(elements...)})
		}
		c = m.Object()
	}
	return c
}

// tupleKeyword is what names the schemas of an array's first elements: another word before draft
// 2020-12.
func tupleKeyword(root json.RawMessage) string {
	draft, _ := ordered.Members(root).First("$schema")
	for _, old := range []string{"draft-04", "draft-06", "draft-07", "2019-09"} {
		if strings.Contains(string(draft), old) {
			return "items"
		}
	}
	return "prefixItems"
}
