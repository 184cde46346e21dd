package schema

import (
	"slices"

	"tenon/grammar/schema/source"
)

type leafKey struct {
	at    *source.Value
	scope int32
}

// leaf is a schema object in a dynamic scope.
type leaf struct {
	at    *source.Value
	res   *source.Resource
	scope *source.Scope
	form  *form // memo
}

// leafNode returns the node of the schema v, which is entered from res in scope sc.
func (s *Schema) leafNode(v *source.Value, res *source.Resource, sc *source.Scope) *Node {
	if v.Kind == Bool {
		if v.Truth {
			return s.any
		}
		return s.never
	}
	if len(v.Members) == 0 {
		return s.any
	}
	if r, ok := s.source.Begins(v); ok {
		res = r
		sc = s.source.Enter(sc, r)
	}
	if n := s.plainConstant(v, res); n != nil {
		return n
	}
	key := leafKey{v, sc.ID}
	if name, ok := s.plainType(v, res); ok {
		t := typeKey{name, res.Draft}
		if first, ok := s.types[t]; ok {
			key = first
		} else {
			s.types[t] = key
		}
	}
	if n, ok := s.leaves[key]; ok {
		return n
	}
	n := s.newNode(opLeaf)
	n.leaf = &leaf{at: v, res: res, scope: sc}
	s.leaves[key] = n
	return n
}

// typeKey identifies what a schema means that says nothing but one type.
type typeKey struct {
	name  string
	draft source.Draft
}

// plainType returns the type of a schema that says nothing else. Such schemas share one node: most
// subschemas of a large schema are like {"type":"string"}, and a conjunction of a hundred of them
// is then that node, too.
func (s *Schema) plainType(v *source.Value, res *source.Resource) (string, bool) {
	name := v.Get("type")
	if name == nil || name.Kind != String || res.NoValidation || s.dropped[dropKey{v, "type"}] {
		return "", false
	}
	if _, known := typeNames[name.Text]; name.Text != "integer" && !known {
		return "", false
	}
	for i := range v.Members {
		if _, known := source.Keywords[v.Members[i].Key]; known && v.Members[i].Key != "type" {
			return "", false
		}
	}
	return name.Text, true
}

// plainConstant returns the node of a schema that says nothing but const or enum, and perhaps a
// type. Lists of values are compared at once, which is how most branches of a oneOf turn out to be
// disjoint.
func (s *Schema) plainConstant(v *source.Value, res *source.Resource) *Node {
	const few = 8
	if len(v.Members) > few || len(s.dropped) > 0 || res.NoValidation {
		return nil
	}
	keyword, kinds := "", allKinds
	for i := range v.Members {
		switch m := &v.Members[i]; m.Key {
		case "const", "enum":
			if keyword != "" || !source.Keywords[m.Key].In(res.Draft) {
				return nil
			}
			keyword = m.Key
		case "type":
			set, known := typeNames[m.Val.Text]
			if !known {
				return nil
			}
			kinds = set
		default:
			if _, known := source.Keywords[m.Key]; known {
				return nil
			}
		}
	}
	if keyword == "" {
		return nil
	}
	values := []*source.Value{v.Get(keyword)}
	if keyword == "enum" {
		values = values[0].Items
	}
	if kinds != allKinds {
		values = slices.DeleteFunc(slices.Clone(values), func(e *source.Value) bool { return !kinds.has(e.Kind) })
	}
	return s.constant(&blame{v, keyword}, values)
}

// form is a schema object taken apart: what it says of each kind, and the subschemas that apply to
// the same value. A value belongs to the object if its kind is in kinds, it satisfies the keywords
// of its kind, and it belongs to every node of subs.
type form struct {
	kinds   kindSet
	numbers []cell
	strings []stringLimit
	array   *arrayForm
	object  *objectForm
	subs    []*Node

	// relaxed: lenient mode has dropped a keyword. The form is a superset of the schema, and
	// nothing is known of the complement.
	relaxed bool

	unevaluatedItems *Node
	unevaluatedProps *Node
}

// nothingBut reports whether a schema object says nothing but that one subschema applies.
func (f *form) nothingBut() bool {
	return len(f.subs) == 1 && f.kinds == allKinds && f.numbers == nil && f.strings == nil && f.array == nil && f.object == nil && !f.relaxed &&
		f.unevaluatedItems == nil && f.unevaluatedProps == nil
}

type kindSet uint8

const allKinds kindSet = 1<<kinds - 1

func (k kindSet) has(kind Kind) bool { return k&(1<<kind) != 0 }

// stringLimit is one keyword on strings: a language, or bounds on the length.
type stringLimit struct {
	text     Expr        // unless length
	superset func() Expr // where text is a subset of what the keyword accepts: a superset
	length   bool
	min, max int
}

type arrayForm struct {
	prefix   []*Node
	rest     *Node // nil: any
	min, max int
	contains *Contain // nil: none
	unique   *blame   // uniqueItems; nil: none

	// evaluatesContains: elements that contains counts are evaluated (2020-12).
	evaluatesContains bool
}

type objectForm struct {
	props      []Prop // Required unused
	patterns   []Rule
	additional *Node // nil: any
	names      *Node // propertyNames, nil: any
	required   []string
	min, max   int
	dependent  []Implication
	closes     bool // it declares properties, and nothing that it says of others was dropped
}

// reader takes one schema object apart.
type reader struct {
	s    *Schema
	leaf *leaf
	v    *source.Value
	f    *form
}

// formOf returns the form of l's schema object.
func (s *Schema) formOf(l *leaf) *form {
	if l.form != nil {
		return l.form
	}
	r := &reader{s: s, leaf: l, v: l.at, f: &form{kinds: allKinds}}
	l.form = r.f
	if ref := r.v.Get("$ref"); ref != nil && ref.Kind == String {
		r.reference("$ref", ref.Text)
		if l.res.Draft.RefHidesSiblings() {
			return r.f
		}
	}
	r.readShared()
	r.readNumbers()
	r.readStrings()
	r.readArrays()
	r.readObjects()
	return r.f
}

// get returns a keyword's value, unless the draft or its vocabularies lack the keyword, or lenient
// mode has dropped it.
func (r *reader) get(keyword string) *source.Value {
	v := r.v.Get(keyword)
	if v == nil || r.leaf.res.NoValidation && source.Keywords[keyword].Validates() || !source.Keywords[keyword].In(r.leaf.res.Draft) || r.isDropped(keyword) {
		return nil
	}
	return v
}

// isDropped reports whether lenient mode has dropped a keyword of the object, and notes that the
// form is then relaxed.
func (r *reader) isDropped(keyword string) bool {
	if len(r.s.dropped) == 0 || !r.s.dropped[dropKey{r.v, keyword}] {
		return false
	}
	r.f.relaxed = true
	return true
}

func (r *reader) blame(keyword string) *blame { return &blame{r.v, keyword} }

// node returns the node of a subschema of the object.
func (r *reader) node(v *source.Value) *Node { return r.s.leafNode(v, r.leaf.res, r.leaf.scope) }

func (r *reader) nodes(list []*source.Value) []*Node {
	out := make([]*Node, len(list))
	for i, v := range list {
		out[i] = r.node(v)
	}
	return out
}

func (r *reader) sub(n *Node) { r.f.subs = append(r.f.subs, n) }

// count returns the value of a counting keyword, or otherwise if it is absent.
func (r *reader) count(keyword string, otherwise int) int {
	if v := r.get(keyword); v != nil {
		n, _ := source.Count(v)
		return n
	}
	return otherwise
}
