package gbnf

import "strings"

// The terminals by which arguments are written that have places of their own in a text: %plain and
// %each.

// plain reads a schema, its options, and markers in parentheses, if there are any.
func (r *reader) plain(at int) (*Node, error) {
	n, err := r.jsonSchema(at)
	if err != nil {
		return nil, err
	}
	n.Op = Plain
	if !r.take("(") {
		return n, nil
	}
	return r.markers(at, n)
}

// each reads ("separator" | part | part?).
func (r *reader) each(at int) (*Node, error) {
	if !r.take("(") {
		return nil, r.errorf(at, `expected a separator and parts such as %%each("," | a | b?)`)
	}
	if r.depth++; r.depth > maxDepth {
		return nil, r.errorf(at, "groups are nested more than %d deep", maxDepth)
	}
	r.space(true)
	n := &Node{Op: Each}
	var err error
	if n.Text, err = r.argument(at); err != nil {
		return nil, err
	}
	for {
		r.space(true)
		if r.take(")") {
			break
		}
		if !r.take("|") {
			return nil, r.errorf(r.pos, "expected | or ) after a part")
		}
		r.space(true)
		part, err := r.sequence(true)
		if err != nil {
			return nil, err
		}
		n.Kids = append(n.Kids, part)
	}
	if len(n.Kids) == 0 {
		return nil, r.errorf(at, "%%each needs a part")
	}
	r.depth--
	return n, nil
}

// IsOptional tells whether a part of an Each may be missing.
func (n *Node) IsOptional() bool { return n.Op == Repeat && n.Min == 0 && n.Max == 1 }

func (w *writer) each(n *Node) {
	w.b.WriteString("%each(" + Quote(n.Text))
	for _, k := range n.Kids {
		w.b.WriteString(" | ")
		w.node(k, inSeq)
	}
	w.b.WriteString(")")
}

func plainText(n *Node) string {
	text := "%plain" + SchemaText(n.Text) + n.Options.String()
	if len(n.Markers) == 0 {
		return text
	}
	return text + strings.TrimPrefix(untilText(n.Markers), "%until")
}
