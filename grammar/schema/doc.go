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
//  5. expand.go computes the alternatives of a node, kind by kind, expand_oneof.go those of oneOf:
//     alt.go and alt_array.go build those of one schema object, constant.go those of listed
//     values. intersect.go intersects them, complement.go negates them, and evaluated.go keeps the
//     evaluated properties for unevaluatedProperties and unevaluatedItems.
//  6. inhabited.go decides which alternatives hold a value at all, and normalize.go gives those
//     the shape that a walker relies on (below). unnamed_keys.go helps it with keys, count.go,
//     list.go and without.go with sets of few values.
//  7. discover.go visits what can be reached and expands what has to combine something, so that a
//     schema that is too hard fails in Compile and not in the middle of a generation. conflict.go
//     explains an empty schema.
//
// Everything from 3 on is lazy and memoised: what combines nothing is expanded by whoever enters
// it first.
//
// # What a walker may rely on
//
// Every alternative that [Node.Alts] returns holds a value, and a walker that minds the following
// never meets a dead end:
//
//   - A key whose value is [Node.Empty] cannot be present, an extra key belongs to one of
//     [ObjectAlt.UnnamedKeys], whose classes are boundless.
//   - A key brings what its Implications require; with that, and one key for each Exist not yet
//     met, it must fit into MaxProps.
//   - As long as an Exist is not met, some extra key or any unseen named key in its Keys can meet
//     it.
//   - A Contain whose Min is not reached can be met by every element from From on that may still
//     come.
//   - An array whose elements are Unique ends where its next element could only repeat an earlier
//     one; [Node.Listed] has the values of small sets. An array among its elements is unbounded,
//     or all its elements have one schema of scalars: [ArrayAlt.Without] leaves used ones out. An
//     object among them can have one more key, or has a named key of many values.
//   - Text of a [StringAlt] is left when the shortest way to its end no longer fits into MaxLen.
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
//	normalize                the last simplification before compiling (Schema::normalize)
//	intersect                Schema::intersect
//	unnamed keys             additional_properties, pattern_properties
//	evaluated properties     the annotations of unevaluatedProperties (JSON Schema core §11)
//	membership               a member test: does this value belong to the set
//	inhabited                satisfiable: some value belongs to the set
package schema
