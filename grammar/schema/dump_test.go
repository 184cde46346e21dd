package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// String shows n for debugging: its formula, not its alternatives.
func (n *Node) String() string {
	switch n.op {
	case opNever:
		return "never"
	case opAny:
		return "any"
	case opLeaf:
		return "#" + n.leaf.at.Pointer()
	case opNot:
		return "¬" + n.kids[0].String()
	case opEnum:
		parts := make([]string, len(n.enum))
		for i, v := range n.enum {
			parts[i] = v.Canonical()
		}
		return "{" + strings.Join(parts, " ") + "}"
	case opFixed:
		parts := make([]string, len(n.fixed))
		for i, a := range n.fixed {
			parts[i] = a.Show()
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	sign := map[op]string{opAnd: " ∧ ", opOr: " ∨ ", opChoice: " ⊎ ", opOneOf: " ⊕ "}[n.op]
	parts := make([]string, len(n.kids))
	for i, k := range n.kids {
		parts[i] = k.String()
	}
	return "(" + strings.Join(parts, sign) + ")"
}

var kindNames = [kinds]string{"null", "boolean", "number", "string", "array", "object"}

// Show writes a for debugging. Languages appear as the numbers of their expressions.
func (a *Alt) Show() string {
	switch a.Kind {
	case Bool:
		return fmt.Sprintf("boolean(false=%v true=%v)", a.False, a.True)
	case Number:
		return fmt.Sprintf("number(e%d)", a.Number)
	case String:
		return fmt.Sprintf("string(e%d, length %s)", a.String.Text, span(a.String.MinLen, a.String.MaxLen))
	case Array:
		return a.Array.String()
	case Object:
		return a.Object.String()
	}
	return kindNames[a.Kind]
}

// span writes bounds.
func span(low, high int) string {
	if high == Unbounded {
		return strconv.Itoa(low) + "…"
	}
	return strconv.Itoa(low) + "…" + strconv.Itoa(high)
}

func (a *ArrayAlt) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "array(%s items", span(a.Min, a.Max))
	for i, n := range a.Prefix {
		fmt.Fprintf(&b, ", %d: %v", i, n)
	}
	fmt.Fprintf(&b, ", rest: %v", a.Rest)
	for _, c := range a.Contains {
		fmt.Fprintf(&b, ", %s from %d in %v", span(c.Min, c.Max), c.From, c.Node)
	}
	if a.Unique {
		b.WriteString(", unique")
	}
	return b.String() + ")"
}

func (o *ObjectAlt) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "object(%s keys", span(o.MinProps, o.MaxProps))
	for _, p := range o.Props {
		mark := "?"
		if p.Required {
			mark = ""
		}
		fmt.Fprintf(&b, ", %q%s: %v", p.Name, mark, p.Value)
	}
	for _, r := range o.Rules {
		fmt.Fprintf(&b, ", e%d → %v", r.Keys, r.Value)
	}
	for _, i := range o.Implications {
		fmt.Fprintf(&b, ", %q needs %q", i.Key, i.Required)
	}
	for _, e := range o.Exists {
		fmt.Fprintf(&b, ", some e%d in %v", e.Keys, e.Value)
	}
	return b.String() + ")"
}
