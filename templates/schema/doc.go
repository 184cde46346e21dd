// Package schema writes a tool's JSON Schema as a prompt shows it. What the model reads may be
// shorter than what the client declared; what the model may write is decided by the original,
// which this package never changes.
//
//	shown, err := schema.Tidy(declared)                    // shorter, same meaning
//	shown, err = schema.Simplify(shown, simplification)    // shorter, less is said
//	line := schema.Signature(name, description, shown)     // for tenon's own protocols
//
// A file has one way of writing: tidy.go, simplify.go, signature.go, flatten.go (no nesting),
// complete.go (what some templates break without), example.go (arguments that fit).
// value.go is JSON in its order.
//
// Simplify is only for whoever asked for it. Key order is kept throughout: a prompt that stays
// the same is a prompt that is cached.
package schema
