// Package source reads schema documents. It decodes JSON, keeping order and spelling; it finds the
// dialect of a document and the targets of its references; and it checks whether the document is a
// JSON Schema at all. What keywords mean is not its concern.
//
//	set, err := source.Read(text, source.Options{MaxDepth: 1000})
//	target, why := set.Resolve(set.Main, "#/$defs/address")
//
// Files: value.go and json.go (values), canonical.go (equal values, equal texts), rat.go
// (numbers), draft.go (the dialects' keywords), set.go (a document), check.go (the walk over all
// of it), resource.go (ids, anchors, references), scope.go (dynamic references), metaschema.go
// (the metaschemas, made from the table of keywords).
//
// # Words
//
//	here                     JSON Schema core; llguidance (regex-automata has none)
//	Draft                    dialect (§4.3.3); Draft
//	Resource                 schema resource (§4.3.5); ResourceRef
//	Scope                    dynamic scope (§7.1)
//	Holding                  where the subschemas of a keyword are (§10)
package source
