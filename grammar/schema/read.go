package schema

import (
	"strconv"

	"tenon/grammar/schema/source"
)

// reference adds what a reference keyword leads to.
func (r *reader) reference(keyword, ref string) {
	if r.isDropped(keyword) {
		return
	}
	t, why := r.s.source.Resolve(r.leaf.res, ref)
	if why == "" {
		switch keyword {
		case "$dynamicRef":
			t = t.Dynamic(r.leaf.scope)
		case "$recursiveRef":
			t = t.Recursive(r.leaf.scope)
		}
		if t.Value.Kind != Object && t.Value.Kind != Bool {
			why = "the reference leads to something that is not a schema"
		}
	}
	if why != "" {
		r.drop(keyword, Dropped, why)
		return
	}
	sc := r.leaf.scope
	if t.Resource != r.leaf.res {
		sc = r.s.source.Enter(sc, t.Resource)
	}
	r.sub(r.s.leafNode(t.Value, t.Resource, sc))
}

// drop gives up a keyword: an error in strict mode, an issue in lenient mode.
func (r *reader) drop(keyword string, a Action, why string) {
	if !r.s.lenient {
		r.s.unsupported(r.blame(keyword), why)
		return
	}
	r.f.relaxed = true
	key := dropKey{r.v, keyword}
	if !r.s.dropped[key] {
		r.s.dropped[key] = true
		r.s.issue(r.v, keyword, a, why)
	}
}

// readShared reads the keywords that apply to values of every kind.
func (r *reader) readShared() {
	if v := r.get("type"); v != nil {
		r.types(v)
	}
	if v := r.get("disallow"); v != nil {
		r.disallow(v)
	}
	if v := r.get("enum"); v != nil {
		r.sub(r.s.constant(r.blame("enum"), v.Items))
	}
	if v := r.get("const"); v != nil {
		r.sub(r.s.constant(r.blame("const"), []*source.Value{v}))
	}
	for _, keyword := range [...]string{"$dynamicRef", "$recursiveRef"} {
		if v := r.get(keyword); v != nil {
			r.reference(keyword, v.Text)
		}
	}
	if v := r.get("extends"); v != nil {
		list := []*source.Value{v}
		if v.Kind == Array {
			list = v.Items
		}
		r.f.subs = append(r.f.subs, r.nodes(list)...)
	}
	r.readCombinators()
}

func (r *reader) readCombinators() {
	s := r.s
	if v := r.get("allOf"); v != nil {
		r.f.subs = append(r.f.subs, r.nodes(v.Items)...)
	}
	if v := r.get("anyOf"); v != nil {
		r.sub(s.or(r.blame("anyOf"), r.nodes(v.Items)...))
	}
	if v := r.get("oneOf"); v != nil {
		r.sub(s.exactlyOne(r.blame("oneOf"), r.nodes(v.Items)))
	}
	if v := r.get("not"); v != nil {
		r.sub(s.not(r.node(v)))
	}
	r.conditional()
}

// conditional reads if, then and else. An if without the others matters only for its annotations,
// which unevaluated keywords read.
func (r *reader) conditional() {
	test := r.get("if")
	if test == nil {
		return
	}
	s := r.s
	yes, no := s.any, s.any
	if v := r.get("then"); v != nil {
		yes = r.node(v)
	}
	if v := r.get("else"); v != nil {
		no = r.node(v)
	}
	if yes.Any() && no.Any() && !s.source.Tracks {
		return
	}
	cond := r.node(test)
	r.sub(s.choice(r.blame("if"), s.and(cond, yes), s.and(s.not(cond), no)))
}

// typeNames are the type names of JSON Schema, but "integer", which types handles.
var typeNames = map[string]kindSet{
	"null": 1 << Null, "boolean": 1 << Bool, "number": 1 << Number, "string": 1 << String, "array": 1 << Array, "object": 1 << Object,
}

// foreignTypes are type names that generators of other languages write; "any" is also of draft 3.
var foreignTypes = map[string]kindSet{"any": allKinds, "dict": 1 << Object, "float": 1 << Number, "tuple": 1 << Array, "list": 1 << Array}

// types reads type: a name, or several.
func (r *reader) types(v *source.Value) {
	if v.Kind == String {
		v = &source.Value{Kind: Array, Items: []*source.Value{v}}
	}
	set, integer := kindSet(0), false
	var schemas []*Node
	for _, e := range v.Items {
		switch {
		case e.Kind == Object:
			schemas = append(schemas, r.node(e))
		case e.Text == "integer":
			integer = true
		default:
			set |= r.typeNamed(e.Text)
		}
	}
	if schemas != nil { // draft 3
		var numbers []cell
		if integer {
			numbers = append(numbers, r.integers())
		}
		r.sub(r.s.or(r.blame("type"), append(schemas, r.s.kindNode(set, numbers))...))
		return
	}
	if integer && !set.has(Number) {
		set |= 1 << Number
		r.f.numbers = append(r.f.numbers, r.integers())
	}
	r.f.kinds &= set
}

// typeNamed returns the kinds of a type name. It reports names that JSON Schema does not have.
func (r *reader) typeNamed(name string) kindSet {
	if set, ok := typeNames[name]; ok {
		return set
	}
	set, ok := foreignTypes[name]
	switch {
	case !ok:
		r.s.issue(r.v, "type", Dropped, "unknown type name "+strconv.Quote(name)+": any value")
		return allKinds
	case name != "any" || r.leaf.res.Draft != source.Draft3:
		r.s.issue(r.v, "type", Enforced, "type name "+strconv.Quote(name)+" translated")
	}
	return set
}

// disallow is draft 3's negated type.
func (r *reader) disallow(v *source.Value) {
	inner := &reader{s: r.s, leaf: r.leaf, v: r.v, f: &form{kinds: allKinds}}
	inner.types(v)
	n := r.s.newNode(opLeaf)
	n.leaf = &leaf{at: r.v, res: r.leaf.res, scope: r.leaf.scope, form: inner.f}
	r.sub(r.s.not(n))
}

// readArrays reads the keywords on arrays.
func (r *reader) readArrays() {
	f := &arrayForm{min: r.count("minItems", 0), max: r.count("maxItems", Unbounded)}
	r.tuple(f)
	if v := r.get("contains"); v != nil {
		f.contains = &Contain{Node: r.node(v), Min: r.count("minContains", 1), Max: r.count("maxContains", Unbounded)}
		f.evaluatesContains = r.leaf.res.Draft == source.DraftAuto || r.leaf.res.Draft >= source.Draft2020
	}
	if v := r.get("uniqueItems"); v != nil && v.Truth {
		f.unique = r.blame("uniqueItems")
	}
	if f.min > 0 || f.max != Unbounded || f.prefix != nil || f.rest != nil || f.contains != nil || f.unique != nil {
		r.f.array = f
	}
	if v := r.get("unevaluatedItems"); v != nil {
		r.f.unevaluatedItems = r.node(v)
	}
}

// tuple reads items, prefixItems and additionalItems, whose meanings differ between the drafts.
func (r *reader) tuple(f *arrayForm) {
	items, prefix := r.get("items"), r.get("prefixItems")
	if prefix != nil {
		f.prefix = r.nodes(prefix.Items)
	}
	if items == nil {
		return
	}
	if items.Kind != Array {
		f.rest = r.node(items)
		return
	}
	if prefix == nil {
		f.prefix = r.nodes(items.Items)
	}
	if v := r.get("additionalItems"); v != nil {
		f.rest = r.node(v)
	}
}
