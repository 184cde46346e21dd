// Package schema turns a JSON Schema (drafts 3 to 2020-12) into a typed intermediate form that a
// byte-level matcher can walk.
//
//	s, err := schema.Compile(text, schema.Options{})
//	for _, alt := range s.Root.Alts() {
//		switch alt.Kind {
//		case schema.Object:
//			v := alt.Object.Value("name") // the set of what may follow "name":
//		}
//	}
//
// # The form
//
// A [Node] is a set of JSON values. Asked for its alternatives ([Node.Alts]) it answers with a
// disjunction of [Alt]s, each of one type and a conjunction of facets of that type: there is no
// allOf, anyOf, oneOf, not, if or $ref left in it. Facets of strings and numbers are regular
// languages (package lex), except that lengths stay counters. Elements and property values are
// nodes again. The types are in ir.go.
//
// # How it works
//
//  1. Package source reads the text: JSON, the dialect, ids, anchors and references.
//  2. compile.go makes the root node, starting over without a keyword that turns out too hard.
//  3. form.go, read.go, read_object.go, number.go and string.go take one schema object apart, when
//     it is first needed.
//  4. node.go combines sets symbolically. Equal formulas are one node, which keeps recursion
//     finite.
//  5. expand.go computes the alternatives of a node, kind by kind; expand_oneof.go does so for
//     oneOf. alt.go and alt_array.go build the alternatives of one schema object, constant.go
//     those of listed values. intersect.go intersects them, complement.go negates them, and
//     evaluated.go tracks evaluated properties and items for the unevaluated keywords.
//  6. inhabited.go decides which alternatives hold a value at all. normalize.go gives those the
//     shape that a walker relies on (below). It uses unnamed_keys.go for keys without a name, and
//     list.go, count.go and without.go for sets of few values: what is in them, how many,
//     and arrays but for some.
//  7. discover.go visits every reachable node and expands those that combine others. A schema that
//     is too hard therefore fails in Compile, not in the middle of a generation. conflict.go
//     explains an empty schema.
//
// Steps 3 to 6 are lazy and memoised: a node that combines nothing is expanded when a walker first
// enters it.
//
// # What a walker may rely on
//
// Every alternative that [Node.Alts] returns holds a value. A walker that keeps these rules never
// reaches a dead end:
//
//   - A key whose value is [Node.Empty] cannot be present. An unnamed key belongs to one of
//     [ObjectAlt.UnnamedKeys], each of which has infinitely many keys.
//   - A key requires the keys of its Implications. MaxProps must have room for the key, for those,
//     and for one more key for each Exist that is not met yet.
//   - As long as an Exist is not met, some unnamed key can meet it, or any named key in its Keys
//     that has not been written.
//   - As long as a Contain's Min is not reached, every further element from From on can count.
//   - An array of Unique elements ends where its next element could only repeat an earlier one.
//     [Node.Listed] has the values of small sets. If an element may be an array, that is
//     unbounded, or its elements share one schema of scalars: [ArrayAlt.Without] leaves used ones
//     out. If an element may be an object, it can have one more key, or has a named key of many
//     values.
//   - The text of a [StringAlt] cannot go on where its shortest completion exceeds MaxLen.
//
// # Exactness
//
// A keyword that cannot be enforced exactly is an [*UnsupportedError], or with Options.Lenient it
// is left out and reported as an [Issue]. A text that is no JSON Schema is an [*InvalidError], and
// one that no value satisfies an [*UnsatError]: errors.go.
//
// # Words
//
//	here                     llguidance, XGrammar; regex-automata has none
//	Node                     Schema; XGrammar's SchemaSpec: the intermediate form of a schema
//	alternative (Alt)        one type's part of a schema in disjunctive normal form
//	normalize                gives the shape above; Schema::normalize only flattens
//	intersect                Schema::intersect
//	disjointByRequired       is_verifiably_disjoint_from; TryProvePairwiseDisjointOneOf. A
//	                         oneOf whose branches share nothing is an anyOf
//	unnamed keys             additional_properties, pattern_properties
//	evaluated                the annotations that unevaluatedProperties reads (core §11)
//	CloseObjects             none; strict_mode: on by default, closes arrays too
//	inhabited, empty         satisfiable and unsatisfiable
package schema
