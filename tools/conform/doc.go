// Package conform holds arguments against the JSON Schema of their tool: it validates them and,
// where they do not validate, looks for the one lossless change that makes them.
//
//	s := conform.Compile(tool.Parameters)
//	args, repairs, err := s.Conform(args)
//
// Lossless means that the model's value is kept and only its type or spelling changes ("3" where
// an integer is wanted, an object where a list of objects is). Each change is a [Repair] with the
// name of its rule. A value is never invented, and where two changes would do, none is made.
//
// Files: schema.go (compiling, validating), sanitize.go (a schema without what cannot be used),
// unwieldy.go (what is too large to be one), coerce.go and shape.go (the changes), field.go (what
// a schema says of one argument: whether it may be text, say), value.go (values that keep their
// order, and where arguments fail: [Fault]).
package conform
