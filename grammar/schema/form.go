package schema

import (
	"math/big"
	"slices"
)

type leafKey struct {
	at    *value
	scope int32
}

// leaf is one schema object in one dynamic scope.
type leaf struct {
	at    *value
	res   *resource
	scope *scope
	form  *form // memo
}

// leafNode returns the node of the schema v, which is entered from res in scope sc.
func (s *Schema) leafNode(v *value, res *resource, sc *scope) *Node {
	if v.kind == Bool {
		if v.truth {
			return s.any
		}
		return s.never
	}
	if len(v.members) == 0 {
		return s.any
	}
	if r, ok := s.roots[v]; ok {
		res = r
		sc = s.enter(sc, r)
	}
	if n := s.plainConstant(v, res); n != nil {
		return n
	}
	key := leafKey{v, sc.id}
	if name, ok := s.plainType(v, res); ok {
		t := typeKey{name, res.draft}
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

// typeKey is what all schemas mean that say nothing but one type.
type typeKey struct {
	name  string
	draft Draft
}

// plainType returns the type that is all a schema says. Such schemas are one node, wherever they
// stand: {"type":"string"} is what most values of large schemas are, and a conjunction of a
// hundred of them is one as well.
func (s *Schema) plainType(v *value, res *resource) (string, bool) {
	name := v.get("type")
	if name == nil || name.kind != String || res.noValidation || s.dropped[dropKey{v, "type"}] {
		return "", false
	}
	if _, known := typeNames[name.text]; name.text != "integer" && !known || slices.Contains(foreignTypes, name.text) {
		return "", false
	}
	for i := range v.members {
		if _, known := keywords[v.members[i].key]; known && v.members[i].key != "type" {
			return "", false
		}
	}
	return name.text, true
}

// plainConstant returns the node of a schema that says nothing but const or enum, and perhaps a
// type. As a list of values it can be compared with other lists at once, which is how most
// variants of a oneOf are told apart.
func (s *Schema) plainConstant(v *value, res *resource) *Node {
	const few = 8
	if len(v.members) > few || len(s.dropped) > 0 || res.noValidation {
		return nil
	}
	keyword, kinds := "", allKinds
	for i := range v.members {
		switch m := &v.members[i]; m.key {
		case "const", "enum":
			if keyword != "" || !keywords[m.key].in(res.draft) {
				return nil
			}
			keyword = m.key
		case "type":
			set, known := typeNames[m.val.text]
			if !known || slices.Contains(foreignTypes, m.val.text) {
				return nil
			}
			kinds = set
		default:
			if _, known := keywords[m.key]; known {
				return nil
			}
		}
	}
	if keyword == "" {
		return nil
	}
	values := []*value{v.get(keyword)}
	if keyword == "enum" {
		values = values[0].items
	}
	if kinds != allKinds {
		values = slices.DeleteFunc(slices.Clone(values), func(e *value) bool { return !kinds.has(e.kind) })
	}
	return s.constant(&blame{v, keyword}, values)
}

// form is a schema object taken apart: what it says of each kind, and the schemas that apply to
// the same value. A value belongs to the object if its kind is in kinds, it meets the keywords of
// its kind, and it belongs to every node of subs.
type form struct {
	kinds   kindSet
	numbers []cell
	strings []stringLimit
	array   *arrayForm
	object  *objectForm
	subs    []*Node

	// loose: lenient mode has dropped a keyword, so that the form holds values which the schema
	// does not. Nothing is known of its complement then.
	loose bool

	unevaluatedItems *Node
	unevaluatedProps *Node
}

// nothingBut reports whether a schema object says nothing but that one other schema holds.
func (f *form) nothingBut() bool {
	return len(f.subs) == 1 && f.kinds == allKinds && f.numbers == nil && f.strings == nil && f.array == nil && f.object == nil && !f.loose &&
		f.unevaluatedItems == nil && f.unevaluatedProps == nil
}

type kindSet uint8

const allKinds kindSet = 1<<kinds - 1

func (k kindSet) has(kind Kind) bool { return k&(1<<kind) != 0 }

// stringLimit is one keyword on strings: a language, or bounds on the length.
type stringLimit struct {
	text     Expr // unless length
	wide     Expr // if text is only a part of what is meant: what holds all of that
	length   bool
	min, max int
}

type arrayForm struct {
	prefix   []*Node
	rest     *Node // nil: any
	min, max int
	contains *Contain // nil: none
	unique   *blame   // uniqueItems; nil: none

	// seesContains: elements that contains matches count as evaluated (2020-12).
	seesContains bool
}

type objectForm struct {
	props      []Prop // Required unused
	patterns   []Rule
	additional *Node // nil: any
	names      *Node // propertyNames, nil: any
	required   []string
	min, max   int
	dependent  []Implication
	closes     bool // it declares properties, and all that it says of others is known
}

// reader takes one schema object apart.
type reader struct {
	s    *Schema
	leaf *leaf
	v    *value
	f    *form
}

// formOf returns the form of l's schema object.
func (s *Schema) formOf(l *leaf) *form {
	if l.form != nil {
		return l.form
	}
	r := &reader{s: s, leaf: l, v: l.at, f: &form{kinds: allKinds}}
	l.form = r.f
	if ref := r.v.get("$ref"); ref != nil && ref.kind == String {
		r.reference("$ref", ref.text)
		if l.res.draft.refHidesSiblings() {
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

// get returns a keyword's value unless the draft does not know it or lenient mode has dropped it.
func (r *reader) get(keyword string) *value {
	v := r.v.get(keyword)
	if v == nil || r.leaf.res.noValidation && slices.Contains(validationKeywords, keyword) || !keywords[keyword].in(r.leaf.res.draft) || r.gaveUp(keyword) {
		return nil
	}
	return v
}

// gaveUp reports whether lenient mode has dropped a keyword of the object, and remembers that the
// object means less than it says.
func (r *reader) gaveUp(keyword string) bool {
	if len(r.s.dropped) == 0 || !r.s.dropped[dropKey{r.v, keyword}] {
		return false
	}
	r.f.loose = true
	return true
}

func (r *reader) blame(keyword string) *blame { return &blame{r.v, keyword} }

// node returns the node of a subschema of the object.
func (r *reader) node(v *value) *Node { return r.s.leafNode(v, r.leaf.res, r.leaf.scope) }

func (r *reader) nodes(list []*value) []*Node {
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
		n, _ := countOf(v)
		return n
	}
	return otherwise
}

// maxCount is the largest count told apart: no value that can be generated is longer.
const maxCount = 1 << 40

// countOf returns the integer that v is, clamped to maxCount.
func countOf(v *value) (int, bool) {
	r := ratOf(v)
	if r == nil || !r.IsInt() {
		return 0, false
	}
	if !r.Num().IsInt64() || r.Num().Int64() > maxCount {
		if r.Sign() < 0 {
			return -1, true
		}
		return maxCount, true
	}
	return int(r.Num().Int64()), true
}

// maxExponent bounds the numbers that are taken exactly: 1e999999999 in a schema must not cost a
// gigabyte.
const maxExponent = 2000

// ratOf returns the exact value of a number, nil if v is none or its exponent is beyond reason.
func ratOf(v *value) *big.Rat {
	if v.kind != Number || exponentOf(v.text) > maxExponent {
		return nil
	}
	r, ok := new(big.Rat).SetString(v.text)
	if !ok {
		return nil
	}
	return r
}

// exponentOf returns the magnitude of the exponent that a JSON number is written with.
func exponentOf(text string) int {
	n, in := 0, false
	for i := 0; i < len(text) && n <= maxExponent; i++ {
		switch c := text[i]; {
		case c == 'e' || c == 'E':
			in = true
		case in && '0' <= c && c <= '9':
			n = n*10 + int(c-'0')
		}
	}
	return n
}
