// Package declared prepares the tools that a client declared: their names as the model sees them,
// their schemas, and the reading of arguments against those.
//
// Files: declared.go (tools, and finding one by the name that a model wrote), schema.go (rewriting
// a schema: what stands for nothing is left out, and objects alone are arguments), arguments.go
// (reading them), property.go (arguments that have places of their own in the text), elements.go
// (arguments that are elements of their names).
package declared
